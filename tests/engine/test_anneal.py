"""Annealing: lines of anchors as the plain twin plays them, deposits of bits, and chains that get somewhere."""

import math
import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from engine.bmi2 import deposit_one_by_one
from engine.game import get_game
from engine.games.samegame.anchors import COLUMN_STEP, codes_of, deposit
from engine.games.samegame.anneal import AnnealSearcher, plan_parts
from engine.games.samegame.changes import (
    ABANDONED,
    JOINED,
    PLAYED,
    Change,
    new_chain,
    play_pending,
    play_to_end,
    propose,
)
from engine.kernels import kernel
from engine.level import draw_level, shipped_levels
from engine.rng import new_rng
from engine.round import Round
from engine.solver import NODES, RESTARTS, SCORE, Budget, Task
from engine.solving import get_solver, solve
from tests.engine.naive.anchors import is_over, play_anchors
from tests.engine.naive.samegame import groups
from tests.engine.naive.solving import best_score

GAME = get_game("samegame")
SIZES = [(2, 2, 2), (4, 7, 3), (15, 15, 5), (16, 16, 4), (20, 3, 3), (17, 20, 6)]


@kernel
def write_codes(line, state, codes):
    codes_of(line, 0, line.length[0], state, codes)


@kernel
def deposited(word, mask):
    return deposit(word, mask)


def cells_of(level) -> list[list[int]]:
    return [[".ABCDEFGHIJKLMNO".index(letter) for letter in row] for row in level.board]


@pytest.mark.parametrize(("rows", "cols", "colours"), SIZES)
def test_lines_of_anchors_are_played_as_in_plain_python(rows, cols, colours):
    choice = random.Random(rows * cols)
    for seed in range(12):
        level = draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=seed)
        chain = new_chain(GAME.new_state(level))
        wanted = [(choice.randrange(cols), choice.randrange(rows)) for _ in range(min(60, len(chain.pending)))]
        chain.pending[: len(wanted)] = [column * COLUMN_STEP + height for column, height in wanted]
        line = chain.tried
        change = Change(place=0, count=len(wanted), tail=len(wanted), joint=0, left_out=0)
        assert play_pending(line, change, chain, new_rng(seed, "line"), math.inf).how == PLAYED

        played, points, board = play_anchors(cells_of(level), wanted)
        anchors = [divmod(int(anchor), COLUMN_STEP) for anchor in line.anchors[: line.length[0]]]
        assert anchors[: len(played)] == played
        assert np.diff(line.points[: len(played) + 1]).tolist() == points

        # What was added at random: every anchor had a group, and no group is left.
        rest, _, board = play_anchors(cells_of(level), anchors)
        assert rest == anchors
        assert is_over(board)

        codes = np.zeros(len(chain.codes), np.int32)
        write_codes(line, chain.state, codes)
        replayed = Round.replay(level, codes[: len(anchors)].tolist())
        assert replayed.over == "stuck"


def annealed(level, nodes: int, **settings: float) -> AnnealSearcher:
    """A searcher that has tried changes for so many nodes."""
    solver = get_solver("anneal")
    searcher = solver.searcher(Task(level, solver.settle(None, settings), Budget(nodes=nodes), seed=3))
    searcher.advance(nodes, 0.0)
    return searcher


def assert_line_is_whole(level, line) -> None:
    """Every anchor has its group, with the points that the line tells; the position in the end is the one it holds."""
    length = int(line.length[0])
    anchors = [divmod(int(anchor), COLUMN_STEP) for anchor in line.anchors[:length]]
    played, points, board = play_anchors(cells_of(level), anchors)
    assert played == anchors
    assert np.diff(line.points[: length + 1]).tolist() == points
    assert is_over(board)
    left = sum(cell != 0 for row in board for cell in row)
    assert sum(int(word).bit_count() for word in line.alive[length]) == left


@pytest.mark.parametrize(("rows", "cols", "colours"), SIZES)
def test_kept_line_is_whole_after_thousands_of_changes(rows, cols, colours):
    """Also where changes were put before the rest of a line without playing that again."""
    level = draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=2)
    for nodes in (200, 3_000, 30_000):
        searcher = annealed(level, nodes, hot=200.0, cold=30.0)
        assert_line_is_whole(level, searcher.chains[0].kept)
        line = searcher.chains[0].kept
        left = sum(int(word).bit_count() for word in line.alive[line.length[0]])
        assert searcher.chains[0].worth[0] == line.points[line.length[0]] + max(1000 - 13 * left, 0)


