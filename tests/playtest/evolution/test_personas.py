"""Keeping personas: provenance, once, and at once in playtests."""

import re
from functools import partial

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from engine.level import draw_level
from personas.agent import agent_from_document, load_agent
from personas.evolution import persona_of
from personas.persona import catalogue
from playtest.accounts.models import User
from playtest.evolution.models import EvolutionRun, LogKind, Objective, Persona, PersonaVersion
from playtest.evolution.selectors.personas import persona_detail, personas_list
from playtest.evolution.selectors.showcase import showcase_report
from playtest.evolution.services import (
    RunError,
    persona_keep,
    persona_offer,
    personas_ensure_catalogue,
    work_once,
)
from playtest.evolution.services.showcase import persona_showcase
from playtest.evolution.trees import tree_drawing
from playtest.immutable import ImmutableRowError
from playtest.levels.maps import MapCell, map_cell, styles_shown
from playtest.levels.models import DefaultAgent, PlaytestEntry, PlaytestReport, WhatIf
from playtest.levels.services import (
    DrawnBoards,
    agent_spec_ensure,
    block_work_next,
    level_create,
    playtest_request,
    playtest_request_drawn,
    what_if_request,
)
from tests.playtest.evolution.rows import make_owner
from tests.playtest.evolution.running import TINY, start, undisturbed, work_all
from tests.playtest.racing import race

pytestmark = pytest.mark.django_db(transaction=True)


def finished() -> EvolutionRun:
    run = start()
    work_all()
    run.refresh_from_db()
    return run


def keep_best(run: EvolutionRun, name: str = "Climber") -> PersonaVersion:
    best = run.generation_rows.get(number=run.current).best_idx
    assert best is not None
    return persona_keep(run=run, generation=run.current, idx=best, name=name, owner=run.owner)


def test_persona_keep_stores_where_it_came_from_and_how_it_plays() -> None:
    run = finished()
    version = keep_best(run)
    last = undisturbed()[-1].generation
    assert (version.persona.name, version.persona.slug, version.persona.owner) == ("Climber", "climber", run.owner)
    assert version.persona.objective == Objective.MAXS
    assert (version.run, version.generation, version.idx, version.seed) == (run, 3, last.best.idx, TINY.seed)
    assert version.game_version >= 1
    expected = persona_of(TINY, last, commit=run.code_commit).to_document()
    assert version.agent_spec.spec == {**expected, "name": "Climber"}
    agent = agent_from_document(version.agent_spec.spec)
    level = draw_level(moves=3, seed=5)
    assert len(agent.play_games([level], [1])[0].codes) == 3
    assert run.log.filter(kind=LogKind.KEPT).count() == 1


def test_persona_kept_is_played_by_the_next_playtest() -> None:
    run = finished()
    version = keep_best(run)
    level = level_create(owner=run.owner, level=draw_level(seed=3), name="Somewhere")
    report = playtest_request(level_version=level, games=1, iterations=5)
    assert report.entries.filter(agent_spec=version.agent_spec).exists()
    persona_offer(persona=version.persona, offered=False, actor=run.owner)
    assert not DefaultAgent.objects.filter(agent_spec=version.agent_spec, offered=True).exists()
    persona_offer(persona=version.persona, offered=True, actor=run.owner)
    persona_offer(persona=version.persona, offered=True, actor=run.owner)
    assert DefaultAgent.objects.filter(agent_spec=version.agent_spec).count() == 1


def test_persona_keep_of_the_same_individual_gives_the_same_version() -> None:
    run = finished()
    first = keep_best(run)
    assert keep_best(run, "Another name") == first
    assert Persona.objects.count() == 1


def test_persona_keep_clicked_twice_at_the_same_moment_keeps_once() -> None:
    run = finished()
    versions = race([partial(keep_best, run)] * 4)
    assert len({version.pk for version in versions}) == 1
    assert PersonaVersion.objects.count() == 1


