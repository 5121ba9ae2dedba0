"""What a run's page and the list say of it: waiting, time left, and the best formulas."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from personas.evolution import RunConfig
from playtest.accounts.models import User
from playtest.evolution.models import (
    EvaluationSlice,
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    Objective,
    Origin,
    Persona,
    Preset,
    RunState,
)
from playtest.evolution.selectors.runs import run_detail, runs_list, runs_page
from playtest.leases import LeaseState
from tests.playtest.evolution.rows import make_run
from tests.playtest.evolution.running import TINY
from tests.playtest.evolution.test_pages import make_played_run

pytestmark = pytest.mark.django_db

FORMULAS = ("mean", "add(mean, gain)", "sqrt(visits)", "add(wins, 2.0)", "div(wins, visits)", "log(parent_visits)")
LAST = RunConfig(persona="maxs", seed=1, population=40, generations=5, games=20, final_games=2000)


def add_formulas(run: EvolutionRun, *, formulas: tuple[str, ...] = FORMULAS, best: int = 1) -> Generation:
    """More individuals in the last generation, each better than the one before; the one at `best` stands best."""
    row = run.generation_rows.get(number=run.current)
    row.individuals.all().delete()
    for idx, formula in enumerate(formulas):
        Individual.objects.create(
            generation=row,
            idx=idx,
            formula=formula,
            fingerprint=f"{idx:064x}",
            depth=2,
            size=4,
            origin=Origin.MUTATION,
            fitness=1000.0 + 100 * idx,
        )
    row.best_idx, row.fit_max = best, 1000.0 + 100 * (len(formulas) - 1)
    row.save()
    return row


def test_open_page_of_a_run_comes_to_say_that_it_waits_for_a_worker(designer_client: Client, admin: User) -> None:
    run = make_run(admin, config=TINY.to_document(), state=RunState.QUEUED)
    url = reverse("evolution:live", args=[run.pk])
    assert designer_client.get(url, {"rev": run.rev}).status_code == 304
    EvolutionRun.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=10))
    part = designer_client.get(url, {"rev": run.rev})
    assert part.status_code == 200
    text = part.content.decode()
    assert "Waiting for a worker" in text
    found = re.search(r'data-live-rev="([^"]+)"', text)
    assert found is not None
    assert designer_client.get(url, {"rev": found[1]}).status_code == 304
    # A worker takes a slice: nothing is stored yet, but somebody is at it.
    EvolutionRun.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now())
    again = designer_client.get(url, {"rev": found[1]})
    assert again.status_code == 200
    assert "Waiting for a worker" not in again.content.decode()


def test_open_page_of_a_run_comes_to_say_how_many_workers_are_at_it(designer_client: Client, admin: User) -> None:
    run = make_run(admin, config=TINY.to_document(), current=1, heartbeat_at=timezone.now())
    row = Generation.objects.create(run=run, number=1, goal=0.0, game_seeds=[1], slices_total=1)
    url = reverse("evolution:live", args=[run.pk])
    assert designer_client.get(url, {"rev": run.rev}).status_code == 304
    EvaluationSlice.objects.create(
        generation=row,
        number=0,
        first_idx=0,
        last_idx=0,
        state=LeaseState.LEASED,
        lease_until=timezone.now() + timedelta(minutes=1),
        worker="somebody",
    )
    part = designer_client.get(url, {"rev": run.rev})
    assert part.status_code == 200
    assert "1 in work" in part.content.decode()


def test_open_list_of_runs_comes_to_say_that_one_waits_for_a_worker(designer_client: Client, admin: User) -> None:
    run = make_run(admin, config=TINY.to_document(), state=RunState.QUEUED)
    url = reverse("evolution:list_live")
    found = re.search(r'data-live-rev="([^"]+)"', designer_client.get(url).content.decode())
    assert found is not None
    assert designer_client.get(url, {"rev": found[1]}).status_code == 304
    EvolutionRun.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=10))
    part = designer_client.get(url, {"rev": found[1]})
    assert part.status_code == 200
    assert "Waiting for a worker" in part.content.decode()


def run_before_its_finalists(owner: User, config: RunConfig, *, done: int = 0) -> EvolutionRun:
    """All generations took 10 seconds each; the finalists have played `done` of ten parts."""
    run = make_run(
        owner,
        config=config.to_document(),
        preset=Preset.STANDARD,
        generations=config.generations,
        current=config.generations + 1,
        heartbeat_at=timezone.now(),
    )
    for number in range(1, config.generations + 2):
        is_final = number > config.generations
        row = Generation.objects.create(
            run=run, number=number, goal=1.0, game_seeds=[1], slices_total=10, slices_done=done if is_final else 10
        )
        began = timezone.now() - timedelta(seconds=1000 - number)
        Generation.objects.filter(pk=row.pk).update(
            created_at=began,
            completed_at=None if is_final else began + timedelta(seconds=10),
            state=GenerationState.EVALUATING if is_final else GenerationState.BRED,
        )
    return run


def test_finalists_count_by_the_games_that_they_play(admin: User) -> None:
    run = run_before_its_finalists(admin, LAST)
    detail = run_detail(pk=run.pk)
    assert detail is not None
    # 5 x 40 x 20 games of the generations are played, 20 x 2,000 of the finalists are not: 50 generations' worth.
    assert detail.progress.share == pytest.approx(4_000 / 44_000)
    assert detail.progress.seconds_left == pytest.approx(500.0)
    Generation.objects.filter(run=run, number=6).update(slices_done=5)
    (line,) = runs_list(list(runs_page()))
    assert line.progress.share == pytest.approx(24_000 / 44_000)
    assert line.progress.seconds_left == pytest.approx(250.0)


def test_time_that_the_finalists_need_is_by_games_that_were_played_where_the_hopeless_stop(admin: User) -> None:
    config = RunConfig(persona="maxs", seed=1, population=40, generations=5, games=20, final_games=2000, racing=5)
    run = run_before_its_finalists(admin, config)
    for row in run.generation_rows.filter(number__lte=5):
        for idx in range(40):
            Individual.objects.create(
                generation=row,
                idx=idx,
                formula="mean",
                fingerprint=f"{idx:064x}",
                depth=1,
                size=1,
                origin=Origin.RANDOM,
                games_done=20 if idx < 20 else 0,
                partial=idx >= 20,
            )
    detail = run_detail(pk=run.pk)
    assert detail is not None
    # 400 games took 10 seconds, and nobody among the finalists stops.
    assert detail.progress.seconds_left == pytest.approx(1000.0)
    assert runs_list(list(runs_page()))[0].progress.seconds_left == pytest.approx(1000.0)


def test_time_left_before_a_generation_is_complete_counts_the_finalists_games(admin: User) -> None:
    run = make_run(
        admin,
        config=LAST.to_document(),
        preset=Preset.STANDARD,
        generations=5,
        current=1,
        started_at=timezone.now() - timedelta(seconds=5),
        heartbeat_at=timezone.now(),
    )
    Generation.objects.create(run=run, number=1, goal=1.0, game_seeds=[1], slices_total=10, slices_done=5)
    (line,) = runs_list(list(runs_page()))
    assert line.progress.seconds_left == pytest.approx(5 / 400 * 43_600, rel=0.1)


def test_best_formula_stands_beside_its_own_outcome(designer_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MAXS)
    add_formulas(run)
    page = designer_client.get(reverse("evolution:detail", args=[run.pk]))
    detail = page.context["detail"]
    assert (detail.best.formula.text, detail.best.outcome_text) == ("add(mean, gain)", "1,100 points")
    (line,) = runs_list(list(runs_page()))
    assert line.best_text == "1,100", "the list names the same one"


def test_page_shows_the_few_best_formulas_each_with_its_outcome(designer_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MAXS)
    row = add_formulas(run)
    row.individuals.filter(idx=4).update(partial=True)
    page = designer_client.get(reverse("evolution:detail", args=[run.pk]))
    detail = page.context["detail"]
    shown = [(one.rank, one.individual.idx, one.outcome_text) for one in detail.others]
    # The one that stands best comes first, above; then by outcome, without who stopped early.
    assert shown == [(2, 5, "1,500 points"), (3, 3, "1,300 points"), (4, 2, "1,200 points"), (5, 0, "1,000 points")]
    text = page.content.decode()
    assert "Other good formulas" in text
    assert "1,300 points" in text
    assert "Keep this one" not in text, "that is the admin's to do"


def test_page_of_a_run_with_one_formula_promises_no_others(admin_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MAXS)
    assert "Other good formulas" not in admin_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()


def test_admin_keeps_any_of_the_best_formulas(admin_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MAXS)
    add_formulas(run)
    page = reverse("evolution:detail", args=[run.pk])
    assert admin_client.get(page).content.decode().count("Keep this one") == 4
    keep = reverse("evolution:keep", args=[run.pk])
    response = admin_client.post(keep, {"name": "Third", "idx": "4"}, follow=True)
    assert "“Third” is in the library." in response.content.decode()
    version = Persona.objects.get().versions.get()
    assert (version.run, version.generation, version.idx) == (run, 2, 4)
    text = admin_client.get(page).content.decode()
    assert text.count("Keep this one") == 3
    assert "Third" in text
    assert "Keep as persona" in text, "the best one is still to be kept"


@pytest.mark.parametrize("idx", ["77", "x", "-1", "9" * 30, "٣"])
def test_formula_that_is_not_there_is_not_kept(admin_client: Client, admin: User, idx: str) -> None:
    run = make_played_run(admin, objective=Objective.MAXS)
    response = admin_client.post(reverse("evolution:keep", args=[run.pk]), {"name": "A", "idx": idx}, follow=True)
    assert "This formula is not one of the last generation." in response.content.decode()
    assert not Persona.objects.exists()


def test_running_run_shows_its_good_formulas_and_nothing_to_keep(admin_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MAXS, state=RunState.RUNNING)
    add_formulas(run)
    text = admin_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()
    assert "Other good formulas" in text
    assert "Keep this one" not in text
