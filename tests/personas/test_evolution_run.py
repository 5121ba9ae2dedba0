"""Evaluation and whole runs: pure, the same in any slices, on any threads, after any interruption."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from engine.level import draw_level
from engine.search.settings import OBJECTIVES
from personas.agent import StoppedError, agent_from_document
from personas.evolution import (
    Fitness,
    Generation,
    RunConfig,
    StateError,
    evaluate,
    evaluate_references,
    final_generation,
    first_population,
    next_generation,
    persona_from,
    persona_of,
    ranked,
)
from personas.evolution.fitness import can_reach, vanilla_persona
from personas.evolution.run import Checkpoint, GenerationReport, evolve, write_atomically
from personas.evolution.standing import level, records
from personas.persona import Persona

CONFIG = RunConfig(
    persona="maxs", seed=8, preset="replication", population=6, generations=3, games=4, iterations=12, moves=4
)
STANDARD = RunConfig(
    persona="maxs", seed=8, population=12, generations=3, games=8, iterations=12, moves=4, racing=5, final_games=9
)


def run(config: RunConfig = CONFIG, **options: object) -> tuple[list[Generation], object]:
    reports: list[GenerationReport] = []
    persona = evolve(config, on_generation=reports.append, **options)
    return [report.generation for report in reports], persona


@pytest.fixture(scope="module")
def undisturbed() -> tuple[list[Generation], object]:
    return run()


@pytest.fixture(scope="module")
def undisturbed_standard() -> tuple[list[Generation], object]:
    return run(STANDARD)


def test_evaluate_is_the_same_in_any_slices_and_order_repeated_and_on_threads():
    generation = first_population(CONFIG)
    whole = evaluate(CONFIG, generation, range(6))
    assert evaluate(CONFIG, generation, range(6), threads=2) == whole
    slices = {first: evaluate(CONFIG, generation, [first, first + 1]) for first in (4, 0, 2)}
    assert [one for first in (0, 2, 4) for one in slices[first]] == whole
    assert evaluate(CONFIG, generation, [5, 0, 5]) == [whole[5], whole[0], whole[5]]
    assert evaluate(CONFIG, generation, []) == []


@pytest.mark.parametrize("persona", ["maxs", "mins", "maxm", "minm"])
def test_evaluate_gives_the_mean_of_what_the_persona_wants(persona):
    config = replace(CONFIG, persona=persona)
    generation = first_population(config)
    (fitness,) = evaluate(config, generation, [1])
    agent = agent_from_document(persona_from(config, generation, 1).to_document())
    levels = [config.game_level(seed) for seed in generation.game_seeds]
    traces = agent.play_games(levels, generation.game_seeds)
    wanted = {
        "maxs": [trace.score for trace in traces],
        "mins": [-trace.score for trace in traces],
        "maxm": [trace.legal_mean for trace in traces],
        "minm": [-trace.legal_mean for trace in traces],
    }[persona]
    assert list(fitness.per_game) == wanted
    assert fitness.value == pytest.approx(sum(wanted) / 4)
    assert fitness.flaw is None


def test_first_population_aims_at_the_mean_of_random_play():
    generation = first_population(CONFIG)
    assert generation.goal == evaluate_references(CONFIG, generation)["random"].value


def test_evaluate_on_a_given_level_plays_that_level_only():
    level = draw_level(seed=99, moves=4)
    config = replace(CONFIG, level=level.to_document())
    assert {config.game_level(seed) for seed in (1, 2, 3)} == {level}
    assert run(config)[1] != run()[1]


def test_evaluate_of_a_clairvoyant_run_differs_and_says_so():
    seeing = replace(CONFIG, clairvoyant=True, iterations=60)
    fair = replace(CONFIG, iterations=60)
    generation = first_population(fair)
    assert evaluate(seeing, generation, range(6)) != evaluate(fair, generation, range(6))
    persona = persona_from(seeing, generation, 0)
    assert persona.search.clairvoyant
    assert "clairvoyant" in persona.name


def test_evaluate_stops_when_told():
    generation = first_population(CONFIG)
    with pytest.raises(StoppedError):
        evaluate(CONFIG, generation, range(6), threads=2, stop=lambda: True)


def test_evaluate_counts_every_game():
    heard = []
    evaluate(CONFIG, first_population(CONFIG), range(6), threads=2, progress=heard.append)
    assert sum(heard) == 6 * 4


def test_evolve_is_bit_for_bit_the_same_on_two_threads(undisturbed):
    assert run(threads=2) == undisturbed


def test_evolve_depends_on_the_seed(undisturbed):
    assert run(replace(CONFIG, seed=9)) != undisturbed


def test_evolve_is_what_its_steps_give_one_by_one(undisturbed):
    generations, persona = undisturbed
    generation = first_population(CONFIG)
    for number in range(1, 4):
        # As workers do it: stored as JSON between all steps.
        generation = Generation.from_json(json.loads(json.dumps(generation.to_json())))
        generation = generation.with_fitness(evaluate(CONFIG, generation, range(6)))
        generation = Generation.from_json(json.loads(json.dumps(generation.to_json())))
        assert generation == generations[number - 1]
        if number < 3:
            generation = next_generation(CONFIG, generation)
    assert persona_of(CONFIG, generation) == persona


def test_evolve_keeps_the_best_of_the_last_generation_with_its_goal(undisturbed):
    generations, persona = undisturbed
    last = generations[-1]
    best = max(last.individuals, key=lambda one: one.fitness.value)
    assert persona.formula == best.formula
    assert persona.search.goal == last.goal
    assert persona.source.fitness == best.fitness.value
    assert (persona.source.generation, persona.source.seed, persona.source.preset) == (3, 8, "replication")
    assert (persona.search.playout, persona.search.final, persona.search.reward) == ("literal", "formula", "win")


@pytest.mark.parametrize("after", [0, 1, 2])
def test_evolve_goes_on_after_an_interruption_as_if_there_had_been_none(undisturbed, tmp_path, after):
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(list(tmp_path.glob("generation-*.json"))) == after and len(asked) % 7 == 0

    with pytest.raises(StoppedError):
        evolve(CONFIG, checkpoint=Checkpoint(tmp_path), stop=stop)
    generations, persona = run(checkpoint=Checkpoint(tmp_path))
    assert (generations, persona) == (undisturbed[0][after:], undisturbed[1])
    assert not list(tmp_path.glob(".*"))


def test_evolve_of_the_standard_preset_is_bit_for_bit_the_same_on_two_threads(undisturbed_standard):
    assert run(STANDARD, threads=2) == undisturbed_standard


def test_evolve_of_the_standard_preset_is_what_its_steps_give_in_any_slices(undisturbed_standard):
    generations, persona = undisturbed_standard
    generation = first_population(STANDARD)
    for number in range(1, 5):
        generation = Generation.from_json(json.loads(json.dumps(generation.to_json())))
        places = range(len(generation.individuals))
        parts = [evaluate(STANDARD, generation, [place]) for place in reversed(places)]
        generation = generation.with_fitness(part[0] for part in reversed(parts))
        generation = Generation.from_json(json.loads(json.dumps(generation.to_json())))
        if number < 4:
            assert generation == generations[number - 1]
            step = next_generation if number < 3 else final_generation
            generation = step(STANDARD, generation)
    assert [one.origin for one in generation.individuals].count("elite") == 10
    assert persona_of(STANDARD, generation) == persona


def test_evolve_of_the_standard_preset_keeps_the_best_of_the_finalists_with_its_search(undisturbed_standard):
    generations, persona = undisturbed_standard
    final = final_generation(STANDARD, generations[-1])
    assert persona.formula in {one.formula for one in final.individuals}
    assert {one.formula for one in ranked(STANDARD, generations[-1])[:10]} <= {one.formula for one in final.individuals}
    search = persona.search
    assert (search.tree, search.reward, search.playout, search.final) == ("open", "graded", "end", "mean")
    assert (search.scale, search.lookahead, search.clairvoyant) == (1000.0, 0, False)
    source = persona.source
    assert (source.generation, source.games, source.final_games, source.preset) == (3, 8, 9, "standard")
    assert persona.name == "MaxS"
    assert Persona.from_document(persona.to_document()) == persona
    short = replace(STANDARD, final_games=0, lookahead=2, draws=3, final="formula")
    without, best = run(short)
    assert best.formula == ranked(short, without[-1])[0].formula
    assert (best.search.lookahead, best.search.draws, best.search.final) == (2, 3, "formula")
    assert best.source.final_games is None


def test_evolve_with_racing_stops_the_hopeless_early_and_no_elite(undisturbed_standard):
    generations, _ = undisturbed_standard
    assert generations[0].bar is None
    assert generations[0].partial_count == 0
    assert sum(generation.partial_count for generation in generations[1:]) > 0
    for before, generation in pairwise(generations):
        last = ranked(STANDARD, before)[STANDARD.elites - 1]
        assert generation.bar == level(before) + records(before)[last.idx].mean
        for one in generation.individuals:
            first = one.fitness.per_game[:5]
            stops = one.origin != "elite" and not can_reach(generation.bar, first)
            assert one.fitness.partial == stops
            assert len(one.fitness.per_game) == (5 if stops else 8)
        assert not generation.best.fitness.partial


def test_evolve_without_racing_gives_the_same_games_as_far_as_both_go(undisturbed_standard):
    with_racing = undisturbed_standard[0][1]
    everybody = evaluate(replace(STANDARD, racing=0), with_racing, range(12))
    for one, whole in zip(with_racing.individuals, everybody, strict=True):
        assert whole.per_game[: len(one.fitness.per_game)] == one.fitness.per_game
        assert not whole.partial


def test_evaluate_counts_games_that_racing_saves():
    heard = []
    generation = replace(first_population(STANDARD), bar=1e9)
    partial = evaluate(STANDARD, generation, range(12), progress=heard.append)
    assert all(one.partial for one in partial)
    assert sum(heard) == 12 * 8


@pytest.mark.parametrize(
    ("bar", "outcomes", "reaches"),
    [
        (3.7, [1.0, 2.0, 3.0], True),
        (3.8, [1.0, 2.0, 3.0], False),
        (10.0, [1.0, 1.1, 1.0], False),
        (5.0, [5.0] * 5, True),
        (5.1, [5.0] * 5, False),
    ],
)
def test_can_reach_leaves_room_for_three_standard_errors(bar, outcomes, reaches):
    assert can_reach(bar, outcomes) is reaches


@pytest.mark.parametrize("after", [1, 3])
def test_evolve_of_the_standard_preset_goes_on_after_an_interruption(undisturbed_standard, tmp_path, after):
    def stop() -> bool:
        return len(list(tmp_path.glob("generation-*.json"))) == after

    with pytest.raises(StoppedError):
        evolve(STANDARD, checkpoint=Checkpoint(tmp_path), stop=stop)
    assert not list(tmp_path.glob("final-*"))
    generations, persona = run(STANDARD, checkpoint=Checkpoint(tmp_path))
    assert (generations, persona) == (undisturbed_standard[0][after:], undisturbed_standard[1])
    assert [path.name for path in tmp_path.glob("final-*")] == ["final-0004.json"]
    assert evolve(STANDARD, checkpoint=Checkpoint(tmp_path), stop=lambda: True) == persona


def test_evolve_that_is_done_only_says_what_came_out(undisturbed, tmp_path):
    run(checkpoint=Checkpoint(tmp_path))
    assert run(checkpoint=Checkpoint(tmp_path)) == ([], undisturbed[1])


def test_evolve_goes_on_with_more_generations_than_it_was_begun_with(undisturbed, tmp_path):
    run(replace(CONFIG, generations=1), checkpoint=Checkpoint(tmp_path))
    assert run(checkpoint=Checkpoint(tmp_path))[0] == undisturbed[0][1:]


def test_checkpoint_of_another_run_is_refused_and_left_as_it_was(tmp_path):
    run(replace(CONFIG, generations=1), checkpoint=Checkpoint(tmp_path))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StateError, match="another run, with another persona and seed"):
        run(replace(CONFIG, persona="minm", seed=1), checkpoint=Checkpoint(tmp_path))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("final-0002.json", "{}"),
        ("run.json", "{"),
        ("run.json", "[]"),
        ("run.json", "{}"),
        ("run.json", '{"format": 1, "game_version": 1, "config": {"persona": "maxs"}}'),
        ("generation-0001.json", ""),
        ("generation-0001.json", '{"generation": {"number": 1}}'),
        ("generation-0001.json", "[" * 100_000),
    ],
)
def test_checkpoint_that_is_damaged_is_refused(tmp_path, name, content):
    config = replace(STANDARD, generations=1)
    run(config, checkpoint=Checkpoint(tmp_path))
    (tmp_path / name).write_text(content)
    with pytest.raises(StateError):
        run(config, checkpoint=Checkpoint(tmp_path))


DAMAGES = {
    "format": lambda file: file.update(format=2),
    "number": lambda file: file["generation"].update(number=2),
    "huge goal": lambda file: file["generation"].update(goal=10**400),
    "huge seed": lambda file: file["generation"]["game_seeds"].append(10**400),
    "other seeds": lambda file: file["generation"]["game_seeds"].reverse(),
    "no individuals": lambda file: file["generation"].update(individuals=[]),
    "one too few": lambda file: file["generation"]["individuals"].pop(),
    "one twice": lambda file: file["generation"]["individuals"].__setitem__(1, file["generation"]["individuals"][0]),
    "no formula": lambda file: file["generation"]["individuals"][2].update(formula="import os"),
    "no text": lambda file: file["generation"]["individuals"][2].update(formula="\ud800"),
    "no fitness": lambda file: file["generation"]["individuals"][2].update(fitness=None),
    "one game too few": lambda file: file["generation"]["individuals"][2]["fitness"]["per_game"].pop(),
    "huge outcome": lambda file: file["generation"]["individuals"][2]["fitness"]["per_game"].__setitem__(0, 10**400),
    "partial but whole": lambda file: file["generation"]["individuals"][2]["fitness"].update(partial=True),
}


@pytest.mark.parametrize("name", ["generation-0001.json", "final-0002.json"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_checkpoint_whose_values_cannot_be_those_of_the_run_is_refused(tmp_path, name, damage):
    config = replace(STANDARD, generations=1)
    run(config, checkpoint=Checkpoint(tmp_path))
    file = json.loads((tmp_path / name).read_text())
    if damage == "number" and name.startswith("final"):
        file["generation"]["number"] = 1
    else:
        DAMAGES[damage](file)
    (tmp_path / name).write_text(json.dumps(file))
    with pytest.raises(StateError, match=rf"{name} is damaged\.$"):
        run(config, checkpoint=Checkpoint(tmp_path))


@pytest.mark.parametrize("name", ["generation-².json", "generation-1.json", "generation-last.json"])
def test_checkpoint_with_a_file_that_is_named_like_no_generation_is_refused(tmp_path, name):
    run(replace(CONFIG, generations=1), checkpoint=Checkpoint(tmp_path))
    (tmp_path / name).write_text("{}")
    with pytest.raises(StateError, match=rf"{name} .* is damaged\.$"):
        run(checkpoint=Checkpoint(tmp_path))


def test_checkpoint_with_generations_but_no_run_is_refused(tmp_path):
    (tmp_path / "generation-0001.json").write_text("{}")
    with pytest.raises(StateError, match=r"no run\.json"):
        run(checkpoint=Checkpoint(tmp_path))


def test_write_atomically_leaves_the_old_file_if_it_fails(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_fitness_and_generation_read_back_equal_from_json(undisturbed):
    for generation in undisturbed[0]:
        assert Generation.from_json(json.loads(json.dumps(generation.to_json()))) == generation
    flawed = Fitness(None, "overflow", (1.0, 2.0))
    assert Fitness.from_json(json.loads(json.dumps(flawed.to_json()))) == flawed


@pytest.mark.parametrize("persona", OBJECTIVES)
def test_plain_search_beside_a_population_chooses_by_the_mean_whoever_chooses_the_moves_of_the_population(persona):
    by_mean, by_formula = (RunConfig(persona=persona, seed=1, final=final) for final in ("mean", "formula"))
    assert vanilla_persona(by_formula, 0.0) == vanilla_persona(by_mean, 0.0)
    assert vanilla_persona(RunConfig(persona=persona, seed=1, preset="replication"), 0.0).search.final == "formula"
