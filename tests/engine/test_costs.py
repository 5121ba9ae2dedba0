"""What searches and play-outs cost, in counts that no machine changes: whoever changes the algorithm sees it here.

Numbers were written down as they came out. Where one changes, say in the commit why it may. A change for speed alone
changes none of them.
"""

from typing import Any

import numpy as np
import pytest

from engine.formula import parse_formula
from engine.game import Sampled, copy_state, get_game, legal_count, random_playout
from engine.games.samegame.playouts import RANDOM, TABU_COLOR, TABU_RANDOM, tabu_of, tabu_playout
from engine.level import shipped_levels
from engine.rng import new_rng
from engine.search.dispatch import search
from engine.search.open_loop import OpenTree, new_open_tree
from engine.search.policies import FormulaPolicy, Ucb1, needs_states, new_formula_policy, new_ucb1
from engine.search.settings import BY_FORMULA, END, ENDLESS, Played, Settings
from engine.search.tree import ROOT, Tree, new_tree

ITERATIONS = 250
GOLDEN_INVERSE = pow(0x9E3779B97F4A7C15, -1, 2**64)
POLICIES = {
    "ucb1": None,
    "formula": "add(div(wins, visits), mul(0.7, sqrt(div(parent_visits, visits))))",
    "formula with legal moves": "add(div(wins, visits), div(sqrt(parent_visits), add(visits, legal_moves)))",
}
LEVELS = {"match3": "board-1", "samegame": "samegame-01"}


def policy_of(name: str) -> Ucb1 | FormulaPolicy:
    formula = POLICIES[name]
    return new_ucb1() if formula is None else new_formula_policy(parse_formula(formula))


def drawn(before: int, rng: np.ndarray) -> int:
    """How many random numbers were drawn: the generator counts by steps of one odd constant."""
    return (int(rng[0]) - before) * GOLDEN_INVERSE % 2**64


def search_costs(game_name: str, tree_name: str, policy_name: str) -> dict[str, int]:
    """The counts of one search of 250 iterations at the start of a level."""
    level = shipped_levels(game_name)[LEVELS[game_name]]
    game = get_game(game_name)
    state, rng, policy = game.new_state(level), new_rng(1, "costs"), policy_of(policy_name)
    start = int(rng[0])
    codes = 2 * level.rows * level.cols
    formula = POLICIES[policy_name]
    lazy = formula is None or not needs_states(parse_formula(formula))
    aim = Settings(ITERATIONS, 0, False, 0.0, 1000.0, END, BY_FORMULA, lazy)
    left = ENDLESS if level.moves is None else level.moves
    played = Played(0, 0, 0, left, ENDLESS if level.horizon is None else level.horizon)
    tree: Any = new_open_tree(ITERATIONS, codes) if tree_name == "open" else None
    tree = tree or new_tree(ITERATIONS, codes, len(state.words))
    search(state.words, copy_state(state), Sampled(rng), rng, policy, tree, aim, played)
    counts = open_counts(tree) if isinstance(tree, OpenTree) else closed_counts(tree, left)
    return {**counts, "drawn": drawn(start, rng)}


def closed_counts(tree: Tree, left: int) -> dict[str, int]:
    """Simulations, nodes, states made, legal moves of all states made, and the actions of all play-outs.

    A play-out began at a node as often as it was visited more than its children together; in a game without a limit
    its length is not known from the tree.
    """
    used = int(tree.used[0])
    made = tree.made[:used] == 1
    own = tree.visits[:used].copy()
    np.subtract.at(own, tree.parent[1:used], tree.visits[1:used])
    counts = {
        "simulations": int(tree.visits[ROOT]),
        "nodes": used,
        "made": int(made.sum()),
        "legal": int(tree.legal[:used][made].sum()),
    }
    return counts if left == ENDLESS else counts | {"playout": int((own * (left - tree.depth[:used])).sum())}


def open_counts(tree: OpenTree) -> dict[str, int]:
    """Simulations, nodes, and the numbers of legal moves that all visits of nodes met."""
    used = int(tree.used[0])
    return {
        "simulations": int(tree.total_visits[ROOT]),
        "nodes": used,
        "legal": int(tree.total_legal[:used].sum()),
    }


