"""What people do with runs, and what the reconciler does when processes died."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from playtest.accounts.models import AuditLog
from playtest.evolution.models import EvaluationSlice, EvolutionRun, Generation, LogKind, RunState, Wanted
from playtest.evolution.services import (
    RunError,
    run_cancel,
    run_create,
    run_pause,
    run_resume,
    runs_reconcile,
    work_once,
)
from playtest.evolution.services.runs import SETTLE_SECONDS, run_settle
from playtest.evolution.services.slices import WATCH_SECONDS, slice_claim, slice_compute, slice_store
from playtest.leases import MAX_ATTEMPTS, LeaseState, lease_give_up
from playtest.management.commands.reconcile import Command as Reconcile
from tests.playtest.evolution.rows import make_owner
from tests.playtest.evolution.running import TINY, expected_population, start, stored_population, work_all

pytestmark = pytest.mark.django_db(transaction=True)


def announced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages were sent, call by call, instead of sending them."""
    sent: list[int] = []
    monkeypatch.setattr("playtest.evolution.dispatch._send", sent.append)
    monkeypatch.setattr("playtest.evolution.services.reconcile.messages_waiting", lambda: 0)
    return sent


def let_leases_run_out() -> None:
    EvaluationSlice.objects.filter(state=LeaseState.LEASED).update(lease_until=Now() - timedelta(seconds=1))


def test_run_create_stores_the_configuration_and_wakes_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = announced(monkeypatch)
    owner = make_owner()
    run = run_create(owner=owner, config=TINY)
    run.refresh_from_db()
    assert (run.state, run.wanted, run.current, run.epoch) == (RunState.QUEUED, Wanted.RUN, 0, 1)
    assert run.config == TINY.to_document()
    assert run.hash == TINY.content_hash()
    assert len(sent) == 1
    assert AuditLog.objects.get(action="run.create").object_id == run.pk
    assert not Generation.objects.exists(), "the first generation is drawn by a worker, not by the page"


def test_run_create_refuses_a_run_that_would_take_years() -> None:
    config = dataclasses.replace(TINY, population=1000, generations=1000, games=1000, iterations=100_000)
    with pytest.raises(RunError, match="Choose smaller numbers"):
        run_create(owner=make_owner(), config=config)
    assert not EvolutionRun.objects.exists()


def test_run_nobody_works_on_is_paused_resumed_and_cancelled_at_once() -> None:
    run = start()
    work_once(worker="w")
    run_pause(run=run)
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    with pytest.raises(RunError):
        run_pause(run=run)
    run_resume(run=run)
    run.refresh_from_db()
    assert (run.state, run.wanted) == (RunState.RUNNING, Wanted.RUN)
    with pytest.raises(RunError):
        run_resume(run=run)
    epoch = run.epoch
    run_cancel(run=run)
    run.refresh_from_db()
    assert (run.state, run.epoch) == (RunState.CANCELLED, epoch + 1)
    assert run.ended_at is not None
    with pytest.raises(RunError):
        run_cancel(run=run)
    with pytest.raises(RunError):
        run_resume(run=run)


def test_run_cancelled_while_paused_ends() -> None:
    run = start()
    run_pause(run=run)
    run_cancel(run=run)
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED


def test_run_held_by_a_worker_ends_when_the_worker_lets_go_and_seconds_later_without_it() -> None:
    run = start()
    work_once(worker="w")
    run.refresh_from_db()
    assert slice_claim(run=run, worker="dead") is not None
    run_cancel(run=run)
    run.refresh_from_db()
    assert run.is_stopping
    assert not run_settle(run_id=run.pk)
    EvolutionRun.objects.filter(pk=run.pk).update(wanted_at=Now() - timedelta(seconds=9))
    assert runs_reconcile() == 1
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED


@pytest.mark.parametrize(("ago", "state"), [(3.0, RunState.RUNNING), (4.5, RunState.CANCELLED)])
def test_run_held_by_a_dead_worker_ends_within_ten_seconds(ago: float, state: RunState) -> None:
    every = Reconcile().create_parser("manage.py", "reconcile").get_default("every")
    assert 3 * WATCH_SECONDS < SETTLE_SECONDS < 10 - every, "time to hear of it, and a round of the reconciler"
    run = start()
    work_once(worker="w")
    run.refresh_from_db()
    assert slice_claim(run=run, worker="dead") is not None
    run_cancel(run=run)
    EvolutionRun.objects.filter(pk=run.pk).update(wanted_at=Now() - timedelta(seconds=ago))
    runs_reconcile()
    run.refresh_from_db()
    assert run.state == state


