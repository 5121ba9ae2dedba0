"""Runs computed piece by piece: the same result as without the site, whoever does which piece how often."""

import dataclasses
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.db.models.functions import Now

from personas.evolution import Fitness
from playtest.evolution.models import (
    EvaluationSlice,
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    LogKind,
    Priority,
    RunState,
    Subject,
    Wanted,
)
from playtest.evolution.services import run_cancel, run_pause, run_resume, work_once
from playtest.evolution.services.breeding import generation_store, run_advance
from playtest.evolution.services.slices import ClaimedSlice, slice_claim, slice_compute, slice_store
from playtest.evolution.services.work import runs_in_turn, slice_work
from playtest.leases import LeaseState
from tests.playtest.evolution.running import (
    TINY,
    expected_population,
    start,
    stored_population,
    undisturbed,
    work_all,
)
from tests.playtest.racing import race


def claim_next(run: EvolutionRun, worker: str = "worker") -> ClaimedSlice:
    run.refresh_from_db()
    claimed = slice_claim(run=run, worker=worker)
    assert claimed is not None
    return claimed


def let_leases_run_out() -> None:
    held = EvaluationSlice.objects.filter(state=LeaseState.LEASED)
    held.update(lease_until=Now() - timedelta(seconds=1))


@pytest.mark.django_db(transaction=True)
def test_run_worked_on_piece_by_piece_ends_like_an_undisturbed_one() -> None:
    run = start()
    work_all()
    run.refresh_from_db()
    assert (run.state, run.current) == (RunState.FINISHED, TINY.generations)
    assert stored_population(run) == expected_population()
    for row, report in zip(run.generation_rows.order_by("number"), undisturbed(), strict=True):
        figures = report.to_json()
        assert (row.fit_min, row.fit_median, row.fit_max) == (figures["min"], figures["median"], figures["max"])
        assert (row.vanilla, row.random) == (figures["vanilla"], figures["random"])
        assert row.goal == figures["goal"]
        assert row.state == GenerationState.BRED
        assert row.individuals.get(idx=row.best_idx).formula == figures["best"]
        assert row.diversity is not None
        assert 0 < row.diversity <= 1
    assert list(run.log.order_by("id").values_list("kind", flat=True)) == [
        LogKind.CREATED,
        LogKind.STARTED,
        LogKind.FINISHED,
    ]


@pytest.mark.django_db(transaction=True)
def test_run_shared_by_three_workers_ends_like_an_undisturbed_one() -> None:
    run = start()
    race([partial(work_until_over, run.pk, f"worker {n}") for n in range(3)])
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert stored_population(run) == expected_population()
    assert not EvaluationSlice.objects.exclude(state=LeaseState.DONE).exists()


def work_until_over(run_id: int, worker: str) -> None:
    while not EvolutionRun.objects.get(pk=run_id).is_over:
        work_once(worker=worker)


@pytest.mark.django_db(transaction=True)
def test_slice_computed_twice_gives_the_same_and_counts_once() -> None:
    run = start()
    work_once(worker="w")
    first = claim_next(run, "first")
    results = slice_compute(claimed=first)
    let_leases_run_out()
    second = claim_next(run, "second")
    assert second.row.pk == first.row.pk
    again = slice_compute(claimed=second)
    assert results is not None
    assert again == results
    assert slice_store(claimed=first, results=results, seconds=1.0).counted
    assert not slice_store(claimed=second, results=again, seconds=1.0).counted
    assert Generation.objects.get(run=run).slices_done == 1
    assert not run.log.filter(kind=LogKind.DIFFERS).exists()


@pytest.mark.django_db(transaction=True)
def test_slice_whose_second_result_differs_is_reported_and_the_first_stands() -> None:
    run = start()
    work_once(worker="w")
    first = claim_next(run)
    while first.row.subject != Subject.POPULATION:
        slice_work(claimed=first)
        first = claim_next(run)
    results = slice_compute(claimed=first)
    assert results is not None
    wrong = [Fitness(1.0, None, (1.0,) * TINY.games) for _ in results]
    assert slice_store(claimed=first, results=results, seconds=1.0).counted
    assert not slice_store(claimed=first, results=wrong, seconds=1.0).counted
    assert run.log.filter(kind=LogKind.DIFFERS).count() == 1
    stored = Individual.objects.get(generation__run=run, idx=first.row.first_idx)
    assert stored.fitness == results[0].value


@pytest.mark.django_db(transaction=True)
def test_results_stored_at_the_same_moment_are_counted_and_one_worker_completes() -> None:
    run = start()
    work_once(worker="w")
    claimed = []
    for _ in range(Generation.objects.get(run=run).slices_total):
        piece = claim_next(run)
        claimed.append((piece, slice_compute(claimed=piece)))
    stored = race([partial(slice_store, claimed=piece, results=results, seconds=1.0) for piece, results in claimed])
    assert all(one.counted for one in stored)
    assert [one.completed for one in stored].count(True) == 1
    generation = Generation.objects.get(run=run)
    assert (generation.slices_done, generation.state) == (generation.slices_total, GenerationState.COMPLETE)
    assert generation.fit_max == undisturbed()[0].to_json()["max"]


