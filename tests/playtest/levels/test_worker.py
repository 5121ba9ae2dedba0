"""A real Celery worker on a real broker: it plays what is asked, and its sudden death costs at most one block."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from engine.level import draw_level
from engine.round import Round
from personas.agent import load_agent
from personas.report import playtest
from playtest.embedded.children import Child
from playtest.embedded.orphans import SUPERVISED
from playtest.leases import LeaseState
from playtest.levels.models import ParSearch, PlaytestReport, ReportState, Restart, SearchState, TraceBlock
from playtest.levels.par import par_of
from playtest.levels.services import playtest_request, search_request
from playtest.levels.traces import decode_block
from tests.playtest.levels.playing import (
    figures_of,
    figures_without_the_site,
    fresh,
    let_leases_run_out,
    make_specs,
    make_version,
)
from tests.site import ROOT, wait_until

GAMES, SEED, ITERATIONS = 100, 21, 1_500
"""Four blocks for the searching agent, each a second or so: there is time to kill somebody in the middle of one."""


SLOW_MACHINE = 600.0
"""Seconds after which a worker that has to compile first, beside other tests, must be done."""


def environment(broker_url: str) -> dict[str, str]:
    """That of a process of the product which works on this test's database."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        database = f"sqlite:///{name}"
    else:
        one = connection.settings_dict
        database = f"postgres://{one['USER']}:{one['PASSWORD']}@{one['HOST']}:{one['PORT']}/{name}"
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "playtest.settings",
        "DATABASE_URL": database,
        "REDIS_URL": broker_url,
        "TESSERA_VAR": str(settings.VAR),
        SUPERVISED: "1",
    }


@contextmanager
def running(command: list[str], broker_url: str, log: Path) -> Iterator[Child]:
    """A process of the product, as `up` starts it: it can be killed with its group, and dies with the test."""
    child = Child(command[-1], [sys.executable, *command], environment(broker_url), ROOT, log)
    child.start()
    try:
        yield child
    finally:
        kill(child)


WORKER = ["-m", "celery", "-A", "playtest.celery", "worker", "--queues", "playtests", "--concurrency", "1"]
RECONCILER = ["manage.py", "reconcile", "--every", "1"]


def kill(child: Child) -> None:
    child.signal_group(signal.SIGKILL)
    child.end(deadline=0.0)


def blocks_in(state: LeaseState) -> int:
    return TraceBlock.objects.filter(state=state).count()


def stopped_in_the_middle(worker: Child) -> bool:
    """Stop it and look: it stays stopped if it holds a block and has done one, else it goes on.

    Looking first and killing then may find it between two blocks.
    """
    if not (blocks_in(LeaseState.DONE) and blocks_in(LeaseState.LEASED)):
        return False
    worker.signal_group(signal.SIGSTOP)
    time.sleep(0.5)  # what the database had already been sent is stored by now
    if blocks_in(LeaseState.LEASED):
        return True
    worker.signal_group(signal.SIGCONT)
    return False


def is_done(report: PlaytestReport) -> bool:
    return fresh(report).state == ReportState.DONE


@pytest.mark.django_db(transaction=True)
def test_worker_that_is_killed_in_the_middle_costs_nothing_but_time(broker_url: str, tmp_path: Path) -> None:
    level, log = draw_level(seed=4, name="Ford"), tmp_path / "worker.log"
    report = playtest_request(
        level_version=make_version(level),
        agent_specs=make_specs("vanilla", "random"),
        games=GAMES,
        seed=SEED,
        iterations=ITERATIONS,
    )
    with running(RECONCILER, broker_url, log):
        with running(WORKER, broker_url, log) as first:
            assert wait_until(lambda: stopped_in_the_middle(first), SLOW_MACHINE), log.read_text()
            kill(first)
        # It died at a block: nobody wrote it, and nobody may take it before its lease has run out.
        assert blocks_in(LeaseState.LEASED) == 1
        done_before = blocks_in(LeaseState.DONE)
        assert 0 < done_before < 10
        assert fresh(report).blocks_done == done_before
        let_leases_run_out()
        with running(WORKER, broker_url, log):
            assert wait_until(lambda: is_done(report), SLOW_MACHINE), log.read_text()
    agents = {name: load_agent(name, iterations=ITERATIONS) for name in ("vanilla", "random")}
    undisturbed = playtest(level, agents, games=GAMES, seed=SEED, threads=2)
    assert figures_of(fresh(report)) == figures_without_the_site(undisturbed)
    assert fresh(report).blocks_done == fresh(report).blocks_total == blocks_in(LeaseState.DONE) == 10
    for entry in report.entries.all():
        games = [game for block in entry.blocks.order_by("number") for game in decode_block(block.data or b"")]
        traces = undisturbed.results[entry.agent_spec.name.lower()].traces
        assert [game.actions for game in games] == [trace.codes for trace in traces]
    assert sorted(TraceBlock.objects.values_list("attempts", flat=True)) == [1] * 9 + [2]


@pytest.mark.django_db(transaction=True)
def test_search_whose_worker_is_killed_keeps_what_it_showed_and_is_taken_up_again(
    broker_url: str, tmp_path: Path
) -> None:
    board = draw_level("samegame", rows=10, cols=10, colours=4, seed=4, name="Weir")
    version, log = make_version(board), tmp_path / "worker.log"
    search = search_request(level_version=version, seconds=24)

    def shown() -> int:
        par = par_of(version.board_key)
        return par.score if par else 0

    with running(RECONCILER, broker_url, log):
        with running(WORKER, broker_url, log) as first:
            assert wait_until(lambda: shown() > 0, SLOW_MACHINE), log.read_text()
            kill(first)
        seen = shown()
        (held,) = search.restarts.filter(state=LeaseState.LEASED)
        Restart.objects.filter(pk=held.pk).update(lease_until=Now() - timedelta(seconds=1))
        with running(WORKER, broker_url, log):
            done = {"state": SearchState.DONE}
            assert wait_until(ParSearch.objects.filter(pk=search.pk, **done).exists, SLOW_MACHINE), log.read_text()
    assert shown() >= seen
    assert sorted(search.restarts.values_list("attempts", flat=True)) == [1, 2]
    for row in search.restarts.all():
        assert row.codes is not None
        assert Round.replay(board, row.codes).score == row.score
