"""Persona files: what is written reads back equal, what is wrong is refused with a sentence."""

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formula import parse_formula
from engine.game import get_game
from personas.documents import DocumentReader
from personas.persona import (
    CATALOGUE,
    Persona,
    PersonaError,
    SearchSettings,
    Source,
    catalogue,
    dump_persona,
    load_persona,
    read_persona,
)

FORMULA = "add(div(wins, visits), mul(0.1, sqrt(div(parent_visits, visits))))"
GOOD = Persona(
    kind="formula",
    name='Öl "7" \\ 猫\n',
    game="match3",
    game_version=1,
    objective="minm",
    search=SearchSettings(goal=-6.123456789012345, iterations=99, playout="end", final="mean", clairvoyant=True),
    formula=FORMULA,
    source=Source("run 7", "replication", 3, 9, 40, 50, 2**53 - 1, "abc", -1e-17),
)

names = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=80).filter(
    str.strip
)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    names,
    numbers,
    st.floats(-1e12, 1e12),
    st.floats(1e-3, 1e6),
    st.sampled_from(["win", "graded"]),
    st.booleans(),
    st.sampled_from([0, 1, 1000]),
    st.sampled_from([1, 2, 32]),
)
def test_persona_reads_back_equal_from_toml_and_from_its_document(
    name, goal, fitness, scale, reward, clairvoyant, lookahead, draws
):
    search = SearchSettings(reward=reward, clairvoyant=clairvoyant, lookahead=lookahead, draws=draws)
    search = replace(search, goal=goal) if reward == "win" else replace(search, scale=scale)
    persona = replace(GOOD, name=name, search=search, source=replace(GOOD.source, fitness=fitness))
    assert read_persona(dump_persona(persona)) == persona
    assert Persona.from_document(persona.to_document()) == persona
    assert Persona.from_document(persona.to_json()) == persona


@pytest.mark.parametrize(("field", "usual"), [("lookahead", 0), ("draws", 1)])
def test_persona_document_without_a_newer_setting_is_as_it_was_before_there_was_one(field, usual):
    assert field not in GOOD.to_document()["search"]
    assert getattr(Persona.from_document(GOOD.to_document()).search, field) == usual


def test_persona_of_kind_mcts_keeps_its_exploration_and_has_no_formula():
    persona = replace(GOOD, kind="mcts", formula="", search=SearchSettings(exploration=0.3), source=Source())
    text = dump_persona(persona)
    assert "formula =" not in text
    assert "[source]" not in text
    assert read_persona(text) == persona


def test_persona_document_has_the_formula_in_its_canonical_form():
    spaced = replace(GOOD, formula="  add( wins,2 ) ")
    assert Persona.from_document(spaced.to_json()).formula == "add(wins, 2.0)"


def without(*path: str) -> dict:
    document = GOOD.to_json()
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return document


def changed(value: object, *path: str) -> dict:
    document = GOOD.to_json()
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "must be a table"),
        (without("kind"), '"kind" is missing'),
        (without("formula"), '"formula" is missing'),
        (without("search", "goal"), '"goal" is missing'),
        (changed("solver", "kind"), "one of mcts, formula"),
        (changed("maximum", "objective"), "one of maxs, mins, maxm, minm"),
        (changed(0, "game_version"), "a whole number from 1"),
        (changed("one", "game_version"), "a whole number"),
        (changed(True, "game_version"), "a whole number"),
        (changed("", "name"), "some text"),
        (changed("x" * 81, "name"), "at most 80 characters"),
        (changed("a\0b", "name"), "text"),
        (changed("add(wins)", "formula"), "takes two arguments"),
        (changed("import os", "formula"), "cannot be read"),
        (changed("", "formula"), "formula is empty"),
        (changed(3, "search"), "must be a table"),
        (changed("circular", "search", "tree"), "one of closed"),
        (changed("lottery", "search", "reward"), "one of win, graded"),
        (changed(0, "search", "iterations"), "from 1 to 100000"),
        (changed(10**9, "search", "iterations"), "from 1 to 100000"),
        (changed(2.5, "search", "iterations"), "a whole number"),
        (changed("far", "search", "goal"), "a number"),
        (changed(float("nan"), "search", "goal"), "a finite number"),
        (changed("1e999", "search", "goal"), "a finite number"),
        (changed(10**400, "search", "goal"), "a number"),
        (changed(0, "search", "scale"), "above 0"),
        (changed("never", "search", "playout"), "one of literal, end"),
        (changed(-1, "search", "lookahead"), "from 0 to 1000"),
        (changed(10**9, "search", "lookahead"), "from 0 to 1000"),
        (changed(0, "search", "draws"), "from 1 to 32"),
        (changed(33, "search", "draws"), "from 1 to 32"),
        (changed("pow(wins, 2)", "formula"), '"pow" is not an operator of formulas'),
        (changed("add(wins, luck)", "formula"), '"luck" is not a variable of formulas'),
        (changed("sqrt(" * 40 + "wins" + ")" * 40, "formula"), "more than 32 levels deep"),
        (changed("sqrt(" * 3000 + "wins" + ")" * 3000, "formula"), "more than 32 levels deep"),
        (changed("sqrt(" * 3000 + "wins", "formula"), "check brackets"),
        (changed("luck", "search", "final"), "one of formula, mean"),
        (changed("yes", "search", "clairvoyant"), "true or false"),
        (changed(1, "search", "depth"), '"depth" is not known'),
        (changed(1, "objectve"), '"objectve" is not known'),
        (changed("best", "source", "preset"), "one of replication, standard"),
        (changed(2**53, "source", "seed"), "a whole number from 0"),
        (changed("me", "source", "author"), '"author" is not known'),
    ],
)
def test_persona_document_that_is_wrong_is_refused_with_a_sentence(document, said):
    with pytest.raises(PersonaError) as raised:
        Persona.from_document(document)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