@pytest.mark.django_db(transaction=True)
def test_breeders_at_the_same_moment_store_one_generation() -> None:
    run = start()
    outcomes = race([partial(run_advance, run_id=run.pk)] * 4)
    assert outcomes.count(True) == 1
    run.refresh_from_db()
    assert (run.current, run.state) == (1, RunState.RUNNING)
    assert Individual.objects.filter(generation__run=run).count() == TINY.population


@pytest.mark.django_db(transaction=True)
def test_breeder_that_read_an_older_state_stores_nothing() -> None:
    run = start()
    stale = EvolutionRun.objects.get(pk=run.pk)
    work_once(worker="w")
    population = undisturbed()[0].generation
    assert not generation_store(run=stale, population=population)
    assert Generation.objects.filter(run=run).count() == 1


@pytest.mark.django_db(transaction=True)
def test_cancelled_run_takes_no_result_and_no_generation() -> None:
    run = start()
    work_once(worker="w")
    piece = claim_next(run)
    results = slice_compute(claimed=piece)
    assert results is not None
    run_cancel(run=run)
    assert not slice_store(claimed=piece, results=results, seconds=1.0).counted
    assert Generation.objects.get(run=run).slices_done == 0
    assert not work_once(worker="w")
    piece.row.refresh_from_db()
    assert piece.row.state == LeaseState.WAITING


@pytest.mark.django_db(transaction=True)
def test_cancel_reaches_a_worker_within_seconds_while_it_computes() -> None:
    long = dataclasses.replace(TINY, games=1000, iterations=3000, moves=20)
    run = start(long)
    work_once(worker="w")
    piece = claim_next(run)
    cancel = partial(cancel_soon, run)
    results, _ = race([partial(slice_compute, claimed=piece), cancel])
    assert results is None
    piece.row.refresh_from_db()
    assert piece.row.state == LeaseState.WAITING


def cancel_soon(run: EvolutionRun) -> None:
    run_cancel(run=run)


@pytest.mark.django_db(transaction=True)
def test_paused_run_keeps_results_on_their_way_and_goes_on_to_the_same_end() -> None:
    run = start()
    work_once(worker="w")
    piece = claim_next(run)
    results = slice_compute(claimed=piece)
    assert results is not None
    run_pause(run=run)
    run.refresh_from_db()
    assert run.is_stopping
    assert slice_store(claimed=piece, results=results, seconds=1.0).counted
    assert not work_once(worker="w")
    run_resume(run=run)
    work_all()
    run.refresh_from_db()
    assert (run.state, run.wanted) == (RunState.FINISHED, Wanted.RUN)
    assert stored_population(run) == expected_population()


@pytest.mark.django_db(transaction=True)
def test_run_paused_when_its_last_slice_came_in_breeds_after_resuming() -> None:
    run = start()
    work_once(worker="w")
    while Generation.objects.get(run=run, number=1).state == GenerationState.EVALUATING:
        piece = claim_next(run)
        results = slice_compute(claimed=piece)
        assert results is not None
        slice_store(claimed=piece, results=results, seconds=1.0)
    run_pause(run=run)
    assert not run_advance(run_id=run.pk)
    run_resume(run=run)
    work_all()
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert stored_population(run) == expected_population()


@pytest.mark.django_db(transaction=True)
def test_slice_of_other_code_is_neither_claimed_nor_stored() -> None:
    run = start()
    work_once(worker="w")
    piece = claim_next(run)
    results = slice_compute(claimed=piece)
    assert results is not None
    EvolutionRun.objects.filter(pk=run.pk).update(engine_digest="f" * 64)
    assert not slice_store(claimed=piece, results=results, seconds=1.0).counted
    assert run.log.filter(kind=LogKind.REFUSED).count() == 1
    assert not work_once(worker="w")


@pytest.mark.django_db(transaction=True)
def test_runs_of_equal_priority_take_turns_and_a_higher_one_goes_first() -> None:
    one, two = start(), start(dataclasses.replace(TINY, seed=12))
    served = []
    for _ in range(8):
        served.append(runs_in_turn()[0].pk)
        assert work_once(worker="w")
    assert {served.count(one.pk), served.count(two.pk)} == {4}
    urgent = start(dataclasses.replace(TINY, seed=13))
    EvolutionRun.objects.filter(pk=urgent.pk).update(priority=Priority.HIGH)
    for _ in range(3):
        assert runs_in_turn()[0].pk == urgent.pk
        work_once(worker="w")
    work_all()
    assert not EvolutionRun.objects.exclude(state=RunState.FINISHED).exists()


@pytest.mark.django_db(transaction=True)
def test_slice_is_computed_outside_any_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start()
    seen = []

    def look(*args: object, **kwargs: object) -> list[Fitness]:
        seen.append(connection.in_atomic_block)
        raise RuntimeError("no games today")

    work_once(worker="w")
    monkeypatch.setattr("playtest.evolution.services.slices.evaluate", look)
    monkeypatch.setattr("playtest.evolution.services.slices.evaluate_references", look)
    piece = claim_next(run)
    with pytest.raises(RuntimeError, match="no games today"):
        slice_compute(claimed=piece)
    assert seen == [False]
    piece.row.refresh_from_db()
    assert (piece.row.state, piece.row.error) == (LeaseState.WAITING, "RuntimeError: no games today")
