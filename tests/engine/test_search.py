"""Tree search against its plain twin, its settings one by one, and whole games inside kernels."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formula import Formula, parse_formula
from engine.game import Sampled, copy_state, get_game
from engine.level import Level, draw_level
from engine.rng import below, new_rng
from engine.search.dispatch import formula_policy, search
from engine.search.policies import (
    FormulaPolicy,
    Ucb1,
    best_place,
    needs_states,
    new_formula_policy,
    new_ucb1,
    score_children,
)
from engine.search.scores import SCORE_LANES
from engine.search.settings import BY_FORMULA, BY_MEAN, END, ENDLESS, LITERAL, OBJECTIVES, Played, Settings
from engine.search.tree import ROOT, UNEXPANDED, Tree, new_tree
from tests.engine.naive import search as naive
from tests.engine.naive.formula import text_of, trees, value_of

MATCH3 = get_game("match3")
BOTH = "add(div(wins, visits), div(sqrt(parent_visits), add(visits, legal_moves)))"


def fast_search(
    level: Level, policy: Ucb1 | FormulaPolicy | Formula, aim: naive.Aim, seed: int, *, clairvoyant: bool = False
) -> tuple[int, Tree]:
    game = get_game(level.game)
    state = game.new_state(level)
    rng = new_rng(seed, "test")
    chance = game.queued(level) if clairvoyant else Sampled(rng)
    tree = new_tree(aim.iterations, 2 * level.rows * level.cols, len(state.words))
    used = formula_policy(policy, tree) if isinstance(policy, Formula) else policy
    wanted = Settings(
        iterations=aim.iterations,
        objective=OBJECTIVES.index(aim.objective),
        win=aim.scale is None,
        goal=aim.goal,
        scale=aim.scale or 1.0,
        playout=LITERAL if aim.literal else END,
        final=BY_MEAN if aim.by_mean else BY_FORMULA,
        lazy=aim.lazy,
        lookahead=aim.lookahead,
        draws=aim.draws,
    )
    horizon = ENDLESS if aim.horizon is None else aim.horizon
    played = Played(aim.points, aim.legal_total, aim.made, aim.left, horizon)
    return int(search(state.words, copy_state(state), chance, rng, used, tree, wanted, played)), tree


def slow_search(
    level: Level, value: naive.Value, aim: naive.Aim, seed: int, *, clairvoyant: bool = False
) -> tuple[int, naive.Node]:
    game = get_game(level.game)
    rng = new_rng(seed, "test")
    chance = game.queued(level) if clairvoyant else Sampled(rng)
    return naive.search(game.new_state(level), chance, rng, value, aim)


def formula_value(tree: Any, left: int) -> naive.Value:
    """What the formula says in a game that has `left` actions left at the root."""

    def value(child: naive.Node, node: naive.Node) -> float:
        return naive.finite(value_of(tree, naive.variables_of(child, node.depth, left)))

    return value


def assert_same_tree(tree: Tree, root: naive.Node) -> None:
    """Node by node: the children of the kernel's tree are in the order in which the twin made them."""
    assert tree.used[0] == root.size()
    waiting = [(ROOT, root)]
    while waiting:
        place, node = waiting.pop()
        assert tree.visits[place] == node.visits
        assert tree.wins[place] == node.wins
        assert tree.depth[place] == node.depth
        if node.state is not None:
            assert (tree.states[place] == node.state.words).all()
            assert tree.points[place] == node.points
            assert tree.legal_total[place] == node.legal_total
            assert tree.legal[place] == node.legal
        assert bool(tree.made[place]) == (node.state is not None)
        assert (tree.first[place] == UNEXPANDED) == (not node.children)
        for number, child in enumerate(node.children):
            assert tree.action[tree.first[place] + number] == child.action
            waiting.append((int(tree.first[place]) + number, child))


aims = st.builds(
    naive.Aim,
    iterations=st.integers(1, 40),
    objective=st.sampled_from(OBJECTIVES),
    goal=st.sampled_from([-7.0, -2000.0, 7.0, 2000.0]),
    scale=st.none() | st.just(1000.0),
    literal=st.booleans(),
    by_mean=st.booleans(),
    lazy=st.booleans(),
    points=st.integers(0, 2000),
    legal_total=st.integers(0, 100),
    made=st.integers(0, 18),
    left=st.integers(1, 4),
    lookahead=st.sampled_from([0, 0, 1, 2, 3]),
    draws=st.sampled_from([1, 1, 2, 4]),
)


def levels_up_to(size: int) -> st.SearchStrategy[Level]:
    return st.builds(
        draw_level,
        rows=st.integers(4, size),
        cols=st.integers(4, size),
        colours=st.integers(3, 6),
        seed=st.integers(0, 10**6),
    )


# Boards over 8 x 8 are another type of state, for which every kernel is compiled once more.
small_levels, levels = levels_up_to(8), levels_up_to(9)


