"""Playtests: one row a question, every game once, figures that agree with those of the command line."""

import itertools
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from django.db import IntegrityError, transaction
from scipy import stats

from engine.level import draw_level
from engine.round import Round
from personas.agent import load_agent
from playtest.leases import LeaseState, claimable, lease_claim
from playtest.levels import selectors
from playtest.levels.models import PlaytestEntry, PlaytestReport, ReportState, TraceBlock
from playtest.levels.services import (
    DrawnBoards,
    PlaytestError,
    agent_spec_ensure,
    block_work_next,
    playtest_reconcile,
    playtest_request,
    playtest_request_drawn,
)
from playtest.levels.services.blocks import block_store, report_boards
from playtest.levels.services.playtests import FIRST_BLOCK_GAMES, OTHER_CODE, block_starts, blocks_of_this_code
from playtest.levels.traces import GameTrace, block_digest, decode_block, encode_block
from tests.playtest.levels.playing import (
    GAMES,
    ITERATIONS,
    SEED,
    figures_of,
    figures_without_the_site,
    fresh,
    let_leases_run_out,
    make_specs,
    make_version,
    played_without_the_site,
    small_level,
    work_all,
)
from tests.playtest.racing import race


def request(*agents: str, games: int = GAMES, seed: int = SEED, iterations: int = ITERATIONS) -> PlaytestReport:
    version = selectors.version_with_hash(content_hash=small_level().content_hash()) or make_version()
    return playtest_request(
        level_version=version, agent_specs=make_specs(*agents), games=games, seed=seed, iterations=iterations
    )


@pytest.mark.django_db
def test_played_report_agrees_with_the_command_line_and_keeps_every_game() -> None:
    report = request()
    assert (report.state, report.blocks_total) == (ReportState.WAITING, 6)
    assert work_all() == 6
    report = fresh(report)
    assert (report.state, report.blocks_done, report.error) == (ReportState.DONE, 6, "")
    assert report.started_at
    assert report.finished_at
    expected = played_without_the_site(small_level())
    assert figures_of(report) == figures_without_the_site(expected)
    for entry in report.entries.all():
        blocks = list(entry.blocks.order_by("number"))
        assert [block.games for block in blocks] == [5, 25]
        assert all(block.data is not None and block_digest(bytes(block.data)) == block.sha256 for block in blocks)
        games = [game for block in blocks for game in decode_block(block.data or b"")]
        traces = expected.results[entry.agent_spec.name.lower()].traces
        assert games == [GameTrace(trace.score, trace.codes, trace.legal_before) for trace in traces]
        assert [Round.replay(small_level(), game.actions).score for game in games] == [game.score for game in games]


@pytest.mark.django_db
def test_figures_agree_with_numpy_and_a_sum_by_hand() -> None:
    report = request("random", games=4)
    (block,) = TraceBlock.objects.all()
    games = [
        GameTrace(score, (0,) * len(legal), legal)
        for score, legal in [(1200, (4, 6)), (1500, (8,)), (1800, ()), (2700, (1, 2, 3))]
    ]
    assert block_store(block_id=block.pk, data=encode_block(games), seconds=0.5)
    entry = report.entries.get()
    scores = [1200, 1500, 1800, 2700]
    assert (entry.n, entry.score_mean, entry.min, entry.median, entry.max) == (4, 1800, 1200, 1650, 2700)
    assert [entry.q05, entry.q25, entry.q75, entry.q95] == pytest.approx(np.quantile(scores, [0.05, 0.25, 0.75, 0.95]))
    # Squares of -600, -300, 0 and 900 are 1,260,000 together; a third of it is 420,000.
    assert entry.score_sd == pytest.approx(420_000**0.5)
    half = stats.t.ppf(0.975, 3) * 420_000**0.5 / 2
    assert [entry.ci_lo, entry.ci_hi] == pytest.approx([1800 - half, 1800 + half])
    # The game without moves has no legal moves to speak of: the mean is that of 5, 8 and 2.
    assert entry.legal_mean == pytest.approx(5)
    assert entry.seconds == 0.5


@pytest.mark.django_db
def test_one_game_has_no_interval() -> None:
    report = request("random", games=1)
    work_all()
    entry = report.entries.get()
    assert (entry.n, entry.score_sd, entry.ci_lo, entry.ci_hi, entry.legal_lo) == (1, 0, None, None, None)
    (shown,) = selectors.entries_shown(report=fresh(report))
    assert shown.figures is not None
    assert shown.figures.sd is None
    assert shown.figures.median == shown.figures.mean == entry.score_mean