def test_result_of_a_worker_that_hears_late_of_the_pause_counts_once() -> None:
    run = start()
    work_once(worker="w")
    run.refresh_from_db()
    claimed = slice_claim(run=run, worker="slow")
    assert claimed is not None
    results = slice_compute(claimed=claimed)
    assert results is not None
    run_pause(run=run)
    EvolutionRun.objects.filter(pk=run.pk).update(wanted_at=Now() - timedelta(seconds=SETTLE_SECONDS + 1))
    runs_reconcile()
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    assert slice_store(claimed=claimed, results=results, seconds=1.0).counted
    assert not slice_store(claimed=claimed, results=results, seconds=1.0).counted
    run_resume(run=run)
    work_all()
    first = Generation.objects.get(run=run, number=1)
    assert first.slices_done == first.slices_total
    assert stored_population(run) == expected_population()


def test_revision_rises_with_whatever_the_page_shows() -> None:
    run = start()
    revs = [run.rev]

    def note() -> None:
        run.refresh_from_db()
        revs.append(run.rev)

    work_once(worker="w")
    note()
    work_once(worker="w")
    note()
    run_pause(run=run)
    note()
    run_resume(run=run)
    note()
    run_cancel(run=run)
    note()
    assert revs == sorted(set(revs))


def test_reconcile_gives_the_slices_of_a_killed_worker_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = announced(monkeypatch)
    run = start()
    work_once(worker="w")
    run.refresh_from_db()
    claimed = slice_claim(run=run, worker="killed")
    assert claimed is not None
    let_leases_run_out()
    sent.clear()
    assert runs_reconcile() > 1
    claimed.row.refresh_from_db()
    assert claimed.row.state == LeaseState.WAITING
    assert "killed did not answer" in run.log.get(kind=LogKind.RELEASED).text
    assert len(sent) == 1
    work_all()
    assert stored_population(run) == expected_population()


def test_reconcile_wakes_workers_for_a_generation_that_nobody_bred(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = announced(monkeypatch)
    run = start()
    work_once(worker="w")
    run.refresh_from_db()
    while (piece := slice_claim(run=run, worker="killed before breeding")) is not None:
        results = slice_compute(claimed=piece)
        assert results is not None
        slice_store(claimed=piece, results=results, seconds=1.0)
    sent.clear()
    assert not work_once(worker="w"), "its breeder may still be at it"
    Generation.objects.filter(run=run).update(completed_at=Now() - timedelta(seconds=30))
    assert runs_reconcile() == 1
    assert sent == [1]
    work_all()
    assert stored_population(run) == expected_population()


def test_reconcile_is_silent_while_messages_wait_or_there_is_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = announced(monkeypatch)
    assert runs_reconcile() == 0
    start()
    sent.clear()
    monkeypatch.setattr("playtest.evolution.services.reconcile.messages_waiting", lambda: 3)
    assert runs_reconcile() == 0
    monkeypatch.setattr("playtest.evolution.services.reconcile.messages_waiting", lambda: None)
    assert runs_reconcile() == 0
    assert sent == []


def test_reconcile_fails_a_run_whose_slice_kills_every_worker() -> None:
    run = start()
    work_once(worker="w")
    for attempt in range(MAX_ATTEMPTS):
        run.refresh_from_db()
        claimed = slice_claim(run=run, worker=f"victim {attempt}")
        assert claimed is not None
        assert claimed.row.number == 0
        let_leases_run_out()
    assert runs_reconcile() >= 1
    run.refresh_from_db()
    assert run.state == RunState.FAILED
    assert "after 8 attempts" in run.error
    assert not work_once(worker="w")


def test_reconcile_fails_a_run_whose_last_lease_runs_out_while_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start()
    work_once(worker="w")
    run.refresh_from_db()
    claimed = slice_claim(run=run, worker="victim")
    assert claimed is not None
    EvaluationSlice.objects.filter(pk=claimed.row.pk).update(attempts=MAX_ATTEMPTS)

    def give_up_and_run_out(*args: Any, **kwargs: Any) -> int:
        given_up = lease_give_up(*args, **kwargs)
        let_leases_run_out()
        return given_up

    with monkeypatch.context() as patch:
        patch.setattr("playtest.evolution.services.reconcile.lease_give_up", give_up_and_run_out)
        runs_reconcile()
    runs_reconcile()
    run.refresh_from_db()
    assert run.state == RunState.FAILED


def test_reconcile_pauses_a_run_of_other_code_once_nobody_works_on_it() -> None:
    run = start()
    work_once(worker="w")
    EvolutionRun.objects.filter(pk=run.pk).update(engine_digest="f" * 64)
    assert runs_reconcile() == 0, "workers of the other code may still be there"
    EvolutionRun.objects.filter(pk=run.pk).update(heartbeat_at=Now() - timedelta(minutes=5))
    assert runs_reconcile() == 1
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    assert "The program has changed" in run.error
    with pytest.raises(RunError, match="The program has changed"):
        run_resume(run=run)