@settings(max_examples=60, deadline=None)
@given(small_levels, aims, st.integers(0, 2**53 - 1), st.booleans())
def test_search_with_ucb1_makes_the_tree_of_the_plain_twin(level, aim, seed, clairvoyant):
    action, tree = fast_search(level, new_ucb1(), aim, seed, clairvoyant=clairvoyant)
    expected, root = slow_search(level, naive.ucb1, aim, seed, clairvoyant=clairvoyant)
    assert_same_tree(tree, root)
    assert action == expected


@settings(max_examples=60, deadline=None)
@given(levels, aims, st.integers(0, 2**53 - 1), trees(("add", "mul", "div", "sqrt", "sub", "min", "max")))
def test_search_with_any_formula_makes_the_tree_of_the_plain_twin(level, aim, seed, formula):
    parsed = parse_formula(text_of(formula))
    aim.lazy = aim.lazy and not needs_states(parsed)
    action, tree = fast_search(level, parsed, aim, seed)
    expected, root = slow_search(level, formula_value(formula, aim.left), aim, seed)
    assert_same_tree(tree, root)
    assert action == expected


GROUP_FORMULAS = (
    ("div", "wins", ("add", "visits", "legal_moves")),
    (
        "add",
        ("mul", "deviation", "moves_left"),
        ("sub", ("add", "best", "gain"), ("div", "depth", ("add", "visits", "parent_mean"))),
    ),
)
groups = st.builds(
    draw_level,
    st.just("samegame"),
    rows=st.integers(3, 8),
    cols=st.integers(3, 8),
    colours=st.integers(2, 5),
    moves=st.none(),
    seed=st.integers(0, 10**6),
)


@settings(max_examples=30, deadline=None)
@given(groups, aims, st.integers(0, 2**53 - 1), st.sampled_from([5, 10**9, ENDLESS]), st.sampled_from(GROUP_FORMULAS))
def test_search_of_a_game_that_ends_by_itself_makes_the_tree_of_the_plain_twin(level, aim, seed, left, tree):
    # The state is at its first action, so what is left of the horizon is the level's.
    aim.left, aim.horizon = left, aim.made + level.horizon
    aim.lazy = False
    action, fast = fast_search(level, parse_formula(text_of(tree)), aim, seed)
    expected, root = slow_search(level, formula_value(tree, left), aim, seed)
    assert_same_tree(fast, root)
    assert action == expected


def test_search_gives_the_root_as_many_visits_as_iterations():
    _, tree = fast_search(draw_level(seed=3), new_ucb1(), naive.Aim(250), 1)
    assert tree.visits[ROOT] == 250
    children = slice(int(tree.first[ROOT]), int(tree.first[ROOT] + tree.count[ROOT]))
    assert tree.visits[children].sum() == 250
    assert tree.visits[children].min() >= 1  # UCB1 visits every child before any a second time


def test_search_does_not_force_visits_of_a_formula():
    # Whoever was visited is worth most for ever: the first choice takes all.
    _, tree = fast_search(draw_level(seed=3), new_formula_policy(parse_formula("visits")), naive.Aim(50), 1)
    children = slice(int(tree.first[ROOT]), int(tree.first[ROOT] + tree.count[ROOT]))
    assert max(tree.visits[children]) == 50


def test_search_ends_where_the_game_ends():
    _, tree = fast_search(draw_level(seed=3), new_formula_policy(parse_formula("visits")), naive.Aim(60, left=2), 1)
    assert tree.depth[: tree.used[0]].max() == 2


def test_search_with_a_full_tree_goes_on_without_new_nodes():
    level = draw_level(seed=3)
    state = MATCH3.new_state(level)
    tree = new_tree(1, 2 * 49, len(state.words))
    wanted = Settings(200, 0, True, 4000.0, 1.0, END, BY_MEAN, False)
    rng = new_rng(1, "test")
    action = search(
        state.words, copy_state(state), Sampled(rng), rng, new_ucb1(), tree, wanted, Played(0, 0, 0, 20, ENDLESS)
    )
    assert tree.visits[ROOT] == 200
    assert tree.used[0] <= len(tree.parent)
    assert MATCH3.is_legal(level, state, int(action))


def test_search_leaves_the_position_as_it_was():
    level = draw_level(seed=8)
    state = MATCH3.new_state(level)
    before = state.words.copy()
    tree = new_tree(30, 2 * 49, len(before))
    rng = new_rng(1, "test")
    wanted = Settings(30, 0, True, 4000.0, 1.0, END, BY_MEAN, False)
    search(state.words, copy_state(state), Sampled(rng), rng, new_ucb1(), tree, wanted, Played(0, 0, 0, 20, ENDLESS))
    assert (state.words == before).all()


def _scores(policy: Ucb1 | FormulaPolicy, wins: list[float], visits: list[float]) -> list[float]:
    tree = new_tree(4, 98, 10)
    count = len(wins)
    tree.wins[1 : 1 + count] = wins
    tree.visits[1 : 1 + count] = visits
    tree.legal[1 : 1 + count] = 5.0
    score_children(policy, tree, 1, count, max(sum(visits), 1.0))
    return [float(value) for value in tree.scores[:count]]


