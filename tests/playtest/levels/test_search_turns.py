"""What else a worker does while it searches for par, and how soon it hears that the search was stopped."""

import threading
import time

import pytest
from django.test import Client

from engine.level import draw_level
from engine.solving import SolveRun
from playtest.leases import Claim, LeaseState
from playtest.levels.models import ReportState, Restart, SearchState
from playtest.levels.services import (
    playtest_request,
    restart_work_next,
    search_cancel,
    search_request,
)
from playtest.levels.services import restarts as restarts_module
from playtest.levels.short_work import ShortWork
from tests.playtest.levels.playing import fresh, make_specs
from tests.playtest.levels.searching import compile_solvers, make_board, page_of, run_all, state_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True, scope="module")
def ready_solvers() -> None:
    compile_solvers()


def test_playtests_are_played_while_a_search_runs() -> None:
    """A worker with one process has both: the solver's thread goes on meanwhile."""
    version = make_board()
    search = search_request(level_version=version, seconds=6)
    report = playtest_request(
        level_version=version, games=30, iterations=8, seed=5, agent_specs=make_specs("random", game="samegame")
    )
    assert restart_work_next(worker="test")
    assert fresh(report).state == ReportState.DONE
    assert search.restarts.get(number=0).state == LeaseState.DONE


def test_kinds_of_short_work_have_their_turns_while_a_search_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As their messages have in the queue: none waits until the other has no more."""
    search = search_request(level_version=make_board(), seconds=60)
    done: list[str] = []

    def piece(kind: str) -> ShortWork:
        def work(*, worker: str) -> bool:
            done.append(kind)
            if len(done) == 9:
                search_cancel(search=search)
            return kind != "none"

        return work

    monkeypatch.setattr(restarts_module, "block_work_next", piece("block"))
    monkeypatch.setattr(restarts_module, "short_work", lambda **_: [piece("none"), piece("opinion")])
    assert run_all() == 1
    assert done == ["block", "none", "opinion"] * 3


@pytest.mark.parametrize(("solver", "served"), [("idastar", True), ("anneal", False)])
def test_runs_of_evolution_have_their_turns_beside_a_restart_of_an_hour_only(
    monkeypatch: pytest.MonkeyPatch, solver: str, served: bool
) -> None:
    monkeypatch.setattr(restarts_module, "LOOK_SECONDS", 0.1)
    large = draw_level("samegame", rows=15, cols=15, colours=5, seed=6)
    search = search_request(level_version=make_board(large), seconds=3600, solver=solver)
    asked: list[str] = []

    def piece(kind: str) -> ShortWork:
        def work(*, worker: str) -> bool:
            asked.append(kind)
            if kind == "block" and asked.count(kind) == 3:
                search_cancel(search=search)
            return False

        return work

    monkeypatch.setattr(restarts_module, "block_work_next", piece("block"))
    monkeypatch.setattr("playtest.evolution.services.work.work_once", piece("slice"))
    assert restart_work_next(worker="test")
    assert ("slice" in asked) == served


def test_short_search_does_not_wait_for_a_long_restart_of_the_same_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a worker with one process: it runs the short one beside, holds the long one and hears that it is stopped."""
    monkeypatch.setattr(restarts_module, "LONG_RESTART_SECONDS", 0.5)
    large, larger = (make_board(draw_level("samegame", seed=seed)) for seed in (6, 7))
    long = search_request(level_version=large, seconds=60, solver="idastar")
    short = search_request(level_version=make_board(), seconds=1)
    longer = search_request(level_version=larger, seconds=60, solver="dbs")
    finish = restarts_module.search_done
    renewed: list[int] = []
    renew = restarts_module.lease_renew

    def hold(model: type[Restart], claim: Claim, *, seconds: float) -> bool:
        renewed.append(claim.pk)
        return renew(model, claim, seconds=seconds)

    def stop_the_long_one(*, search_id: int) -> None:
        finish(search_id=search_id)
        if search_id == short.pk:
            search_cancel(search=long)

    monkeypatch.setattr(restarts_module, "lease_renew", hold)
    monkeypatch.setattr(restarts_module, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(restarts_module, "search_done", stop_the_long_one)
    assert restart_work_next(worker="test")
    assert state_of(short) == SearchState.DONE
    assert state_of(long) == SearchState.CANCELLED
    assert state_of(longer) == SearchState.WAITING, "two long ones in one process would halve each other"
    (held,) = long.restarts.all()
    assert (held.state, held.attempts) == (LeaseState.DONE, 1)
    assert held.score is not None
    first = short.restarts.get(number=0).pk
    assert held.pk in renewed[renewed.index(first) + 1 :], "it is held while the other runs"


def test_stop_is_heard_and_the_best_play_shown_between_two_blocks_of_a_playtest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version = make_board()
    search = search_request(level_version=version, seconds=60)
    blocks: list[tuple[float, int, int]] = []

    def block(*, worker: str) -> bool:
        """A worker that has always one more block to play: it is told to stop after the third."""
        time.sleep(0.3)
        row = search.restarts.get(number=0)
        blocks.append((row.spent, row.nodes, row.score or 0))
        if len(blocks) == 3:
            search_cancel(search=search)
        return len(blocks) < 30

    monkeypatch.setattr(restarts_module, "block_work_next", block)
    assert run_all() == 1
    assert state_of(search) == SearchState.CANCELLED
    assert len(blocks) == 3, "the stop is heard before the next block"
    # The first may be played while the solver is made ready.
    (spent, nodes, _), (later, more, score) = blocks[-2:]
    assert later > spent
    assert more > nodes
    assert score > 0


def test_search_that_is_made_ready_is_held_says_so_and_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch, designer_client: Client
) -> None:
    version = make_board()
    search = search_request(level_version=version, seconds=60)
    go_on = threading.Event()
    monkeypatch.setattr(SolveRun, "_load_kernels", lambda _: go_on.wait(20))
    monkeypatch.setattr(restarts_module, "LOOK_SECONDS", 0.05)
    renewed, pages = [], []
    renew = restarts_module.lease_renew

    def hold(model: type[Restart], claim: Claim, *, seconds: float) -> bool:
        renewed.append(renew(model, claim, seconds=seconds))
        if len(renewed) == 3:
            pages.append(page_of(designer_client, version))
            search_cancel(search=search)
        return renewed[-1]

    monkeypatch.setattr(restarts_module, "lease_renew", hold)
    started = time.monotonic()
    assert run_all() == 1
    assert time.monotonic() - started < 10, "nobody waits for the compiler"
    go_on.set()
    assert renewed == [True] * 3
    assert "makes the search ready" in pages[0]
    assert "<progress" not in pages[0]
    assert state_of(search) == SearchState.CANCELLED
    assert set(search.restarts.values_list("state", "score")) == {(LeaseState.WAITING, None)}