def take_start(chain, change: Change) -> None:
    """Make the line that is tried the kept one up to where it changes."""
    for name in ("planes", "alive", "columns", "points"):
        getattr(chain.tried, name)[change.place] = getattr(chain.kept, name)[change.place]
    chain.tried.anchors[: change.place] = chain.kept.anchors[: change.place]


def test_changes_end_in_all_three_ways_and_joined_ones_lose_what_playing_them_would_show():
    level = draw_level("samegame", rows=15, cols=15, colours=5, seed=4)
    chain = annealed(level, 20_000).chains[0]
    rng = new_rng(1, "changes")
    seen = {ABANDONED: 0, PLAYED: 0, JOINED: 0}
    kept = int(chain.kept.points[chain.kept.length[0]])
    for _ in range(2_000):
        change = propose(chain, rng)
        take_start(chain, change)
        found = play_pending(chain.tried, change, chain, rng, 100.0)
        seen[found.how] += 1
        if found.how != JOINED:
            continue
        end = int(chain.tried.length[0])
        rest = chain.kept.anchors[found.joint : chain.kept.length[0]]
        whole = [divmod(int(anchor), COLUMN_STEP) for anchor in [*chain.tried.anchors[:end], *rest]]
        played, points, board = play_anchors(cells_of(level), whole)
        assert played == whole
        assert is_over(board)
        assert sum(points) == kept - found.lost
    assert min(seen.values()) > 100, seen


def test_nothing_is_abandoned_without_a_bound_and_everything_below_any_loss():
    level = draw_level("samegame", rows=10, cols=10, colours=4, seed=4)
    chain = annealed(level, 5_000).chains[0]
    for most, all_alike in ((math.inf, False), (-1e9, True)):
        rng = new_rng(2, "changes")
        for _ in range(200):
            change = propose(chain, rng)
            take_start(chain, change)
            if change.count:
                assert (play_pending(chain.tried, change, chain, rng, most).how == ABANDONED) == all_alike


def test_bits_are_deposited_alike_in_both_ways():
    choice = random.Random(1)
    for _ in range(500):
        mask = choice.getrandbits(choice.choice((8, 16, 32)))
        word = choice.getrandbits(mask.bit_count()) if mask else 0
        places = [bit for bit in range(32) if mask >> bit & 1]
        expected = sum(1 << place for k, place in enumerate(places) if word >> k & 1)
        assert int(deposited(np.uint64(word), np.uint64(mask))) == expected
        assert int(deposit_one_by_one(np.uint64(word), np.uint64(mask))) == expected


def test_more_time_and_a_falling_temperature_find_more():
    """Counted in positions, so that it does not depend on the machine."""
    level = shipped_levels("samegame")["samegame-01"]
    short, long = (solve(level, "anneal", nodes=nodes).score for nodes in (20_000, 1_000_000))
    hot = solve(level, "anneal", nodes=1_000_000, settings={"hot": 5000.0, "cold": 5000.0}).score
    assert long > short + 300
    assert long > hot + 300


def test_chains_share_the_budget_and_count_as_restarts():
    level = shipped_levels("samegame")["samegame-01"]
    found = solve(level, "anneal", nodes=100_000, settings={"chains": 4, "rivals": 2, "starts": 20})
    assert found.restarts == 7
    assert 100_000 <= found.nodes <= 100_000 + 15 * 15


@pytest.mark.parametrize(("rows", "cols", "colours"), SIZES)
def test_lines_that_spare_a_colour_remove_it_only_when_nothing_else_is_left(rows, cols, colours):
    level = draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=5)
    for tabu in range(1, colours + 1):
        chain = new_chain(GAME.new_state(level))
        play_to_end(chain.tried, 0, chain.state, tabu, new_rng(tabu, "line"))
        board = cells_of(level)
        anchors = [divmod(int(anchor), COLUMN_STEP) for anchor in chain.tried.anchors[: chain.tried.length[0]]]
        for number, anchor in enumerate(anchors):
            before = play_anchors(board, anchors[:number])[2]
            after = play_anchors(board, anchors[: number + 1])[2]
            if counted(before)[tabu] != counted(after)[tabu]:
                assert {before[row][column] for group in groups(before) for row, column in group} == {tabu}, anchor
        assert is_over(play_anchors(board, anchors)[2])


def counted(board: list[list[int]]) -> Counter[int]:
    return Counter(cell for row in board for cell in row)


def test_chain_begins_with_the_best_of_its_starts():
    """The first of many is the one that would have been alone; a line has more than 40 moves, so no budget is left."""
    level = draw_level("samegame", rows=15, cols=15, colours=5, seed=6)
    worths = []
    for starts in (1, 10, 300):
        searcher = annealed(level, starts * 40, starts=starts)
        assert_line_is_whole(level, searcher.chains[0].kept)
        worths.append(searcher.chains[0].worth[0])
    assert worths == sorted(worths)
    assert worths[0] < worths[-1]