def test_persona_keep_refuses_a_taken_name_an_empty_one_and_the_unevaluated() -> None:
    run = finished()
    keep_best(run)
    other = next(one for one in range(TINY.population) if one != undisturbed()[-1].generation.best.idx)
    keep = partial(persona_keep, run=run, generation=3, idx=other, owner=run.owner)
    with pytest.raises(RunError, match="already"):
        keep(name="Climber")
    for name in ("", "   ", "x" * 81):
        with pytest.raises(RunError, match="characters"):
            keep(name=name)
    for name in ("a\0b", "a\x07"):
        with pytest.raises(RunError, match="cannot be printed"):
            keep(name=name)
    with pytest.raises(RunError, match="not been evaluated"):
        persona_keep(run=run, generation=9, idx=0, name="Nobody", owner=run.owner)
    with pytest.raises(RunError, match="not been evaluated"):
        persona_keep(run=run, generation=3, idx=999, name="Nobody", owner=run.owner)
    with pytest.raises(RunError, match="“Climber!” is too close to “Climber”"):
        keep(name="Climber!")
    with pytest.raises(RunError, match="no character that can be seen"):
        keep(name="\u200d")
    assert Persona.objects.count() == 1


def test_persona_may_have_a_name_that_joins_its_characters() -> None:
    run = finished()
    assert keep_best(run, "👨\u200d👩\u200d👧 می\u200cخواهم").persona.name == "👨\u200d👩\u200d👧 می\u200cخواهم"


def test_persona_keep_of_a_generation_still_played_is_refused() -> None:
    run = start()
    work_once(worker="w")
    with pytest.raises(RunError, match="not been evaluated"):
        persona_keep(run=run, generation=1, idx=0, name="Early", owner=run.owner)


def test_persona_named_like_an_agent_that_is_no_persona_leaves_that_alone() -> None:
    run = finished()
    personas_ensure_catalogue()
    level = level_create(owner=run.owner, level=draw_level(seed=3), name="Somewhere")
    playtest_request(level_version=level, games=1, iterations=5)
    greedy = DefaultAgent.objects.get(slug="greedy").agent_spec
    version = keep_best(run, "Greedy")
    assert DefaultAgent.objects.get(slug="greedy").agent_spec == greedy
    assert DefaultAgent.objects.filter(agent_spec=version.agent_spec).exists()


def test_persona_version_is_never_changed() -> None:
    version = keep_best(finished())
    version.note = "better"
    with pytest.raises(ImmutableRowError):
        version.save()


def test_catalogue_becomes_rows_once() -> None:
    versions = personas_ensure_catalogue()
    assert personas_ensure_catalogue() == versions
    for game in ("match3", "samegame"):
        assert {persona.slug for persona in Persona.objects.filter(game=game)} == set(catalogue(game))
    for version in versions:
        file = catalogue(version.persona.game)[version.persona.slug]
        assert version.agent_spec.spec == file.to_document()
        assert (version.run, version.persona.owner) == (None, None)
        assert version.seed == file.source.seed


def test_personas_list_and_page_show_formula_and_use() -> None:
    run = finished()
    personas_ensure_catalogue()
    version = keep_best(run)
    line = [one for one in personas_list() if one.persona.game == "match3"][-1]
    assert line.version == version
    assert line.is_default
    assert line.formula is not None
    assert line.formula.mathml.startswith("<math")
    detail = persona_detail(pk=version.persona_id)
    assert detail is not None
    assert detail.file.name == "Climber"
    assert detail.uses == []
    assert persona_detail(pk=10**6) is None


def test_formula_is_drawn_as_a_tree_inside_its_picture() -> None:
    drawing = tree_drawing("div(wins, add(visits, mul(parent_visits, 123.456)))")
    assert [box.label for box in drawing.boxes] == ["w", "n", "N", "123.5", "×", "+", "÷"]
    assert len(drawing.edges) == len(drawing.boxes) - 1
    for box in drawing.boxes:
        assert 0 <= box.left < box.left + box.width <= drawing.width
        assert 0 <= box.top < box.top + drawing.box_height <= drawing.height


def test_persona_shows_how_it_plays_beside_vanilla_and_random_play(designer: User) -> None:
    personas_ensure_catalogue()
    version = PersonaVersion.objects.get(persona__game="match3", persona__slug="maxs-replication")
    assert showcase_report(version=version) is None
    report = persona_showcase(version=version, requested_by=designer)
    assert persona_showcase(version=version, requested_by=designer) == report
    assert showcase_report(version=version) == report
    assert styles_shown(report=report) == []
    entries = report.entries.select_related("agent_spec").order_by("position")
    assert [entry.agent_spec.name for entry in entries] == [version.agent_spec.name, "Vanilla", "random"]
    assert report.games == 100


