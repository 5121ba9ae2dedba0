"""Whole searches of the solvers and of their plain twins are the same, draw by draw and node by node."""

import pytest

from engine.level import Level, draw_level
from engine.rng import stream
from engine.solver import (
    DEEPEST,
    DEPTHS,
    DONE,
    LENGTH,
    NODES,
    NOTHING,
    PLAYOUTS,
    RESTARTS,
    SCORE,
    Budget,
    Searcher,
    Task,
)
from engine.solving import get_solver
from tests.engine.naive import samegame as twin
from tests.engine.naive.beam import Beam
from tests.engine.naive.deepening import DepthBudgeted, IterativeDeepening
from tests.engine.naive.match3 import Draws
from tests.engine.naive.nested import Nested
from tests.engine.naive.searching import Twin
from tests.engine.naive.solving import best_score

LEVELS = [
    draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=seed)
    for seed, (rows, cols, colours) in enumerate([(5, 5, 3), (5, 5, 3), (6, 5, 3), (7, 6, 3), (6, 7, 4)], start=20)
]
EACH_LEVEL = pytest.mark.parametrize("level", LEVELS, ids=lambda level: f"{level.rows}x{level.cols}-{level.seed}")


def searcher_of(name: str, board: Level, seed: int, nodes: int = 1000, /, **settings: object) -> Searcher:
    solver = get_solver(name)
    return solver.searcher(Task(board, solver.settle(None, settings), Budget(nodes=nodes), seed))


def found_by_kernels(searcher: Searcher) -> dict[str, object]:
    counts = searcher.tally.counts
    score = int(counts[SCORE])
    return {
        "score": None if score == NOTHING else score,
        "codes": tuple(searcher.tally.codes[: counts[LENGTH]].tolist()),
        "nodes": counts[NODES],
        "depths": counts[DEPTHS],
        "deepest": counts[DEEPEST],
        "playouts": counts[PLAYOUTS],
        "restarts": counts[RESTARTS],
        "done": counts[DONE],
    }


def assert_same_search(searcher: Searcher, plain: Twin, *untils: int) -> None:
    """Both are at the same place whenever both have come so far."""
    for until in untils:
        searcher.advance(until, 0.0)
        plain.advance(until)
        found = found_by_kernels(searcher)
        assert {name: getattr(plain, name) for name in found} == found


def draws(seed: int, *indices: int) -> Draws:
    return Draws(stream(seed, "solve", 0, *indices))


@EACH_LEVEL
@pytest.mark.parametrize(
    ("depth", "policy", "epsilon", "nodes"),
    [
        (1, "tabu-color", 0.0, 500),
        (2, "tabu-color", 0.0, 700),
        (3, "tabu-random", 0.0, 300),
        (2, "random", 0.0, 300),
        (1, "tabu-color", 0.2, 300),
        (1, "roulette", 0.1, 300),
    ],
)
def test_nested_search_is_that_of_its_twin(level: Level, depth: int, policy: str, epsilon: float, nodes: int):
    searcher = searcher_of("nested", level, level.seed, level=depth, playout=policy, epsilon=epsilon)
    plain = Nested(twin.board_of(level.board), draws(level.seed), depth, policy, epsilon)
    assert_same_search(searcher, plain, 1, 2, 50, 51, nodes)


@EACH_LEVEL
@pytest.mark.parametrize(
    ("width", "growth", "weight", "noise", "nodes"),
    [(16, 4.0, 1.0, 2.0, 600), (3, 1.5, 0.5, 30.0, 400), (5, 2.0, 1.0, 0.0, 400), (2, 1.0, 0.0, 0.0, 300)],
)
def test_beam_search_is_that_of_its_twin(
    level: Level, width: int, growth: float, weight: float, noise: float, nodes: int
):
    searcher = searcher_of("beam", level, level.seed, width=width, growth=growth, weight=weight, noise=noise)
    plain = Beam(twin.board_of(level.board), draws(level.seed), width, growth, weight, noise)
    assert_same_search(searcher, plain, 1, 2, 50, 51, nodes)


@EACH_LEVEL
@pytest.mark.parametrize(("share", "policy"), [(0.5, "greedy"), (0.2, "tabu-color"), (0.9, "greedy")])
def test_depth_budgeted_search_is_that_of_its_twin(level: Level, share: float, policy: str):
    searcher = searcher_of("dbs", level, level.seed, share=share, playout=policy)
    plain = DepthBudgeted(twin.board_of(level.board), draws(level.seed), share, policy)
    assert_same_search(searcher, plain, 1, 2, 50, 51, 500)


@EACH_LEVEL
@pytest.mark.parametrize("policy", ["greedy", "tabu-color"])
def test_iterative_deepening_is_that_of_its_twin(level: Level, policy: str):
    searcher = searcher_of("idastar", level, level.seed, playout=policy)
    plain = IterativeDeepening(twin.board_of(level.board), draws(level.seed), policy)
    assert_same_search(searcher, plain, 1, 2, 20, 21, 120)


TINY = [draw_level("samegame", rows=4, cols=3, colours=colours, seed=seed) for seed in range(3) for colours in (2, 3)]


@pytest.mark.parametrize("level", TINY, ids=lambda level: "-".join(level.board))
def test_searches_of_everything_end_where_their_twins_do(level: Level):
    board, nodes = twin.board_of(level.board), 3000
    plays: list[tuple[str, Twin]] = [
        ("beam", Beam(board, draws(1), 16, 4.0, 1.0, 2.0)),
        ("dbs", DepthBudgeted(board, draws(1), 0.5, "greedy")),
        ("idastar", IterativeDeepening(board, draws(1), "greedy")),
    ]
    for name, plain in plays:
        assert_same_search(searcher_of(name, level, 1, nodes), plain, 20, 100, nodes)
        assert plain.done
        assert plain.score == best_score(level.board)