SEARCHES: dict[tuple[str, str, str], dict[str, int]] = {
    ("match3", "closed", "ucb1"): {
        "simulations": 250,
        "nodes": 2396,
        "made": 493,
        "legal": 4648,
        "playout": 4096,
        "drawn": 15166,
    },
    ("match3", "closed", "formula"): {
        "simulations": 250,
        "nodes": 125,
        "made": 21,
        "legal": 132,
        "playout": 190,
        "drawn": 1498,
    },
    ("match3", "closed", "formula with legal moves"): {
        "simulations": 250,
        "nodes": 357,
        "made": 357,
        "legal": 2373,
        "playout": 422,
        "drawn": 1700,
    },
    ("match3", "open", "ucb1"): {"simulations": 250, "nodes": 251, "legal": 4971, "drawn": 14057},
    ("match3", "open", "formula"): {"simulations": 250, "nodes": 251, "legal": 16598, "drawn": 13377},
    ("match3", "open", "formula with legal moves"): {"simulations": 250, "nodes": 251, "legal": 16549, "drawn": 14714},
    ("samegame", "closed", "ucb1"): {"simulations": 250, "nodes": 10459, "made": 499, "legal": 20615, "drawn": 16217},
    ("samegame", "closed", "formula"): {
        "simulations": 250,
        "nodes": 10106,
        "made": 491,
        "legal": 19615,
        "drawn": 15930,
    },
    ("samegame", "closed", "formula with legal moves"): {
        "simulations": 250,
        "nodes": 10007,
        "made": 10007,
        "legal": 392869,
        "drawn": 16212,
    },
    ("samegame", "open", "ucb1"): {"simulations": 250, "nodes": 251, "legal": 19250, "drawn": 16271},
    ("samegame", "open", "formula"): {"simulations": 250, "nodes": 251, "legal": 28391, "drawn": 15993},
    ("samegame", "open", "formula with legal moves"): {
        "simulations": 250,
        "nodes": 251,
        "legal": 19223,
        "drawn": 16334,
    },
}


@pytest.mark.parametrize("case", SEARCHES, ids=", ".join)
def test_search_costs_what_it_did(case: tuple[str, str, str]) -> None:
    assert search_costs(*case) == SEARCHES[case]


def test_lazy_search_makes_states_of_visited_children_only() -> None:
    """Beside the root's the leaf's and its child's an iteration; a policy that reads legal moves needs all of them."""
    for game, policy in [("match3", "ucb1"), ("samegame", "ucb1"), ("samegame", "formula")]:
        lazy, eager = SEARCHES[game, "closed", policy], SEARCHES[game, "closed", "formula with legal moves"]
        assert lazy["made"] <= 1 + 2 * ITERATIONS < lazy["nodes"]
        assert eager["made"] == eager["nodes"]


GAMES = 200


def match3_costs() -> dict[str, int]:
    """Random play-outs of 20 moves from one board: points, legal moves, random numbers."""
    game, level = get_game("match3"), shipped_levels("match3")["board-1"]
    state, rng, totals = game.new_state(level), new_rng(1, "costs"), np.zeros(2, np.int64)
    start, words = int(rng[0]), state.words.copy()
    for _ in range(GAMES):
        state.words[:] = words
        random_playout(state, Sampled(rng), rng, 20, totals)
    return {"points": int(totals[0]), "legal": int(totals[1]), "drawn": drawn(start, rng)}


def samegame_costs(kind: int) -> dict[str, int]:
    """Play-outs of a kind from one board to the end: points, removable groups, moves, random numbers."""
    game, level = get_game("samegame"), shipped_levels("samegame")["samegame-01"]
    state, rng, totals = game.new_state(level), new_rng(1, "costs"), np.zeros(2, np.int64)
    start, words, moves = int(rng[0]), state.words.copy(), 0
    for _ in range(GAMES):
        state.words[:] = words
        moves += int(tabu_playout(state, tabu_of(state, kind, rng), 0.0, rng, 1000, totals, None))
        assert legal_count(state) == 0
    return {"points": int(totals[0]), "legal": int(totals[1]), "moves": moves, "drawn": drawn(start, rng)}


MATCH3 = {"points": 646720, "legal": 31727, "drawn": 14189}
SAMEGAME = {
    RANDOM: {"points": -24038, "legal": 201179, "moves": 13265, "drawn": 13265},
    TABU_RANDOM: {"points": 3248, "legal": 196801, "moves": 12682, "drawn": 12882},
    TABU_COLOR: {"points": -7082, "legal": 197808, "moves": 12541, "drawn": 12541},
}


def test_random_playouts_of_match3_cost_what_they_did() -> None:
    assert match3_costs() == MATCH3


@pytest.mark.parametrize("kind", [RANDOM, TABU_RANDOM, TABU_COLOR])
def test_playouts_of_samegame_cost_what_they_did(kind: int) -> None:
    assert samegame_costs(kind) == SAMEGAME[kind]