def test_starts_end_with_the_budget():
    level = draw_level("samegame", rows=15, cols=15, colours=5, seed=6)
    searcher = annealed(level, 1_000, starts=100_000)
    assert searcher.tally.counts[NODES] < 1_000 + level.rows * level.cols


def test_starts_end_with_the_time_and_go_on_where_they_were():
    level = draw_level("samegame", rows=15, cols=15, colours=5, seed=6)
    found = solve(level, "anneal", seconds=0.3, settings={"starts": 1_000_000})
    assert found.seconds < 1.5
    sliced, whole = (annealed(level, 1, starts=50) for _ in range(2))
    whole.advance(9_000, 0.0)
    for until in range(0, 9_001, 30):
        sliced.advance(until, 0.0)
    assert whole.chains[0].starts[0] == sliced.chains[0].starts[0] == 50
    assert sliced.tally.counts.tolist() == whole.tally.counts.tolist()


@pytest.mark.parametrize("rivals", [1, 2, 5, 8])
def test_parts_of_a_group_follow_each_other_and_the_worse_half_ends_after_each_stage(rivals):
    parts = plan_parts(rivals)
    assert (parts[0].begin, parts[-1].end) == (0.0, 1.0)
    for one, other in pairwise(parts):
        assert one.begin < one.end == pytest.approx(other.begin)
    alive = Counter(part.stage for part in parts)
    assert alive[0] == rivals
    assert alive[max(alive)] == 1
    for stage in range(max(alive)):
        assert alive[stage + 1] == math.ceil(alive[stage] / 2)
        share = sum(part.end - part.begin for part in parts if part.stage == stage)
        assert share == pytest.approx(1 / len(alive))
    assert all(part.cool - part.warm == pytest.approx(1 / len(alive)) for part in parts)
    assert parts[-1].cool == 1.0


def test_as_many_groups_as_may_be_asked_for_cost_nothing_before_their_time():
    level = draw_level("samegame", rows=5, cols=5, colours=3, seed=7)
    solver = get_solver("anneal")
    settings = solver.settle(None, {"rivals": 1_000, "chains": 100_000, "starts": 1})
    searcher = solver.searcher(Task(level, settings, Budget(seconds=1), seed=3))
    searcher.advance(10, 0.0)
    searcher.advance(searcher.nodes + 10, 0.9)
    assert searcher.has_play


def test_after_a_stage_the_better_chains_go_on():
    level = draw_level("samegame", rows=15, cols=15, colours=5, seed=7)
    solver = get_solver("anneal")
    searcher = solver.searcher(
        Task(level, solver.settle(None, {"rivals": 4, "starts": 1}), Budget(nodes=120_000), seed=3)
    )
    searcher.advance(40_000, 0.0)
    worths = [float(chain.worth[0]) for chain in searcher.chains]
    assert all(math.isfinite(worth) for worth in worths)
    searcher.advance(40_100, 0.0)
    assert [float(chain.worth[0]) for chain in searcher.chains[1:]] == sorted(worths, reverse=True)[1:]
    searcher.advance(120_000, 0.0)
    assert [float(chain.worth[0]) for chain in searcher.chains[2:]] == sorted(worths, reverse=True)[2:]
    assert searcher.tally.counts[RESTARTS] == 3
    for chain in searcher.chains:
        assert_line_is_whole(level, chain.kept)


def test_slices_of_a_search_make_no_difference():
    level = draw_level("samegame", rows=10, cols=10, colours=4, seed=7)
    solver = get_solver("anneal")
    found = []
    for step in (1, 700, 60_000):
        settings = solver.settle(None, {"rivals": 3, "chains": 2, "starts": 5})
        searcher = solver.searcher(Task(level, settings, Budget(nodes=60_000), seed=3))
        while searcher.nodes < 60_000:
            searcher.advance(min(searcher.nodes + step, 60_000), 0.0)
        found.append((searcher.tally.counts.tolist(), [chain.worth[0] for chain in searcher.chains]))
    assert found[0] == found[1] == found[2]


def test_best_play_by_the_rules_counts_though_the_annealing_goes_on_from_another():
    """With nothing for cells that are left to cost, and no heat, only points are wanted, and no cleared board."""
    for seed in (7, 31, 35, 40, 41, 51, 56):
        level = draw_level("samegame", rows=4, cols=4, colours=3, seed=seed)
        searcher = annealed(level, 20_000, left=0.0, hot=0.1, cold=0.1, rivals=1)
        assert searcher.tally.counts[SCORE] == best_score(level.board)
