"""Swarm tree search: what the tree holds after a search, the order of runs, threads in one tree, sets of roots."""

import numpy as np
import pytest

from engine.kernels import kernel
from engine.level import Level, draw_level, parse_level
from engine.search.hgsts import NO_TABU, HgstsSearcher
from engine.search.seen import Seen, new_seen, was_seen
from engine.search.swarm_tree import new_swarm_tree, plant
from engine.search.tree import ROOT
from engine.solver import RESTARTS, SCORE, Budget, SolverError, Task
from engine.solving import get_solver, solve
from tests.engine.naive.solving import best_score

ROWS = ("ABCA", "BAAC", "CABB")
TINY = (("AA", "AA"), ("AA", "BB"), ("AB", "AB"), ("AAB", "BBA"), ROWS, ("AAAAA",) * 3)


def level_of(*rows: str) -> Level:
    colours = max(2, max("ABCDEFGHI".index(letter) for row in rows for letter in row) + 1)
    document = {"game": "samegame", "rows": len(rows), "cols": len(rows[0]), "colours": colours, "seed": 1}
    return parse_level(document | {"board": list(rows)})


def searched(level: Level, nodes: int, **settings: object) -> HgstsSearcher:
    solver = get_solver("hgsts")
    searcher = solver.searcher(Task(level, solver.settle(None, settings), Budget(nodes=nodes), seed=4))
    searcher.advance(nodes, 0.0)
    assert isinstance(searcher, HgstsSearcher)
    return searcher


@pytest.mark.parametrize("rows", TINY)
@pytest.mark.parametrize(
    ("workers", "settings"),
    [
        (1, {"layer": 1}),
        (1, {"layer": 2}),
        (1, {"layer": 3, "best": 2, "each": 3}),
        (1, {"parallel": "tree"}),
        (2, {"parallel": "tree"}),
        (2, {"parallel": "tree", "layer": 1}),
        (3, {"layer": 2, "nodes_each": 100}),
    ],
)
def test_best_play_of_tiny_boards_is_found_however_the_search_is_divided(
    rows: tuple[str, ...], workers: int, settings: dict[str, int | str]
):
    found = solve(level_of(*rows), "hgsts", seconds=20, workers=workers, settings=settings)
    assert found.exhausted
    assert found.score == best_score(rows)


def test_highest_score_goes_up_and_visits_are_counted_on_the_way_down():
    searcher = searched(draw_level("samegame", rows=8, cols=8, colours=4, seed=3), 3000)
    tree, used = searcher.runs.tree, int(searcher.runs.tree.used[0])
    assert tree.value[ROOT] == searcher.tally.counts[SCORE]
    inner = [node for node in range(used) if tree.count[node] > 0]
    assert len(inner) > 20
    for node in inner:
        children = range(tree.first[node], tree.first[node] + tree.count[node])
        assert tree.value[node] == max(tree.value[child] for child in [*children, node])
        assert all(tree.value[child] <= tree.value[node] for child in children)
        # The first visit made no children, the second made them and rolled out from here; all others went on.
        assert tree.visits[node] == sum(tree.visits[child] for child in children) + (1 if node == ROOT else 2)


def test_positions_are_expanded_again_only_with_more_points_and_seen_ones_are_closed():
    searcher = searched(draw_level("samegame", rows=7, cols=7, colours=3, seed=5), 8000)
    tree = searcher.runs.tree
    met: dict[bytes, list[int]] = {}
    closed = 0
    for node in range(int(tree.used[0])):
        closed += bool(tree.open[node] <= 0)
        if tree.count[node] > 0:
            # Without the leaders and the number of actions: the same board is the same position.
            position = tree.states[tree.state[node], :16].tobytes()
            met.setdefault(position, []).append(int(tree.points[node]))
    assert closed > 0
    assert len(met) > 100
    # With as many points again it would be closed; with more it may stand twice.
    assert all(len(set(points)) == len(points) for points in met.values())


def test_runs_take_the_constants_in_turn_and_then_the_next_colour():
    solver = get_solver("hgsts")
    level = draw_level("samegame", rows=12, cols=12, colours=5, seed=3)
    settings = solver.settle(None, {"portfolio": "50/200/700", "tabus": 2, "nodes_each": 200})
    searcher = solver.searcher(Task(level, settings, Budget(nodes=100_000), seed=4))
    assert isinstance(searcher, HgstsSearcher)
    met = []
    for until in range(1, 3000, 50):
        searcher.advance(until, 0.0)
        run = (searcher.rules.c, int(searcher.policy.colour))
        if not met or met[-1] != run:
            met.append(run)
    first, second = met[0][1], met[3][1]
    assert first != second
    assert met[:7] == [(c, tabu) for tabu in (first, second) for c in (50.0, 200.0, 700.0)] + [(50.0, first)]
    assert searcher.tally.counts[RESTARTS] >= 6