@pytest.mark.django_db
def test_same_question_is_the_same_row_whoever_asks_in_whatever_order() -> None:
    first = request("random", "greedy")
    assert request("greedy", "random") == first
    assert request("greedy", "random", "greedy") == first
    twin = make_version(small_level(name="Same board under another name"))
    specs = make_specs("random", "greedy")
    assert (
        playtest_request(level_version=twin, agent_specs=specs, games=GAMES, seed=SEED, iterations=ITERATIONS) == first
    )
    assert PlaytestReport.objects.count() == 1
    assert TraceBlock.objects.count() == 4


@pytest.mark.django_db
def test_every_other_question_is_another_row() -> None:
    reports = [
        request("random"),
        request("greedy"),
        request("random", games=GAMES + 1),
        request("random", seed=SEED + 1),
        request("random", iterations=ITERATIONS + 1),
        playtest_request(level_version=make_version(small_level(seed=9)), agent_specs=make_specs("random")),
    ]
    assert len({report.pk for report in reports}) == len(reports)


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_the_same_moment_share_one_row() -> None:
    version, specs = make_version(), make_specs("random", "greedy")
    ask = partial(playtest_request, level_version=version, agent_specs=specs, games=GAMES)
    reports = race([ask] * 4)
    assert len({report.pk for report in reports}) == 1
    assert TraceBlock.objects.count() == 4


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"games": 0}, "games must be from 1"),
        ({"games": 1001}, "games must be from 1"),
        ({"iterations": 0}, "iterations must be from 1"),
        ({"iterations": 100_001}, "iterations must be from 1"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**53}, "seed must be"),
        ({"agent_specs": []}, "at least one agent"),
    ],
)
def test_absurd_question_is_refused_in_words_and_leaves_nothing(values: dict[str, object], words: str) -> None:
    question = {"agent_specs": make_specs("random"), **values}
    with pytest.raises(PlaytestError, match=words):
        playtest_request(level_version=make_version(), **question)  # type: ignore[arg-type]  # wrong on purpose
    assert not PlaytestReport.objects.exists()


@pytest.mark.django_db
def test_block_that_is_stored_again_counts_once() -> None:
    report = request("random")
    work_all()
    before = figures_of(fresh(report)), fresh(report).rev
    for block in TraceBlock.objects.all():
        assert not block_store(block_id=block.pk, data=encode_block([GameTrace(9, (), ())]), seconds=1.0)
    assert (figures_of(fresh(report)), fresh(report).rev) == before


@pytest.mark.django_db(transaction=True)
def test_last_blocks_that_end_at_the_same_moment_finish_the_report() -> None:
    report = request("random", games=100)
    data = {
        block.pk: encode_block([GameTrace(100 * block.number, (1,), (2,))] * block.games)
        for block in TraceBlock.objects.all()
    }
    stored = race([partial(block_store, block_id=pk, data=of, seconds=1.0) for pk, of in data.items()] * 2)
    assert sorted(stored) == [False] * 5 + [True] * 5
    report = fresh(report)
    assert (report.state, report.blocks_done) == (ReportState.DONE, 5)
    entry = report.entries.get()
    assert (entry.n, entry.score_mean, entry.seconds) == (100, 230, 5.0)


@pytest.mark.django_db(transaction=True)
def test_racing_workers_play_every_block_once() -> None:
    report = request()

    def work(name: str) -> int:
        return sum(1 for _ in itertools.takewhile(bool, iter(partial(block_work_next, worker=name), None)))

    assert sum(race([partial(work, name) for name in ("one", "two", "three")])) == 6
    assert set(TraceBlock.objects.values_list("attempts", flat=True)) == {1}
    assert figures_of(fresh(report)) == figures_without_the_site(played_without_the_site(small_level()))


@pytest.mark.parametrize("games", [1, 5, 6, 30, 31, 100, 1000])
def test_blocks_hold_every_game_once_and_the_first_is_short(games: int) -> None:
    starts = [*block_starts(games), games]
    sizes = [end - start for start, end in pairwise(starts)]
    assert sum(sizes) == games
    assert sizes[0] == min(games, FIRST_BLOCK_GAMES)
    assert all(0 < size <= 25 for size in sizes)


@pytest.mark.django_db
def test_pages_see_the_games_so_far() -> None:
    report = request("random")
    assert [shown.figures for shown in selectors.entries_shown(report=report)] == [None]
    assert block_work_next(worker="test")
    report = fresh(report)
    (shown,) = selectors.entries_shown(report=report)
    assert not shown.is_complete
    assert shown.figures
    scores = played_without_the_site(small_level()).results["random"].scores[:FIRST_BLOCK_GAMES]
    assert (shown.figures.n, shown.figures.mean) == (FIRST_BLOCK_GAMES, pytest.approx(np.mean(scores)))


@pytest.mark.django_db
def test_first_blocks_of_all_agents_and_reports_come_first() -> None:
    one, two = request(), request("random", seed=77)
    order = [(block.number, block.entry.report_id) for block in blocks_of_this_code()]
    assert order == [*[(0, one.pk)] * 3, (0, two.pk), *[(1, one.pk)] * 3, (1, two.pk)]