def test_policies_rank_nan_and_infinities_of_a_formula_below_everything():
    huge = "mul(mul(1e300, visits), mul(1e300, visits))"
    policy = new_formula_policy(parse_formula(f"add({huge}, -1.0)"))
    assert _scores(policy, [0.0, 0.0], [1.0, 0.0]) == [-np.inf, -1.0]
    policy = new_formula_policy(parse_formula(f"sub({huge}, {huge})"))
    assert _scores(policy, [0.0, 0.0], [1.0, 0.0]) == [-np.inf, 0.0]
    policy = new_formula_policy(parse_formula(f"sub(0.0, {huge})"))
    assert _scores(policy, [0.0, 0.0], [1.0, 0.0]) == [-np.inf, 0.0]


def test_policies_ucb1_is_infinite_for_unvisited_children_and_the_papers_value_else():
    first, second = _scores(new_ucb1(), [3.0, 0.0], [4.0, 0.0])
    assert second == np.inf
    assert first == pytest.approx(0.75 + np.sqrt(2 * np.log(4) / 4) / np.sqrt(2), rel=1e-15)


def test_policies_formula_scores_every_one_of_many_children():
    visits = [float(number) for number in range(1, 60)]
    policy = new_formula_policy(parse_formula("div(wins, visits)"))
    assert _scores(policy, [7.0] * 59, visits) == [7.0 / one for one in visits]


def test_best_place_breaks_ties_at_random_and_evenly():
    # Numbers after the first five are none of its business.
    scores = np.array([1.0, 2.0, 0.0, 2.0, 2.0, 9.0, 2.0, np.nan] + [9.0] * SCORE_LANES)
    rng = new_rng(4, "ties")
    chosen = [int(best_place(scores, 5, rng)) for _ in range(3000)]
    assert set(chosen) == {1, 3, 4}
    assert all(900 < chosen.count(place) < 1100 for place in (1, 3, 4))


def test_best_place_draws_nothing_without_a_tie():
    rng = new_rng(4, "ties")
    before = rng.copy()
    assert best_place(np.array([-np.inf, 2.0, 1.0] + [2.0] * SCORE_LANES), 3, rng) == 1
    assert (rng == before).all()


def test_best_place_of_nothing_but_the_lowest_is_any():
    rng = new_rng(4, "ties")
    assert {int(best_place(np.full(3 + SCORE_LANES, -np.inf), 3, rng)) for _ in range(60)} == {0, 1, 2}


@pytest.mark.parametrize("count", [1, 15, 16, 17, 40, 144])
def test_best_place_finds_every_highest_of_many(count):
    rng, choice = new_rng(count, "many"), np.random.default_rng(count)
    for _ in range(200):
        scores = np.concatenate([choice.integers(0, 5, count).astype(float), np.full(SCORE_LANES, 9.0)])
        highest = np.flatnonzero(scores[:count] == scores[:count].max())
        again = rng.copy()
        drawn = int(below(again, len(highest))) if len(highest) > 1 else 0
        assert best_place(scores, count, rng) == highest[drawn]
        assert (rng == again).all()


def test_ucb1_looks_up_the_logarithms_that_it_would_compute():
    policy = new_ucb1()
    for parent_visits in (1.0, 2.0, 250.0, 1023.0, 1024.0, 5000.0):
        rows = new_tree(4, 98, 10)
        rows.wins[1], rows.visits[1] = 1.0, 2.0
        score_children(policy, rows, 1, 1, parent_visits)
        assert rows.scores[0] == 0.5 + (1 / math.sqrt(2)) * math.sqrt(2.0 * math.log(parent_visits) / 2.0)


def test_needs_states_finds_the_variables_wherever_they_stand():
    for text in (BOTH, "legal_moves", "sqrt(legal_moves)", "add(wins, gain)"):
        assert needs_states(parse_formula(text))
    assert not needs_states(parse_formula("add(div(wins, visits), mul(best, depth))"))


def test_search_costs_what_the_algorithm_says():
    # Guards the cost by counts, not by time: nodes of one fixed search, eager and lazy, with the bench's formula.
    text = "add(mul(sqrt(div(wins, visits)), 3.2), sub(sqrt(div(parent_visits, visits)), mul(legal_moves, 0.05)))"
    level = draw_level(seed=20)
    _, eager = fast_search(level, new_formula_policy(parse_formula(text)), naive.Aim(250), 1)
    _, lazy = fast_search(level, new_ucb1(), naive.Aim(250, lazy=True), 1)
    assert int(eager.made[: eager.used[0]].sum()) == eager.used[0]
    assert int(lazy.made[: lazy.used[0]].sum()) <= 1 + 2 * 250
    assert (int(eager.used[0]), int(lazy.used[0])) == (1356, 2493)
