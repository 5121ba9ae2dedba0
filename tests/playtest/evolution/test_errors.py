"""Errors of one run: they are its own, told in its words, and keep nobody else waiting."""

import dataclasses
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from personas.evolution import Generation as Population
from personas.evolution import RunConfig
from playtest.evolution.models import EvaluationSlice, EvolutionRun, Generation, LogKind, RunState
from playtest.evolution.services import work_once
from playtest.leases import MAX_ATTEMPTS, LeaseState
from tests.playtest.evolution.running import TINY, expected_population, start, stored_population, work_all

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = dataclasses.replace(TINY, seed=12)
BREEDING = "playtest.evolution.services.breeding"


def break_for(monkeypatch: pytest.MonkeyPatch, name: str, config: RunConfig, error: Exception, times: int = 99) -> None:
    """Let a step of breeding raise for the runs of a configuration, so many times."""
    step: Any = getattr(__import__(BREEDING, fromlist=[name]), name)
    left = [times]

    def broken(asked: RunConfig, *rest: Any) -> Population:
        if asked == config and left[0]:
            left[0] -= 1
            raise error
        made: Population = step(asked, *rest)
        return made

    monkeypatch.setattr(f"{BREEDING}.{name}", broken)


def wait_for_breeders() -> None:
    Generation.objects.update(completed_at=Now() - timedelta(seconds=30))


def test_run_that_cannot_draw_its_first_generation_fails_in_words_while_others_go_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, healthy = start(OTHER), start()
    break_for(monkeypatch, "first_population", OTHER, RuntimeError("no dice today"))
    with caplog.at_level(logging.ERROR):
        work_all()
    for run in (broken, healthy):
        run.refresh_from_db()
    assert healthy.state == RunState.FINISHED
    assert stored_population(healthy) == expected_population()
    assert (broken.state, broken.attempts) == (RunState.FAILED, MAX_ATTEMPTS)
    assert broken.error == "Generation 1 could not be made after 8 attempts: RuntimeError: no dice today"
    assert broken.log.get(kind=LogKind.FAILED).text == broken.error
    logged = [record for record in caplog.records if record.exc_info]
    assert len(logged) == MAX_ATTEMPTS
    assert f"Run {broken.pk} could not go on" in logged[0].getMessage()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("next_generation", "Generation 2 could not be made after 8 attempts: KeyError: 'parent'"),
        ("final_generation", "What follows the last generation could not be made after 8 attempts: KeyError: 'parent'"),
    ],
)
def test_run_that_cannot_breed_fails_in_words(monkeypatch: pytest.MonkeyPatch, step: str, words: str) -> None:
    run = start()
    break_for(monkeypatch, step, TINY, KeyError("parent"))
    while not EvolutionRun.objects.get(pk=run.pk).is_over:
        wait_for_breeders()
        work_once(worker="w")
    run.refresh_from_db()
    assert (run.state, run.error) == (RunState.FAILED, words)


def test_breeding_that_fails_now_and_then_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start()
    break_for(monkeypatch, "next_generation", TINY, MemoryError(), times=MAX_ATTEMPTS - 1)
    for _ in range(200):
        wait_for_breeders()
        work_once(worker="w")
    run.refresh_from_db()
    assert (run.state, run.attempts) == (RunState.FINISHED, 0)
    assert stored_population(run) == expected_population()


def test_database_that_is_away_is_no_attempt_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start()
    break_for(monkeypatch, "first_population", TINY, OperationalError("the connection is gone"))
    with pytest.raises(OperationalError):
        work_once(worker="w")
    run.refresh_from_db()
    assert (run.state, run.attempts) == (RunState.QUEUED, 0)


@pytest.mark.parametrize("name", ["read_population", "results_hash", "run_touch"])
def test_slice_that_goes_wrong_waits_for_another_attempt_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    run = start()
    work_once(worker="w")
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(f"playtest.evolution.services.slices.{name}", refuse)
        assert work_once(worker="w")
    row = EvaluationSlice.objects.get(generation__run=run, number=0)
    assert (row.state, row.attempts, row.error) == (LeaseState.WAITING, 1, "ValueError: not today")
    assert f"Slice 0 of run {run.pk} went wrong" in caplog.text
    work_all()
    assert stored_population(run) == expected_population()


def refuse(*args: Any, **kwargs: Any) -> None:
    raise ValueError("not today")
