"""How far a run is and how long it will take, from its rows."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from personas.evolution import first_population
from playtest.evolution.models import EvolutionRun, Generation, GenerationState, Individual, Origin, RunState, Wanted
from playtest.evolution.populations import diversity, pack_games, plan_slices, unpack_games
from playtest.evolution.selectors.figures import duration_words
from playtest.evolution.selectors.runs import run_detail, runs_list, runs_page
from tests.playtest.evolution.rows import make_run
from tests.playtest.evolution.running import TINY


def ago(**words: float) -> datetime:
    return timezone.now() - timedelta(**words)


def add_generation(run: EvolutionRun, number: int, *, seconds: float | None, done: int = 10) -> None:
    """A generation of ten slices that took so long, or is still played."""
    row = Generation.objects.create(
        run=run, number=number, goal=1.0, game_seeds=[1], slices_total=10, slices_done=done, best_idx=0
    )
    Individual.objects.create(
        generation=row,
        idx=0,
        formula="mean",
        fingerprint="0" * 64,
        depth=1,
        size=1,
        origin=Origin.ELITE,
        fitness=float(number),
    )
    began = ago(seconds=1000 - number)
    state = GenerationState.EVALUATING if seconds is None else GenerationState.BRED
    ended = None if seconds is None else began + timedelta(seconds=seconds)
    Generation.objects.filter(pk=row.pk).update(created_at=began, completed_at=ended, state=state)


@pytest.mark.django_db
def test_time_left_is_the_pace_of_the_last_generations_times_what_is_left() -> None:
    run = make_run(generations=20, current=9, config=TINY.to_document(), heartbeat_at=ago())
    for number in range(1, 9):
        add_generation(run, number, seconds=500.0 if number < 4 else 10.0)
    add_generation(run, 9, seconds=None, done=5)
    detail = run_detail(pk=run.pk)
    (line,) = runs_list(list(runs_page()))
    assert detail is not None
    for progress in (detail.progress, line.progress):
        assert progress.share == pytest.approx(8.5 / 20)
        assert progress.seconds_left == pytest.approx(10.0 * 11.5)
        assert (progress.generation, progress.slices_done, progress.slices_total) == (9, 5, 10)
        assert not progress.is_unattended
    assert line.best_text == "8"


@pytest.mark.django_db
def test_time_left_of_the_first_generation_comes_from_its_share() -> None:
    started = ago(seconds=30)
    run = make_run(generations=4, current=1, config=TINY.to_document(), started_at=started, heartbeat_at=ago())
    add_generation(run, 1, seconds=None, done=5)
    (line,) = runs_list(list(runs_page()))
    assert line.progress.seconds_left == pytest.approx(30 / 0.5 * 3.5, rel=0.2)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("minutes", "columns", "unattended"),
    [
        (5, {}, True),
        (0, {}, False),
        (5, {"state": RunState.PAUSED, "wanted": Wanted.PAUSE}, False),
        (5, {"state": RunState.FINISHED}, False),
    ],
)
def test_run_that_should_go_on_and_does_not_is_told(
    minutes: float, columns: dict[str, object], unattended: bool
) -> None:
    make_run(config=TINY.to_document(), heartbeat_at=ago(minutes=minutes), **columns)
    (line,) = runs_list(list(runs_page()))
    assert line.progress.is_unattended is unattended


@pytest.mark.django_db
def test_run_that_was_asked_to_go_on_a_moment_ago_waits_as_a_new_one_does() -> None:
    make_run(config=TINY.to_document(), heartbeat_at=ago(minutes=90), wanted_at=ago())
    (line,) = runs_list(list(runs_page()))
    assert not line.progress.is_unattended


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.2, "under a second"),
        (1.2, "1 second"),
        (65, "65 seconds"),
        (170, "3 minutes"),
        (5400, "2 hours"),
        (200_000, "2 days"),
    ],
)
def test_duration_is_said_as_people_say_it(seconds: float | None, words: str) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize("population", [4, 5, 7, 8, 9, 16, 100, 1000])
@pytest.mark.parametrize("iterations", [1, 250, 100_000])
def test_slices_cover_the_population_once(population: int, iterations: int) -> None:
    config = replace(TINY, population=population, iterations=iterations, games=50)
    first = first_population(TINY)
    whole = replace(first, game_seeds=tuple(range(50)), individuals=first.individuals[:1] * population)
    plan = plan_slices(config, whole)
    ranges = [range(one.first_idx, one.last_idx + 1) for one in plan if one.first_idx is not None]
    assert [place for part in ranges for place in part] == list(range(population))
    assert len(plan) == len(ranges) + 1, "and the reference agents have a slice of their own"
    assert len(ranges) >= min(4, population)


def test_outcomes_of_games_come_back_bit_for_bit() -> None:
    outcomes = (0.1, -0.0, 1e308, 5e-324, -2840.0)
    assert [value.hex() for value in unpack_games(pack_games(outcomes))] == [value.hex() for value in outcomes]


def test_diversity_is_the_share_of_shapes_that_differ_in_more_than_constants() -> None:
    assert diversity(["add(wins, 1.5)", "add(wins, 2.25)", "mul(wins, 3.0)", "sqrt(visits)"]) == 0.75
    assert diversity(["mul(1e-05, wins)", "mul(7.0, wins)"]) == 0.5
    assert diversity([]) == 0.0
