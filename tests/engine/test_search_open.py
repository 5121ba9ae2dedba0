"""Open-loop search against its plain twin, and what it is for."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formula import Formula, parse_formula
from engine.game import Sampled, copy_state, get_game
from engine.level import Level, draw_level
from engine.rng import new_rng
from engine.search.dispatch import formula_policy, search
from engine.search.open_loop import UNMADE, OpenTree, new_open_tree
from engine.search.policies import Ucb1, new_ucb1
from engine.search.settings import BY_FORMULA, BY_MEAN, END, ENDLESS, LITERAL, OBJECTIVES, Played, Settings
from engine.search.tree import ROOT
from tests.engine.naive import search as naive
from tests.engine.naive.formula import text_of, trees
from tests.engine.test_search import aims, formula_value, groups, small_levels

EXACT = ("add", "mul", "div", "sqrt", "sub", "min", "max")
"""The logarithm of a vector may differ in its last digit from that of one number."""


def fast_search(level: Level, policy: Ucb1 | Formula, aim: naive.Aim, seed: int) -> tuple[int, OpenTree]:
    game = get_game(level.game)
    state = game.new_state(level)
    rng = new_rng(seed, "test")
    tree = new_open_tree(aim.iterations, 2 * level.rows * level.cols)
    wanted = Settings(
        iterations=aim.iterations,
        objective=OBJECTIVES.index(aim.objective),
        win=aim.scale is None,
        goal=aim.goal,
        scale=aim.scale or 1.0,
        playout=LITERAL if aim.literal else END,
        final=BY_MEAN if aim.by_mean else BY_FORMULA,
        lazy=False,
        lookahead=aim.lookahead,
        draws=aim.draws,
    )
    horizon = ENDLESS if aim.horizon is None else aim.horizon
    played = Played(aim.points, aim.legal_total, aim.made, aim.left, horizon)
    used = formula_policy(policy, tree) if isinstance(policy, Formula) else policy
    return int(search(state.words, copy_state(state), Sampled(rng), rng, used, tree, wanted, played)), tree


def slow_search(level: Level, value: naive.Value, aim: naive.Aim, seed: int) -> tuple[int, naive.OpenNode]:
    rng = new_rng(seed, "test")
    return naive.search_open(get_game(level.game).new_state(level), Sampled(rng), rng, value, aim)


def assert_same_tree(tree: OpenTree, root: naive.OpenNode) -> None:
    assert tree.used[0] == root.size()
    waiting = [(ROOT, root)]
    while waiting:
        place, node = waiting.pop()
        assert tree.total_visits[place] == node.visits
        assert tree.total_wins[place] == node.wins
        assert tree.total_legal[place] == node.legal_sum
        made = {code: int(child) for code, child in enumerate(tree.children[place]) if child != UNMADE}
        assert made.keys() == node.children.keys()
        waiting += [(child, node.children[code]) for code, child in made.items()]


@settings(max_examples=50, deadline=None)
@given(small_levels, aims, st.integers(0, 2**53 - 1))
def test_open_search_with_ucb1_makes_the_tree_of_the_plain_twin(level, aim, seed):
    action, tree = fast_search(level, new_ucb1(), aim, seed)
    expected, root = slow_search(level, naive.ucb1, aim, seed)
    assert_same_tree(tree, root)
    assert action == expected


@settings(max_examples=50, deadline=None)
@given(small_levels | groups, aims, st.integers(0, 2**53 - 1), trees(EXACT))
def test_open_search_with_any_formula_makes_the_tree_of_the_plain_twin(level, aim, seed, formula):
    aim.horizon = None if level.horizon is None else aim.made + level.horizon
    action, tree = fast_search(level, parse_formula(text_of(formula)), aim, seed)
    expected, root = slow_search(level, formula_value(formula, aim.left), aim, seed)
    assert_same_tree(tree, root)
    assert action == expected


def test_open_search_makes_at_most_one_node_an_iteration():
    _, tree = fast_search(draw_level(seed=3), new_ucb1(), naive.Aim(250), 1)
    assert tree.total_visits[ROOT] == 250
    assert 200 < tree.used[0] <= 251


def test_open_search_with_a_full_tree_goes_on():
    level = draw_level(seed=3)
    state = get_game("match3").new_state(level)
    rng = new_rng(1, "test")
    tree = new_open_tree(3, 98)
    wanted = Settings(100, 0, True, 4000.0, 1.0, END, BY_MEAN, False)
    played = Played(0, 0, 0, 20, ENDLESS)
    search(state.words, copy_state(state), Sampled(rng), rng, new_ucb1(), tree, wanted, played)
    assert tree.total_visits[ROOT] == 100
    assert tree.used[0] == 4
