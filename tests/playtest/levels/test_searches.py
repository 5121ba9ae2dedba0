"""Searches for par: restarts that workers run, the best play of which is kept whatever happens, and a level's page."""

import re
import threading
import time
from datetime import timedelta
from html import unescape

import pytest
from django.db import OperationalError
from django.db.models import F
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from engine.level import Level, draw_level
from engine.round import Round
from engine.solving import SolveRun, get_solver, solve, solver_names
from playtest.accounts.models import User
from playtest.leases import MAX_ATTEMPTS, Claim, LeaseState
from playtest.levels.models import LevelVersion, ParSearch, ReportState, Restart, SearchState
from playtest.levels.par import found_words, par_of, pars_of
from playtest.levels.services import (
    SearchError,
    level_create,
    playtest_request,
    restart_work_next,
    search_cancel,
    search_request,
    searches_reconcile,
)
from playtest.levels.services import restarts as restarts_module
from playtest.levels.services.restarts import Found
from playtest.levels.short_work import ShortWork
from playtest.levels.views.pages import file_text
from tests.playtest.levels.playing import fresh, make_specs, make_version, work_all

pytestmark = pytest.mark.django_db
LEVEL = draw_level("samegame", rows=6, cols=6, colours=3, seed=4, name="Small groups")


@pytest.fixture(autouse=True, scope="module")
def ready_solvers() -> None:
    """Compiled before anything is timed: what workers do meanwhile would all be done before the search."""
    for name in ("anneal", "idastar", "dbs"):
        solve(LEVEL, name, nodes=1)


def make_board(level: Level = LEVEL) -> LevelVersion:
    return level_create(owner=None, level=level)


def state_of(search: ParSearch) -> SearchState:
    return SearchState(ParSearch.objects.values_list("state", flat=True).get(pk=search.pk))


def run_all(limit: int = 20) -> int:
    for count in range(limit):
        if not restart_work_next(worker="test"):
            return count
    raise AssertionError("There is always one more restart.")


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


def page_of(client: Client, version: LevelVersion) -> str:
    return client.get(reverse("levels:detail", args=[version.level_id])).content.decode()


def test_level_page_tells_of_par_begins_searches_and_stops_them(designer_client: Client) -> None:
    version = make_board()
    assert "Search for par" in page_of(designer_client, version)
    begin = reverse("levels:search", args=[version.level_id])
    answer = designer_client.post(begin, {"seconds": "10", "solver": "anneal"})
    assert answer.status_code == 302
    search = ParSearch.objects.get()
    assert (search.solver, search.seconds, search.restarts_total) == ("anneal", 10, 2)
    page = page_of(designer_client, version)
    assert f'data-live-topic="search:{search.pk}"' in page
    assert "Waiting for a worker" in page
    stopped = designer_client.post(reverse("levels:search_stop", args=[search.pk]), follow=True)
    assert state_of(search) == SearchState.CANCELLED
    assert "Search for par" in stopped.content.decode()
    again = designer_client.post(reverse("levels:search_stop", args=[search.pk]), follow=True)
    assert "over already" in again.content.decode()


def test_par_and_shares_show_on_the_level_page_with_a_replay(designer_client: Client) -> None:
    version = make_board()
    playtest_request(
        level_version=version, games=30, iterations=8, agent_specs=make_specs("random", "greedy", game="samegame")
    )
    work_all()
    search = search_request(level_version=version, seconds=1)
    run_all()
    par = par_of(version.board_key)
    assert par is not None
    page = page_of(designer_client, version)
    assert f"{par.score:,}</strong> points" in page
    assert "simulated annealing of lists of anchors" in page
    shares = re.search(r"Scores as a share of par.*?</table>", page, re.DOTALL)
    assert shares is not None
    assert "Greedy" in shares[0]
    greedy = version.reports.get().entries.get(agent_spec__spec__name="greedy")
    assert greedy.max is not None
    assert f"{100 * greedy.max / par.score:.0f} %" in shares[0]
    replay = designer_client.get(reverse("levels:search_play", args=[par.restart.pk]))
    assert f"{par.score:,} points in {par.moves} moves" in replay.content.decode()
    assert state_of(search) == SearchState.DONE
    part = designer_client.get(reverse("levels:par_live", args=[version.level_id, 1]), {"rev": "0"}).content.decode()
    assert "data-live-topic" not in part, "a search that is over is not asked for again"
    assert f"{par.score:,}</strong> points" in part