HUGE = "0x" + "f" * 6000


@pytest.mark.parametrize("line", [f"game_version = {HUGE}", f"objective = [{HUGE}]", f"name = {{a = {HUGE}}}"])
def test_persona_file_with_a_number_that_python_does_not_write_is_refused_with_a_sentence(line):
    name = line.split()[0]
    text = "\n".join(one for one in dump_persona(GOOD).splitlines() if not one.startswith(f"{name} ="))
    with pytest.raises(PersonaError, match=f'"{name}" must be .* not a .*(digits|with one)'):
        read_persona(f"{line}\n{text}")


@pytest.mark.parametrize("text", ["1_0", "\u0661", "0x10", "", "nan", "one"])
def test_number_that_only_python_reads_is_refused(text):
    with pytest.raises(PersonaError):
        DocumentReader({"a": text}, "It", PersonaError).number("a")
    assert DocumentReader({"a": "-2.5e1"}, "It", PersonaError).number("a") == -25.0


@pytest.mark.parametrize("number", [10**400, -(10**6000), float("nan"), True, "1"], ids=["400", "6000", "nan", "", "1"])
def test_list_of_numbers_takes_what_a_float_holds_only(number):
    with pytest.raises(PersonaError, match="a list of numbers"):
        DocumentReader({"a": [1, number]}, "It", PersonaError).numbers("a")


@pytest.mark.parametrize("text", ["kind = ", "[", "kind = 1\nkind = 2", "\0", "kind = " + "9" * 6000])
def test_persona_text_that_is_no_toml_is_refused(text):
    with pytest.raises(PersonaError, match="no TOML"):
        read_persona(text)


def test_persona_file_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "bom.toml"
    path.write_text(dump_persona(GOOD), "utf-8-sig")
    assert load_persona(path) == GOOD


@pytest.mark.parametrize("formula", ["add(1, 2)", "sqrt(parent_visits)"])
def test_persona_file_of_standard_search_whose_formula_cannot_tell_children_apart_is_refused(formula):
    standard = replace(GOOD, formula=formula, search=SearchSettings(tree="open", reward="graded"))
    with pytest.raises(PersonaError, match="reads nothing of a move"):
        read_persona(dump_persona(standard))
    # Documents that are stored stay readable, and the paper allows such formulas.
    assert Persona.from_document(standard.to_json()).formula
    assert read_persona(dump_persona(replace(GOOD, formula=formula))).search == GOOD.search


def test_persona_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(PersonaError, match="No such file"):
        load_persona(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "\xe4"')
    with pytest.raises(PersonaError, match="not UTF-8"):
        load_persona(path)


def test_catalogue_holds_vanilla_by_the_paper_and_the_four_personas():
    shipped = catalogue("match3")
    vanilla = shipped["vanilla"]
    assert (vanilla.kind, vanilla.objective, vanilla.search.goal) == ("mcts", "maxs", 4000.0)
    assert vanilla.search.exploration == pytest.approx(0.5**0.5)
    for objective in ("maxs", "mins", "maxm", "minm"):
        persona = shipped[f"{objective}-replication"]
        assert persona.objective == objective
        source = persona.source
        assert source.preset == "replication"
        assert source.run
        assert source.commit
        assert source.fitness is not None
        assert source.seed is not None
        assert source.generation == source.generations


@pytest.mark.parametrize("objective", ["maxs", "mins", "maxm", "minm"])
def test_catalogue_entries_of_the_standard_preset_have_its_search_and_name_their_run(objective):
    persona = catalogue("match3")[objective]
    search, source = persona.search, persona.source
    assert persona.objective == objective
    assert (search.tree, search.reward, search.playout) == ("open", "graded", "end")
    # What is not kept of the run beside this shows in the formula: only one that chooses may know when it does.
    assert search.final == "formula" or "searching" not in persona.parsed.reads
    assert source.preset == "standard"
    assert source.run
    assert source.commit
    assert source.seed is not None
    assert source.generation == source.generations
    assert source.final_games >= 200


def test_catalogue_entries_are_fair_and_fit_the_rules_as_they_are():
    for persona in (*catalogue("match3").values(), *catalogue("samegame").values()):
        assert not persona.search.clairvoyant
        assert persona.game_version == get_game(persona.game).info.version
        if persona.kind == "formula":
            assert parse_formula(persona.formula).text == persona.formula


def test_catalogue_of_samegame_says_that_its_personas_are_written_by_hand():
    shipped = catalogue("samegame")
    assert set(shipped) == {"vanilla", "maxs", "mins", "maxm", "minm"}
    assert all(persona.kind == "mcts" and persona.game == "samegame" for persona in shipped.values())
    for objective in ("maxs", "mins", "maxm", "minm"):
        persona = shipped[objective]
        assert persona.objective == objective
        assert persona.source.note.startswith("Written by hand, not evolved: UCB1")
        assert not persona.source.run


def test_catalogue_files_are_as_the_program_writes_them():
    for path in CATALOGUE.glob("*/*.toml"):
        text = path.read_text()
        assert tomllib.loads(text)
        assert dump_persona(load_persona(path)) == text
