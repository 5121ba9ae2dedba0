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
from tests.engine.naive import single_player
from tests.engine.naive.adaptation import Adaptation
from tests.engine.naive.beam import Beam
from tests.engine.naive.deepening import DepthBudgeted, IterativeDeepening
from tests.engine.naive.match3 import Draws
from tests.engine.naive.nested import Nested
from tests.engine.naive.searching import Twin
from tests.engine.naive.solving import best_score
from tests.engine.naive.swarm import Rules, Swarm

LEVELS = [
    draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=seed)
    for seed, (rows, cols, colours) in enumerate([(5, 5, 3), (6, 5, 3), (7, 6, 3), (6, 7, 4)], start=21)
]
EACH_LEVEL = pytest.mark.parametrize("level", LEVELS, ids=lambda level: f"{level.rows}x{level.cols}-{level.seed}")


def changed(value: object) -> str:
    """A test's name for rules: what is not as usual."""
    if not isinstance(value, Rules | single_player.Rules):
        return str(value)
    usual = vars(type(value)())
    return ",".join(f"{name}={one}" for name, one in vars(value).items() if one != usual[name]) or "usual"


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


@EACH_LEVEL
@pytest.mark.parametrize(
    ("rules", "nodes"),
    [
        (Rules(), 250),
        (Rules(portfolio=(50.0, 200.0, 700.0), nodes_each=100), 320),
        (Rules(runs=3, lookahead=2, tabu=1), 60),
        (Rules(nodes_each=100, shared=True), 200),
        (Rules(layer=1), 200),
        (Rules(layer=1, best=3, each=4, nodes_each=150), 250),
        (Rules(layer=2, best=5, each=2), 250),
    ],
    ids=changed,
)
def test_swarm_tree_search_is_that_of_its_twin(level: Level, rules: Rules, nodes: int):
    settings = {name: value for name, value in vars(rules).items() if name not in ("portfolio", "shared")}
    portfolio = "/".join(str(c) for c in rules.portfolio)
    parallel = "tree" if rules.shared else "runs"
    searcher = searcher_of("hgsts", level, level.seed, portfolio=portfolio, parallel=parallel, **settings)
    plain = Swarm(twin.board_of(level.board), lambda run: draws(level.seed, run), rules)
    assert_same_search(searcher, plain, 1, 2, 50, 51, nodes)


@EACH_LEVEL
@pytest.mark.parametrize(
    "rules",
    [
        single_player.Rules(threshold="expand", T=3),
        single_player.Rules(closed="left", T=2, W=0.3),
        single_player.Rules(threshold="expand", closed="left", T=0, C=100.0, epsilon=0.1),
        single_player.Rules(restarts=3, W=0.02, epsilon=0.003),
        single_player.Rules(nodes_each=40, D=32.0, playout="tabu-random"),
        single_player.Rules(simulations_each=60, restarts=2, D=32.0, C=0.1),
        single_player.Rules(per="move", length=9.0, playout="roulette", epsilon=0.1),
        single_player.Rules(per="move", length=30.0, T=1, W=0.28),
        single_player.Rules(per="move", length=9.0, T=3, final="visits"),
        single_player.Rules(per="move", length=9.0, T=0, final="average", threshold="expand"),
        single_player.Rules(per="move", length=40.0, T=2, final="average", closed="left", playout="random"),
    ],
    ids=changed,
)
def test_single_player_search_is_that_of_its_twin(level: Level, rules: single_player.Rules):
    searcher = searcher_of("sp-mcts", level, level.seed, 150, **vars(rules))
    board = twin.board_of(level.board)
    plain = single_player.SinglePlayer(board, lambda part: draws(level.seed, part), 150, rules)
    assert_same_search(searcher, plain, 1, 2, 50, 51, 150)


PAPERS = {
    # Schadd et al. 2008.
    "exploit": (0.1, 32, 10, 0, 0, "game"),
    "balanced": (0.5, 10_000, 10, 0, 0, "game"),
    "explore": (1, 20_000, 10, 0, 0, "game"),
    # Schadd et al. 2012: W and epsilon besides, and what the cross-entropy method found.
    "exploit-2012": (0.1, 32, 10, 0.02, 0.003, "game"),
    "balanced-2012": (0.5, 10_000, 10, 0.02, 0.003, "game"),
    "explore-2012": (1, 20_000, 10, 0.02, 0.003, "game"),
    "cem-game": (5.96, 67.98, 13, 0.49, 0.00007, "game"),
    "cem-move": (4.31, 96.67, 11, 0.28, 0.00007, "move"),
    "sp-mcts-1": (0.1, 32, 10, 0.02, 0.003, "game"),
    "sp-mcts-2": (0.1, 32, 10, 0.02, 0.003, "move"),
    "sp-mcts-3": (4.31, 96.67, 11, 0.28, 0.00007, "move"),
    "mc-rws": (0.1, 32, 10, 0.02, 0.003, "move"),
}


def test_presets_hold_the_numbers_of_the_papers():
    solver = get_solver("sp-mcts")
    assert set(solver.presets) == set(PAPERS)
    for name, expected in PAPERS.items():
        settings = solver.settle(name)
        assert tuple(settings[letter] for letter in ("C", "D", "T", "W", "epsilon", "per")) == expected
        assert settings["nodes_each"] == (100_000 if name == "sp-mcts-1" else 0)
        assert settings["playout"] == ("roulette" if name == "mc-rws" else "tabu-color")
        assert (settings["final"], settings["threshold"], settings["restarts"]) == ("top", "policy", 1)


@EACH_LEVEL
@pytest.mark.parametrize(
    ("depth", "iterations", "alpha", "policy", "tabu", "nodes"),
    [
        (1, 100, 1.0, "tabu-last", 0, 500),
        (2, 8, 1.0, "tabu-last", 1, 600),
        (3, 3, 0.5, "tabu-color", 0, 400),
        (2, 5, 2.5, "random", 0, 400),
        (2, 6, 1.0, "tabu-fixed", 2, 400),
        (2, 30, 100.0, "tabu-last", 0, 3000),
    ],
)
def test_rollout_policy_adaptation_is_that_of_its_twin(
    level: Level, depth: int, iterations: int, alpha: float, policy: str, tabu: int, nodes: int
):
    settings = {"level": depth, "iterations": iterations, "alpha": alpha, "playout": policy, "tabu": tabu}
    searcher = searcher_of("nrpa", level, level.seed, **settings)
    plain = Adaptation(twin.board_of(level.board), draws(level.seed), depth, iterations, alpha, policy, tabu)
    assert_same_search(searcher, plain, 1, 2, 50, 51, nodes)