def test_styles_of_a_finished_report_are_those_of_its_games(designer: User) -> None:
    specs = [agent_spec_ensure(document=load_agent(name, game="match3").document) for name in ("random", "greedy")]
    report = playtest_request_drawn(
        drawn=DrawnBoards("match3", 6, 5, 4, 4), agent_specs=specs, games=12, requested_by=designer
    )
    while block_work_next(worker="test"):
        pass
    report.refresh_from_db()
    styles = styles_shown(report=report)
    assert [style.label for style in styles] == ["Random", "Greedy"]
    assert all((len(style.rows), len(style.rows[0])) == (6, 5) for style in styles)
    assert all(1 <= style.steps[1] <= style.steps[0] <= style.steps[2] for style in styles)
    assert all(-6 <= cell.shade <= 6 for style in styles for row in style.rows for cell in row)


@pytest.mark.parametrize(("ratio", "shade"), [(1.0, 0), (2.0, 6), (9.0, 6), (1.5, 3), (0.5, -6), (0.0, -6)])
def test_shade_of_a_cell_is_as_far_from_chance_as_its_number(ratio: float, shade: int) -> None:
    assert map_cell(ratio).shade == shade


def test_cell_that_never_was_to_be_had_is_neither_sought_nor_avoided() -> None:
    assert map_cell(float("nan")) == MapCell(0, "–")


@pytest.mark.django_db
def test_page_of_a_persona_offers_to_let_it_play_and_then_shows_it(designer_client: Client) -> None:
    personas_ensure_catalogue()
    persona = Persona.objects.get(game="match3", slug="mins-replication")
    page = reverse("evolution:persona", args=[persona.pk])
    assert "Play 100 boards" in designer_client.get(page).content.decode()
    answer = designer_client.post(reverse("evolution:persona_play", args=[persona.pk]))
    assert answer["Location"] == f"{page}#showcase"
    text = designer_client.get(page).content.decode()
    assert text.count("data-live-topic=") == 1
    assert "Waiting for a worker" in text
    live = reverse("evolution:persona_live", args=[persona.pk])
    report = PlaytestReport.objects.get()
    assert designer_client.get(live, {"rev": report.rev}).status_code == 304
    assert 'id="showcase"' in designer_client.get(live, {"rev": -1}).content.decode()


def test_persona_says_on_which_boards_it_was_used(designer_client: Client) -> None:
    persona = personas_ensure_catalogue()[0].persona
    persona_offer(persona=persona, offered=True, actor=make_owner())
    version = level_create(owner=None, level=draw_level(rows=5, cols=5, colours=5, moves=4, seed=3, name="Pond"))
    changed = draw_level(rows=5, cols=5, colours=4, moves=4, seed=3)
    what_if = what_if_request(level_version=version, changed=changed, like=None, requested_by=None)
    drawn = playtest_request_drawn(drawn=DrawnBoards("match3", 5, 5, 5, 4))
    PlaytestEntry.objects.update(n=1, median=500.0, score_mean=500.0, blocks_done=F("blocks_total"))
    page = designer_client.get(reverse("evolution:persona", args=[persona.pk])).content.decode()
    part = page.partition("Where it is used</h2>")[2]
    rows = re.findall(r'<th scope="row">(.*?)</th>', part)
    level = reverse("levels:detail", args=[version.level_id])
    question = reverse("levels:what_if", args=[version.level_id, what_if.pk])
    assert rows == [
        "Random boards",
        f'<a href="{question}">Pond</a> <span class="note">changed, a what-if</span>',
        f'<a href="{level}?report={what_if.base_id}#report">Pond</a>',
    ]
    assert drawn.pk > what_if.report_id
    WhatIf.objects.all().delete()
    page = designer_client.get(reverse("evolution:persona", args=[persona.pk])).content.decode()
    assert '<th scope="row">A changed level</th>' in page