@pytest.mark.django_db
def test_worker_of_other_code_neither_plays_nor_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    report = request("random")
    (first, _) = TraceBlock.objects.order_by("number")
    for module in ("playtests", "blocks"):
        monkeypatch.setattr(f"playtest.levels.services.{module}.engine_digest", lambda: "f" * 64)
    assert not block_work_next(worker="newer")
    data = encode_block([GameTrace(1, (), ())] * first.games)
    assert not block_store(block_id=first.pk, data=data, seconds=1.0)
    first.refresh_from_db()
    assert (first.state, first.data) == (LeaseState.WAITING, None)
    assert fresh(report).blocks_done == 0


@pytest.mark.django_db
def test_report_of_other_code_fails_when_no_worker_is_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    report = request("random")
    block = TraceBlock.objects.order_by("number")[0]
    assert lease_claim(block, worker="older")
    monkeypatch.setattr("playtest.levels.services.playtests.engine_digest", lambda: "f" * 64)
    playtest_reconcile()
    assert fresh(report).state == ReportState.WAITING
    let_leases_run_out()
    playtest_reconcile()
    assert (fresh(report).state, fresh(report).error) == (ReportState.FAILED, OTHER_CODE)
    assert request("random").pk != report.pk


@pytest.mark.django_db
def test_block_whose_worker_died_is_played_by_another() -> None:
    report = request("random")
    block = blocks_of_this_code()[0]
    assert lease_claim(block, worker="dies")
    assert work_all() == 1
    assert fresh(report).state == ReportState.RUNNING
    assert playtest_reconcile() == 0
    let_leases_run_out()
    assert playtest_reconcile() == 1
    assert work_all() == 1
    expected = figures_without_the_site(played_without_the_site(small_level()))
    assert figures_of(fresh(report)) == {"random": expected["random"]}


@pytest.mark.django_db
def test_block_that_kills_its_workers_fails_the_report_and_can_be_tried_again() -> None:
    report = request("random")
    assert block_work_next(worker="first")
    block = claimable(blocks_of_this_code())[0]
    for _ in range(8):
        block.refresh_from_db()
        assert lease_claim(block, worker="dies")
        let_leases_run_out()
    assert playtest_reconcile() == 0
    assert fresh(report).state == ReportState.FAILED
    assert "never finished" in fresh(report).error
    assert request("random") == report
    assert (fresh(report).state, fresh(report).error, fresh(report).blocks_done) == (ReportState.WAITING, "", 1)
    assert work_all() == 1
    assert fresh(report).state == ReportState.DONE


@pytest.mark.django_db
def test_agent_that_cannot_play_the_level_fails_the_report_in_words() -> None:
    document = load_agent("vanilla").document
    old = agent_spec_ensure(document={**document, "game_version": document["game_version"] + 1})
    report = playtest_request(level_version=make_version(), agent_specs=[old], games=1)
    work_all()
    assert fresh(report).state == ReportState.FAILED
    assert "version" in fresh(report).error
    assert report.entries.get().n is None


@pytest.mark.django_db
def test_drawn_boards_are_new_in_every_game_and_the_same_for_all_agents() -> None:
    drawn = DrawnBoards(game="match3", rows=5, cols=6, colours=5, moves=3)
    ask = partial(playtest_request_drawn, drawn=drawn, agent_specs=make_specs("random", "greedy"), games=8, seed=2)
    report = ask()
    assert ask() == report
    work_all()
    boards = report_boards(report, range(8))
    assert len({board.board for board in boards}) == 8
    assert {(board.rows, board.cols, board.colours, board.moves) for board in boards} == {(5, 6, 5, 3)}
    for entry in report.entries.all():
        games = [game for block in entry.blocks.order_by("number") for game in decode_block(block.data or b"")]
        for board, game in zip(boards, games, strict=True):
            assert Round.replay(board, game.actions).score == game.score
    assert fresh(report).level_version is None
    assert fresh(report).state == ReportState.DONE


@pytest.mark.django_db
def test_boards_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(PlaytestError, match="rows"):
        playtest_request_drawn(drawn=DrawnBoards(game="match3", rows=99, cols=7, colours=6, moves=20))


@pytest.mark.django_db
def test_default_agents_play_if_none_is_named() -> None:
    report = playtest_request(level_version=make_version(draw_level(seed=1)), games=2)
    roles = [shown.role for shown in selectors.entries_shown(report=report)]
    assert {"vanilla", "greedy", "random"} <= set(roles)
    assert len(roles) == len(set(roles))


@pytest.mark.django_db
def test_unfinished_entry_holds_no_figures() -> None:
    report = request("random")
    with pytest.raises(IntegrityError), transaction.atomic():
        PlaytestEntry.objects.filter(report=report).update(n=5, median=3.0)