def test_one_constant_stands_for_the_portfolio_and_can_be_tuned():
    assert searched(level_of(*ROWS), 50, exploration=123.0).exploration == (123.0,)
    assert searched(level_of(*ROWS), 50).exploration == (300.0, 800.0)
    tuned = {one.name for one in get_solver("hgsts").parameters if one.tuned}
    assert "exploration" in tuned


def test_runs_of_threads_are_different_ones_of_the_portfolio():
    solver = get_solver("hgsts")
    level = draw_level("samegame", rows=12, cols=12, colours=5, seed=3)
    task = Task(level, solver.settle(None, {"nodes_each": 100}), Budget(nodes=4000), seed=4)
    searchers = solver.searchers(task, 2)
    for searcher in searchers:
        searcher.advance(150, 0.0)
    assert [searcher.run for searcher in searchers if isinstance(searcher, HgstsSearcher)] == [2, 3]


def test_colours_that_are_spared_let_some_plays_unseen_until_a_run_spares_none():
    """A board whose best play needs the most frequent colour before others are gone."""
    level = level_of(*ROWS)
    searcher = searched(level, 100_000, tabus=1, portfolio="100")
    assert searcher.exhausted
    assert searcher.runs.is_free
    assert searcher.run == 1
    assert level.colours < NO_TABU


def test_shared_tree_that_is_full_is_followed_by_another(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.search.hgsts.MOST_STORED", 2000)
    level = draw_level("samegame", rows=15, cols=15, colours=5, seed=3)
    found = solve(level, "hgsts", nodes=20_000, workers=2, settings={"parallel": "tree"})
    assert found.nodes >= 20_000
    assert found.restarts >= 2


def test_tree_that_threads_plant_together_is_one_restart():
    solver = get_solver("hgsts")
    level = draw_level("samegame", rows=5, cols=5, colours=3, seed=3)
    settings = solver.settle(None, {"parallel": "tree", "nodes_each": 100})
    searchers = solver.searchers(Task(level, settings, Budget(nodes=100_000), seed=4), 3)
    while not all(searcher.finished for searcher in searchers):
        for searcher in searchers:
            searcher.go_on(searcher.nodes + 50, 0.0)
    last = [searcher.runs.number for searcher in searchers if isinstance(searcher, HgstsSearcher)]
    assert len(set(last)) == 1
    assert sum(int(searcher.tally.counts[RESTARTS]) for searcher in searchers) == last[0] > 0


def test_fresh_table_is_not_cleared_and_a_used_one_is():
    searcher = searched(level_of(*ROWS), 20)
    tree = searcher.runs.tree
    assert tree.seen.marks.any()
    plant(tree, searcher.root)
    assert not tree.seen.marks.any()
    fresh = new_swarm_tree(1000, len(searcher.root), 10)
    fresh.seen.marks[3] = 1
    plant(fresh, searcher.root)
    assert fresh.seen.marks[3] == 1


def test_position_that_another_thread_is_just_noting_is_none():
    seen = new_seen(100)
    assert not met(seen, np.uint64(7), 20)
    assert met(seen, np.uint64(7), 20)
    assert met(seen, np.uint64(7), -3)
    assert not met(seen, np.uint64(7), 21)
    place = int(np.flatnonzero(seen.marks)[0])
    for points in (22, 10**9, 0, -5):
        # As between the two writes of a thread that notes it with other points.
        torn = Seen(seen.marks.copy(), seen.points.copy())
        torn.points[place] = points
        assert not met(torn, np.uint64(7), 5)
        assert met(torn, np.uint64(7), 5)


@pytest.mark.parametrize("text", ["5_0/200", "\u0665", "50/", "", "50;200", "-1", "nan"])
def test_portfolio_that_is_no_list_of_numbers_is_refused(text: str):
    with pytest.raises(SolverError, match="portfolio must be numbers"):
        get_solver("hgsts").settle(None, {"portfolio": text})


@kernel
def met(seen, key, points):
    return was_seen(seen, key, points)