def par_of_page(page: str) -> str:
    found = re.search(r'<section[^>]* id="par".*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


def live_of(part: str) -> tuple[str, ...]:
    """Topics, address and revision of a live part; nothing of one that is final."""
    return tuple(unescape(one) for one in re.findall(r'data-live-(?:topic|url|rev)="([^"]*)"', part))


def newer(client: Client, url: str, rev: str) -> HttpResponse:
    """What `live.js` is answered."""
    return client.get(f"{url}{'&' if '?' in url else '?'}rev={rev}")


def test_shares_come_when_the_playtest_ends_after_the_search(designer_client: Client) -> None:
    version = make_board()
    search = search_request(level_version=version, seconds=1)
    report = playtest_request(
        level_version=version, games=30, iterations=8, agent_specs=make_specs("random", game="samegame")
    )
    topics, url, rev = live_of(par_of_page(page_of(designer_client, version)))
    assert topics == f"search:{search.pk} report:{report.pk}"
    assert newer(designer_client, url, rev).status_code == 304
    # Nobody plays while the search runs.
    search.restarts.update(state=LeaseState.DONE, score=500, codes=[], found_after=1.0, seconds=0.5, spent=1.0)
    ParSearch.objects.update(state=SearchState.DONE, finished_at=Now(), started_at=Now(), rev=F("rev") + 1)
    part = newer(designer_client, url, rev).content.decode()
    assert "500</strong> points" in part
    assert "as a share of par" not in part
    topics, url, rev = live_of(part)
    assert topics == f"report:{report.pk}", "it waits for the playtest"
    assert newer(designer_client, url, rev).status_code == 304
    work_all()
    part = newer(designer_client, url, rev).content.decode()
    assert "Random" in part[part.index("as a share of par") :]
    assert live_of(part) == (), "all is there"


def test_shares_stay_those_of_the_report_that_the_page_shows(designer_client: Client) -> None:
    version = make_board()
    reports = []
    for name in ("greedy", "random"):
        specs = make_specs(name, game="samegame")
        reports.append(playtest_request(level_version=version, games=30, iterations=8, agent_specs=specs))
        work_all()
    search_request(level_version=version, seconds=1)
    Restart.objects.update(score=500, codes=[], found_after=1.0)
    old, new = reports
    for report, shown, other in ((old, "Greedy", "Random"), (new, "Random", "Greedy")):
        address = reverse("levels:detail", args=[version.level_id])
        part = par_of_page(designer_client.get(address, {"report": report.pk}).content.decode())
        _, url, rev = live_of(part)
        assert newer(designer_client, url, rev).status_code == 304
        for one in (part, newer(designer_client, url, "0").content.decode()):
            shares = one[one.index("as a share of par") :]
            assert shown in shares
            assert other not in shares


@pytest.mark.parametrize(("seconds", "solver"), [("0", "anneal"), ("10", "magic"), ("", "anneal"), ("7", "")])
def test_wrong_form_begins_nothing_and_says_so(designer_client: Client, seconds: str, solver: str) -> None:
    version = make_board()
    begin = reverse("levels:search", args=[version.level_id])
    page = designer_client.post(begin, {"seconds": seconds, "solver": solver}, follow=True).content.decode()
    assert "Nothing was started" in page
    assert not ParSearch.objects.exists()


def test_game_of_chance_has_no_par(designer_client: Client) -> None:
    version = make_version()
    assert 'id="par"' not in page_of(designer_client, version)
    begin = reverse("levels:search", args=[version.level_id])
    page = designer_client.post(begin, {"seconds": "10", "solver": "anneal"}, follow=True).content.decode()
    assert "what falls in is hidden" in page


def test_searches_are_for_staff_alone(client: Client) -> None:
    search = search_request(level_version=make_board(), seconds=1)
    run_all()
    restart = search.restarts.first()
    assert restart is not None
    level = search.level_version.level_id
    for name, key in (("par_live", [level, 1]), ("search_play", [restart.pk])):
        assert client.get(reverse(f"levels:{name}", args=key)).status_code == 302
    for name, key in (("search", level), ("search_stop", search.pk)):
        assert client.post(reverse(f"levels:{name}", args=[key]), {"seconds": "10"}).status_code == 302
    assert ParSearch.objects.count() == 1


def test_uploaded_board_of_groups_is_searched_at_once(designer_client: Client, designer: User) -> None:
    answer = designer_client.post(
        reverse("levels:create"), {"text": file_text(LEVEL.to_document()), "name": "Drawn"}, follow=True
    )
    search = ParSearch.objects.get()
    assert (search.requested_by, search.restarts_total) == (designer, 2)
    assert f'data-live-topic="search:{search.pk} report:' in answer.content.decode()
