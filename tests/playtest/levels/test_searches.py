"""Searches for par: restarts that workers run, the best play of which is kept whatever happens."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models import F
from django.db.models.functions import Now

from engine.level import draw_level
from engine.round import Round
from engine.solving import SolveRun, get_solver, solver_names
from playtest.leases import MAX_ATTEMPTS, Claim, LeaseState
from playtest.levels.models import ParSearch, Restart, SearchState
from playtest.levels.par import found_words, par_of, pars_of
from playtest.levels.services import (
    SearchError,
    level_create,
    restart_work_next,
    search_cancel,
    search_request,
    searches_reconcile,
)
from playtest.levels.services import restarts as restarts_module
from playtest.levels.services.restarts import Found
from tests.playtest.levels.playing import make_version
from tests.playtest.levels.searching import LEVEL, compile_solvers, make_board, run_all, state_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True, scope="module")
def ready_solvers() -> None:
    compile_solvers()


def test_search_finds_a_play_that_the_rules_score_the_same() -> None:
    version = make_board()
    search = search_request(level_version=version, seconds=1)
    assert state_of(search) == SearchState.WAITING
    assert par_of(version.board_key) is None
    assert run_all() == 2
    assert state_of(search) == SearchState.DONE
    par = par_of(version.board_key)
    assert par is not None
    rows = list(search.restarts.order_by("number"))
    assert par.score == max(row.score for row in rows if row.score is not None)
    for row in rows:
        assert row.codes is not None
        played = Round.replay(LEVEL, row.codes)
        assert (played.score, played.over is not None) == (row.score, True)
        assert row.cleared == all(set(line) == {"."} for line in played.board)
        assert row.found_after is not None
        assert 0 <= row.found_after <= row.limit + 0.5
        assert (row.spent, row.limit) == (1.0, 0.5)
        assert row.nodes > 0


def test_par_is_the_best_of_all_searches_on_boards_that_play_alike_and_a_longer_one_has_other_seeds() -> None:
    version = make_board()
    first = search_request(level_version=version, seconds=1)
    run_all()
    second = search_request(level_version=version, seconds=1, solver="mc-rws")
    assert second.seed == first.seed + first.restarts_total
    run_all()
    other = level_create(owner=None, level=LEVEL, name="The same board")
    scores = [row.score for row in Restart.objects.all() if row.score is not None]
    assert len(scores) == 4
    par = par_of(other.board_key)
    assert par is not None
    assert par.score == max(scores)


def test_par_of_other_rules_does_not_count() -> None:
    version = make_board()
    search_request(level_version=version, seconds=1)
    run_all()
    ParSearch.objects.update(game_version=99)
    assert pars_of([version.board_key]) == {}


@pytest.mark.parametrize(
    ("seconds", "restarts", "limit"),
    [(10, 2, 5.0), (60, 2, 30.0), (120, 4, 30.0), (300, 3, 100.0), (1_200, 10, 120.0), (3_600, 30, 120.0)],
)
def test_restarts_of_a_long_search_are_longer(seconds: int, restarts: int, limit: float) -> None:
    """Longer means deeper, too: in one go a solver finds more than when it begins again and again."""
    search = search_request(level_version=make_board(), seconds=seconds)
    assert {row.limit for row in search.restarts.all()} == {limit}
    assert search.restarts.count() == restarts


@pytest.mark.parametrize("seconds", [1, 10, 3_600])
@pytest.mark.parametrize("solver", [name for name in solver_names() if not get_solver(name).gains_by_threads])
def test_solver_that_would_search_the_same_again_has_one_restart_with_all_the_time(solver: str, seconds: int) -> None:
    search = search_request(level_version=make_board(), seconds=seconds, solver=solver)
    assert [(row.number, row.limit) for row in search.restarts.all()] == [(0, seconds)]


def test_what_cannot_be_searched_is_refused_and_leaves_nothing() -> None:
    groups, swaps = make_board(), make_version()
    with pytest.raises(SearchError, match="what falls in is hidden"):
        search_request(level_version=swaps)
    for seconds in (0, 3_601):
        with pytest.raises(SearchError, match="from 1 to 3,600 seconds"):
            search_request(level_version=groups, seconds=seconds)
    with pytest.raises(SearchError, match="no solver"):
        search_request(level_version=groups, solver="magic")
    with pytest.raises(SearchError, match="seed"):
        search_request(level_version=groups, seed=2**53 - 1)
    assert not ParSearch.objects.exists()
    search_request(level_version=groups)
    with pytest.raises(SearchError, match="under way"):
        search_request(level_version=groups)
    assert ParSearch.objects.count() == 1


def test_board_on_which_nothing_is_left_to_search_ends_the_search() -> None:
    tiny = draw_level("samegame", rows=2, cols=2, colours=2, seed=3)
    search = search_request(level_version=make_board(tiny), seconds=60, solver="idastar")
    assert run_all() == 1
    assert state_of(search) == SearchState.DONE
    row = search.restarts.get(number=0)
    assert row.seconds is not None
    assert row.seconds < 5


def test_search_that_is_stopped_ends_soon_and_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_board()
    search = search_request(level_version=version, seconds=60)
    noted = []
    note = restarts_module.restart_note

    def stop_after_the_first_note(claim: Claim, *, spent: float, nodes: int, found: Found | None) -> None:
        note(claim, spent=spent, nodes=nodes, found=found)
        if not noted:
            noted.append(par_of(version.board_key))
            search_cancel(search=search)

    monkeypatch.setattr(restarts_module, "restart_note", stop_after_the_first_note)
    assert run_all() == 1
    assert state_of(search) == SearchState.CANCELLED
    (shown,) = noted
    par = par_of(version.board_key)
    assert shown is not None
    assert par is not None
    assert par.score >= shown.score, "it was shown while the search ran"
    assert par.restart.seconds is not None
    assert par.restart.seconds < 5
    assert search.restarts.filter(state=LeaseState.WAITING).count() == 1, "nobody takes up what was stopped"
    with pytest.raises(SearchError, match="over already"):
        search_cancel(search=search)


def test_restart_whose_worker_died_is_run_again_and_its_best_play_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_board()
    search = search_request(level_version=version, seconds=4)

    def die(*args: object, **kwargs: object) -> None:
        raise OperationalError("the worker is killed here")

    monkeypatch.setattr(restarts_module, "restart_store", die)
    with pytest.raises(OperationalError):
        restart_work_next(worker="dead")
    monkeypatch.undo()
    row = search.restarts.get(number=0)
    assert (row.state, row.worker) == (LeaseState.LEASED, "dead")
    assert row.score is not None, "what was noted while it ran"
    # More than anybody can find again.
    Restart.objects.filter(pk=row.pk).update(score=10_000, lease_until=Now() - timedelta(seconds=1))
    assert searches_reconcile() == 2
    assert run_all() == 2
    row.refresh_from_db()
    assert (row.state, row.worker, row.score, row.attempts) == (LeaseState.DONE, "test", 10_000, 2)
    assert state_of(search) == SearchState.DONE


def test_restart_that_stops_every_worker_is_given_up() -> None:
    search = search_request(level_version=make_board())
    search.restarts.filter(number=1).update(
        state=LeaseState.LEASED, attempts=MAX_ATTEMPTS, lease_until=Now() - timedelta(seconds=1)
    )
    searches_reconcile()
    search.refresh_from_db()
    assert search.state == SearchState.FAILED
    assert "stop the worker" in search.error
    assert not restart_work_next(worker="test")


def test_words_of_how_long_a_search_took_count_its_restart_and_all_before() -> None:
    version = make_board()
    first = search_request(level_version=version, seconds=60)
    ran(first, 0, found_after=4.0)
    (row,) = first.restarts.filter(number=0)
    assert found_words(row) == "after 4.0 s of search"
    ParSearch.objects.filter(pk=first.pk).update(state=SearchState.CANCELLED)
    # The second one was stopped in the middle.
    first.restarts.filter(number=1).update(spent=0.5)
    second = search_request(level_version=version, seconds=1_200)
    for number in range(10):
        ran(second, number, found_after=20.0)
    assert found_words(second.restarts.get(number=0)) == (
        "after 20.0 s of restart 1 of 10, 1 min 5 s with all search on this board before it"
    )
    last = second.restarts.get(number=9)
    assert found_words(last) == ("after 20.0 s of restart 10 of 10, 19 min 5 s with all search on this board before it")
    ParSearch.objects.filter(pk=second.pk).update(state=SearchState.DONE)
    third = search_request(level_version=version, seconds=60, solver="dbs")
    ran(third, 0, found_after=20.0)
    assert found_words(third.restarts.get()) == "after 20.0 s, 21 min 5 s with all search on this board before it"


def ran(search: ParSearch, number: int, *, found_after: float) -> None:
    """As a restart is stored that used its time."""
    ParSearch.objects.filter(pk=search.pk).update(state=SearchState.RUNNING, started_at=Now())
    search.restarts.filter(number=number).update(
        state=LeaseState.DONE, spent=1.0, seconds=F("limit"), score=100 + number, codes=[], found_after=found_after
    )


def test_solver_that_fails_fails_the_search_with_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    search = search_request(level_version=make_board())

    def refuse(*args: object, **kwargs: object) -> None:
        raise restarts_module.SolverError("This cannot be searched.")

    monkeypatch.setattr(SolveRun, "run", refuse)
    run_all()
    search.refresh_from_db()
    assert (search.state, search.error) == (SearchState.FAILED, "This cannot be searched.")


def test_parameters_of_another_version_of_the_program_are_filled_in_or_named() -> None:
    search = search_request(level_version=make_board(), seconds=1)
    ParSearch.objects.update(parameters={"hot": 50.0})
    assert run_all() == 2
    assert state_of(search) == SearchState.DONE
    later = search_request(level_version=search.level_version, seconds=1)
    ParSearch.objects.filter(pk=later.pk).update(parameters={"wind": 3})
    run_all()
    later.refresh_from_db()
    assert later.state == SearchState.FAILED
    assert "no parameter 'wind'" in later.error
