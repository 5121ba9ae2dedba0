"""The kernels of solvers and their plain twins do the same, draw by draw."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.game import get_game
from engine.level import Level, draw_level, shipped_levels
from engine.playouts import bound, candidates, play_on, playout_policies, promise
from engine.rng import new_rng, stream
from engine.solver import DEPTHS, NODES, PLAYOUTS, SCORE, Budget, Task
from engine.solving import get_solver
from tests.engine.naive import samegame as twin
from tests.engine.naive import solving as naive
from tests.engine.naive.match3 import Draws

ROOT = Path(__file__).parents[2]
GAME = get_game("samegame")
SIZES = [(6, 6, 3), (8, 10, 4), (15, 15, 5), (3, 9, 2), (5, 5, 9), (17, 12, 4)]
LEVELS = [
    pytest.param(
        draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=seed),
        # The last size has lanes of its own, for which everything is compiled once more.
        marks=pytest.mark.slow if rows > 16 else (),
        id=f"{rows}x{cols}x{colours}",
    )
    for seed, (rows, cols, colours) in enumerate(SIZES)
]


def played(level: Level, name: str, seed: int, **settings: float) -> tuple[int, list[int]]:
    """Score and codes of a play-out by the kernels."""
    policy = playout_policies("samegame")[name](level, {"epsilon": 0.0, "lookahead": 3, **settings})
    state, codes, totals = GAME.new_state(level), np.zeros(400, np.int32), np.zeros(2, np.int64)
    made = play_on(state, policy, new_rng(seed, "play-out"), totals, codes)
    return int(totals[0]), codes[:made].tolist()


def draws(seed: int) -> Draws:
    return Draws(stream(seed, "play-out"))


@pytest.mark.parametrize("level", LEVELS)
def test_playouts_of_every_policy_agree_with_their_twins(level: Level):
    board = twin.board_of(level.board)
    for seed in range(6):
        assert played(level, "roulette", seed) == naive.stepwise(board, naive.roulette(draws(seed)))
        assert played(level, "guided", seed) == naive.stepwise(board, naive.guided(draws(seed), 3))
        assert played(level, "greedy", seed) == naive.stepwise(board, naive.greedy(draws(seed)))


@pytest.mark.parametrize("level", LEVELS)
def test_promise_and_bound_agree_with_their_twins_all_through_a_game(level: Level):
    state, play = GAME.new_state(level), twin.Play(twin.board_of(level.board))
    _, codes = played(level, "random", 1)
    for code in codes:
        assert promise(state) == naive.worth(twin.groups(play.board))
        assert bound(state) == naive.bound(play.board)
        play.remove(divmod(code, level.cols))
        GAME.play(level, state, GAME.queued(level), code, False)
    assert bound(state) == 0


def test_bound_is_never_below_the_best_play():
    for seed in range(12):
        level = draw_level("samegame", rows=4, cols=4, colours=3, seed=seed)
        assert bound(GAME.new_state(level)) >= naive.best_score(level.board)


def candidates_of(level: Level, name: str, **settings: int) -> tuple[list[int], list[int]]:
    policy = playout_policies("samegame")[name](level, settings)
    actions, keys = np.zeros(401, np.int32), np.zeros(401, np.uint64)
    count = candidates(GAME.new_state(level), policy, actions, keys)
    return actions[:count].tolist(), keys[:count].tolist()


@pytest.mark.parametrize("level", LEVELS)
def test_candidates_are_the_groups_without_the_spared_colour(level: Level):
    board = twin.board_of(level.board)
    found = list(twin.groups(board))
    tabu = naive.most_frequent(board)
    everything, keys = candidates_of(level, "random")
    assert everything == twin.legal_codes(board)
    assert len(set(keys)) == len(keys)
    expected = sorted(twin.code_of(board, twin.leader(group)) for group in naive.spared(board, found, tabu))
    for name in ("tabu-color", "tabu-fixed"):
        actions, some = candidates_of(level, name)
        assert actions == expected
        assert some == [keys[everything.index(action)] for action in actions]
    assert candidates_of(level, "tabu-fixed", tabu=99)[0] == everything


def test_key_of_a_group_is_the_same_wherever_it_stands_unchanged():
    level = draw_level("samegame", rows=6, cols=8, colours=3, seed=3)
    board = twin.board_of(level.board)
    before = dict(zip(*candidates_of(level, "random"), strict=True))
    right = max(twin.groups(board), key=lambda group: min(col for _, col in group))
    after = twin.without(board, right)
    policy = playout_policies("samegame")["random"](level, {})
    state, actions, keys = GAME.new_state(level), np.zeros(49, np.int32), np.zeros(49, np.uint64)
    GAME.play(level, state, GAME.queued(level), twin.code_of(board, twin.leader(right)), False)
    now = dict(zip(actions[: candidates(state, policy, actions, keys)].tolist(), keys.tolist(), strict=False))
    unchanged = twin.groups(board) & twin.groups(after)
    assert unchanged
    for group in unchanged:
        code = twin.code_of(board, twin.leader(group))
        assert before[code] == now[code]


@pytest.mark.parametrize(
    ("c", "d", "w", "t", "epsilon"),
    [
        (200.0, 10_000.0, 0.0, 10, 0.0),
        (300.0, 20_000.0, 0.02, 10, 0.003),
        (150.0, 70.0, 0.5, 3, 0.2),
        (200.0, 100.0, 0.0, 0, 0.0),
    ],
)
def test_single_player_search_grows_the_same_tree_as_its_twin(c: float, d: float, w: float, t: int, epsilon: float):
    level = draw_level("samegame", rows=8, cols=7, colours=4, seed=int(c))
    solver = get_solver("sp-mcts")
    settings = solver.settle(None, {"C": c, "D": d, "W": w, "T": t, "epsilon": epsilon, "per": "game"})
    searcher = solver.searcher(Task(level, settings, Budget(nodes=300), 9))
    plain = naive.SpMcts(twin.board_of(level.board), Draws(stream(9, "solve", 0, 0)), c, d, w, t, epsilon)
    for until in (2, 40, 150, 300):
        searcher.advance(until, 0.0)
        while plain.nodes < until:
            plain.simulate()
            # These settings explore, so that no search comes back to the same end of a play for ever.
            assert len(plain.root.scores) < 1000
        counts = searcher.tally.counts
        assert (counts[NODES], counts[PLAYOUTS], counts[SCORE]) == (plain.nodes, plain.playouts, plain.best)
    waiting, depths = [plain.root], 0
    while waiting:
        node = waiting.pop()
        depths += node.depth
        waiting.extend(node.children.values())
    assert searcher.tally.counts[DEPTHS] == depths


def test_standard_positions_have_the_bound_that_was_once_worked_out():
    level = shipped_levels("samegame")["samegame-11"]
    assert bound(GAME.new_state(level)) == 5 * 43**2 + 1000


@pytest.mark.parametrize("asked", ["has_bound", "bound", "promise", "fingerprint"])
def test_what_a_game_registers_for_solvers_is_found_whatever_was_imported_before(asked):
    script = (
        "from engine.game import get_game; from engine.level import draw_level; from engine import playouts\n"
        "level = draw_level('samegame', rows=4, cols=4, colours=2, moves=None, seed=0)\n"
        f"assert playouts.{asked}(get_game('samegame').new_state(level))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
