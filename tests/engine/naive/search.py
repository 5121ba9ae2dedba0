"""A plain twin of tree search: nodes as objects, values as Python floats, one step after the other as the paper has it.

It plays by the hooks of `engine.game` and draws from the same stream in the same order, so it must choose the same
action and make the same nodes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.game import apply_action, copy_state, legal_actions, legal_count, prospect, random_action
from engine.rng import below

Value = Callable[["Node", "Node"], float]
"""What a child of a node is worth, given the child and the node."""


@dataclass
class Aim:
    """The settings of a search, in words."""

    iterations: int
    objective: str = "maxs"
    goal: float = 4000.0
    scale: float | None = None
    """Graded reward if given."""
    literal: bool = True
    by_mean: bool = False
    lazy: bool = False
    points: int = 0
    legal_total: int = 0
    made: int = 0
    left: int = 20
    horizon: int | None = None
    lookahead: int = 0
    draws: int = 1


@dataclass
class Node:
    parent: "Node | None"
    action: int
    state: Any = None
    points: int = 0
    legal_total: int = 0
    legal: float = 0
    visits: float = 0.0
    wins: float = 0.0
    squares: float = 0.0
    best: float = -math.inf
    gain: float = 0.0
    """Thousands of points of the action that led here."""
    children: list["Node"] = field(default_factory=list)
    is_searched: bool = False
    """Of the root: the search is over, and its action is to be chosen."""

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


def ucb1(child: Node, node: Node) -> float:
    if child.visits == 0:
        return math.inf
    return child.wins / child.visits + (1 / math.sqrt(2)) * math.sqrt(2.0 * math.log(node.visits) / child.visits)


def mean(child: Node, node: Node) -> float:
    return child.wins / child.visits if child.visits else -math.inf


def deviation(child: Node) -> float:
    if not child.visits:
        return 0.0
    average = child.wins / child.visits
    return math.sqrt(max(child.squares / child.visits - average * average, 0.0))


def variables_of(child: Node, depth: int, left: int) -> dict[str, float]:
    """Everything that a formula may read, for a child of a node `depth` deep, with `left` actions left at the root."""
    assert child.parent is not None
    return {
        "wins": child.wins,
        "visits": child.visits,
        "parent_visits": child.parent.visits,
        "legal_moves": float(child.legal),
        "mean": child.wins / child.visits if child.visits else 0.0,
        "best": child.best if child.visits else 0.0,
        "deviation": deviation(child),
        "gain": child.gain,
        "depth": depth + 1.0,
        "moves_left": float(left - depth) if left < 2**31 - 1 else 0.0,
        "parent_mean": child.parent.wins / child.parent.visits if child.parent.visits else 0.0,
        "searching": 0.0 if child.parent.is_searched else 1.0,
    }


def finite(value: float) -> float:
    return value if math.isfinite(value) else -math.inf


def choose_child(node: Node, value: Value, rng: Any) -> Node:
    values = [value(child, node) for child in node.children]
    best = [child for child, one in zip(node.children, values, strict=True) if one == max(values)]
    return best[int(below(rng, len(best)))] if len(best) > 1 else best[0]


def counts(aim: Aim, depth: int) -> bool:
    """Whether the number of legal actions counts that many actions below the root."""
    return aim.horizon is None or aim.made + depth < aim.horizon


def make(child: Node, chance: Any, aim: Aim) -> None:
    if child.state is not None:
        return
    parent = child.parent
    assert parent is not None
    child.state = copy_state(parent.state)
    gained = int(apply_action(child.state, child.action, chance))
    child.points = parent.points + gained
    child.gain = gained / 1000.0
    child.legal_total = parent.legal_total + (parent.legal if counts(aim, parent.depth) else 0)
    child.legal = int(legal_count(child.state))


def hope(state: Any, action: int, aim: Aim) -> int:
    """How good an action looks to a play-out that chooses among several."""
    if aim.draws == 1:
        return 0
    value = int(prospect(state, action, aim.objective in ("maxm", "minm")))
    return -value if aim.objective in ("mins", "minm") else value


def roll_out(state: Any, depth: int, points: int, legal_total: int, chance: Any, rng: Any, aim: Aim) -> float:
    """The reward of a random play-out of `state`, which it changes; points and legal actions are since the root."""
    points += aim.points
    legal_total += aim.legal_total
    length = aim.left if aim.literal else aim.left - depth
    if aim.lookahead:
        length = min(length, max(0, aim.lookahead - depth))
    for step in range(length):
        count = int(legal_count(state))
        if count == 0:
            break
        legal_total += count if counts(aim, depth + step) else 0
        drawn = [int(random_action(state, rng)) for _ in range(aim.draws)]
        points += int(apply_action(state, max(drawn, key=lambda one: hope(state, one, aim)), chance))
    counted = aim.made + depth + length if aim.horizon is None else aim.horizon
    outcome = float(points) if aim.objective in ("maxs", "mins") else legal_total / max(counted, 1)
    if aim.objective in ("mins", "minm"):
        outcome = -outcome
    if aim.scale is not None:
        return outcome / aim.scale
    return 1.0 if outcome >= aim.goal else 0.0


def search(state: Any, chance: Any, rng: Any, value: Value, aim: Aim) -> tuple[int, Node]:
    """The chosen action and the root of the tree."""
    root = Node(None, -1, copy_state(state), legal=int(legal_count(state)))
    out = np.zeros(1000, np.int32)
    for _ in range(aim.iterations):
        node = root
        while node.children:
            node = choose_child(node, value, rng)
        make(node, chance, aim)
        if node.depth < aim.left:
            count = int(legal_actions(node.state, out))
            node.children = [Node(node, int(action)) for action in out[:count]]
            if not aim.lazy:
                for child in node.children:
                    make(child, chance, aim)
            if count:
                node = node.children[int(below(rng, count))]
                make(node, chance, aim)
        gained = roll_out(copy_state(node.state), node.depth, node.points, node.legal_total, chance, rng, aim)
        back: Node | None = node
        while back is not None:
            back.visits += 1
            back.wins += gained
            back.squares += gained * gained
            back.best = max(back.best, gained)
            back = back.parent
    root.is_searched = True
    return choose_child(root, mean if aim.by_mean else value, rng).action, root


@dataclass
class OpenNode:
    """What a sequence of actions brought on average."""

    children: dict[int, "OpenNode"] = field(default_factory=dict)
    visits: float = 0.0
    wins: float = 0.0
    squares: float = 0.0
    best: float = -math.inf
    gain_sum: float = 0.0
    legal_sum: float = 0.0

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children.values())


def seen_children(node: OpenNode, actions: list[int], depth: int) -> Node:
    """The children by these actions as the policies of the closed tree know them."""
    here = Node(None, -1, visits=node.visits, wins=node.wins)
    for _ in range(depth):
        # Only so that the depth can be told.
        here = Node(here, -1, visits=node.visits, wins=node.wins)
    for action in actions:
        child = node.children.get(action)
        if child is None:
            here.children.append(Node(here, action, legal=len(actions)))
        else:
            mean_legal = child.legal_sum / child.visits
            here.children.append(
                Node(
                    here,
                    action,
                    visits=child.visits,
                    wins=child.wins,
                    squares=child.squares,
                    best=child.best,
                    gain=child.gain_sum / child.visits,
                    legal=mean_legal,
                )
            )
    return here


def search_open(state: Any, chance: Any, rng: Any, value: Value, aim: Aim) -> tuple[int, OpenNode]:
    """The chosen action and the root, whose nodes are keyed by actions; every iteration meets other pieces."""
    root = OpenNode()
    out = np.zeros(1000, np.int32)
    for _ in range(aim.iterations):
        now = copy_state(state)
        points = legal_total = 0
        path = [root]
        is_new = False
        while not is_new and len(path) - 1 < aim.left:
            actions = out[: int(legal_actions(now, out))].tolist()
            if not actions:
                break
            action = choose_child(seen_children(path[-1], actions, len(path) - 1), value, rng).action
            is_new = action not in path[-1].children
            child = path[-1].children.setdefault(action, OpenNode())
            gained_now = int(apply_action(now, action, chance))
            points += gained_now
            child.gain_sum += gained_now / 1000.0
            legal_total += len(actions) if counts(aim, len(path) - 1) else 0
            child.legal_sum += float(legal_count(now))
            path.append(child)
        gained = roll_out(now, len(path) - 1, points, legal_total, chance, rng, aim)
        for node in path:
            node.visits += 1
            node.wins += gained
            node.squares += gained * gained
            node.best = max(node.best, gained)
    actions = out[: int(legal_actions(state, out))].tolist()
    seen = seen_children(root, actions, 0)
    seen.is_searched = True
    return choose_child(seen, mean if aim.by_mean else value, rng).action, root
