"""Heuristically guided swarm tree search in plain Python, for one thread."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.engine.naive import samegame as twin
from tests.engine.naive import solving as naive
from tests.engine.naive.match3 import Draws
from tests.engine.naive.searching import Position, Twin, ranked_colours

NO_COLOUR = -1


class Node:
    """A node of the tree; `fitness` is 1 + the points of the action that led here, if these are not negative."""

    def __init__(self, position: Position, parent: "Node | None" = None) -> None:
        self.position, self.parent = position, parent
        gained = position.points - parent.position.points if parent else 0
        self.fitness = 1 + max(0, gained)
        self.visits, self.best = 0, -(10**9)
        self.children: list[Node] = []
        self.is_closed = False

    def way_up(self) -> "Iterator[Node]":
        node: Node | None = self
        while node:
            yield node
            node = node.parent

    def close(self) -> None:
        """Close this node, and those above whose children are all closed."""
        self.is_closed = True
        if self.parent and all(child.is_closed for child in self.parent.children):
            self.parent.close()

    def uct(self, c: float, visits: int) -> float:
        return self.best + c * math.sqrt(math.log(visits)) / math.sqrt(self.visits) if self.visits else math.inf


@dataclass(frozen=True)
class Rules:
    """The settings, by their names."""

    portfolio: tuple[float, ...] = (300.0, 800.0)
    tabus: int = 2
    tabu: int = 0
    lookahead: int = 10
    runs: int = 1
    nodes_each: int = 100_000
    layer: int = 0
    best: int = 16
    each: int = 50
    shared: bool = False


class Swarm(Twin):
    """Runs one after the other, each in a fresh tree with a stream, a C and a tabu colour of its own."""

    def __init__(self, board: twin.Board, draws_of: Callable[[int], Draws], rules: Rules) -> None:
        super().__init__(board)
        self.draws_of, self.rules = draws_of, rules

    def steps(self) -> Iterator[None]:
        rules, colours = self.rules, ranked_colours(self.start.board)
        runs_in_portfolio = len(rules.portfolio) * rules.tabus
        run = closed = 0
        while True:
            is_free = closed >= runs_in_portfolio
            rank = rules.tabu + run // len(rules.portfolio) % rules.tabus
            self.c = rules.portfolio[run % len(rules.portfolio)]
            self.tabu = colours[rank] if rank < len(colours) and not is_free else NO_COLOUR
            self.draws = self.draws_of(run)
            yield from self.one_run()
            if self.root.is_closed and is_free:
                self.done = 1
                yield
            closed += self.root.is_closed
            run += 1
            self.restarts += 1

    def one_run(self) -> Iterator[None]:
        began, self.met = self.nodes, {}
        self.root = Node(self.start)
        self.note_node(0)
        roots = self.roots()
        while not self.root.is_closed:
            self.simulate(next(roots))
            yield
            if self.nodes - began >= self.rules.nodes_each and not self.rules.shared:
                return

    def roots(self) -> Iterator[Node]:
        """Where each simulation begins: at the root, or in rounds at the best of the set."""
        rules, layer = self.rules, self.grown_layer()
        while True:
            still = [node for node in layer if not node.is_closed]
            if rules.layer == 0 or not still:
                yield self.root
                continue
            total = 2 + sum(node.visits for node in layer)
            for node in sorted(still, key=lambda node: -node.uct(self.c, total))[: rules.best]:
                for _ in range(rules.each):
                    if node.is_closed:
                        break
                    yield node

    def grown_layer(self) -> list[Node]:
        """The open nodes at the depth of the set, all above them expanded."""
        layer = [self.root]
        for _ in range(self.rules.layer):
            for node in layer:
                if node.position.is_over:
                    self.note_play(node.position.points, node.position.codes)
                    node.close()
                else:
                    self.expand(node)
            layer = [child for node in layer for child in node.children]
        return [node for node in layer if not node.is_closed]

    def simulate(self, node: Node) -> None:
        node.visits += 1
        is_first_visit = False
        while node.children and not is_first_visit:
            open_ones = [child for child in node.children if not child.is_closed]
            if not open_ones:
                break
            node = self.chosen(node, open_ones)
            is_first_visit = node.visits == 0
            node.visits += 1
        position = node.position
        if position.is_over:
            score = position.points
            self.note_play(score, position.codes)
            if not node.is_closed:
                node.close()
        else:
            if not is_first_visit and not node.children and not node.is_closed:
                self.expand(node)
            score = max(self.play_on(position, self.guided, counts_nodes=False)[0] for _ in range(self.rules.runs))
        for one in node.way_up():
            one.best = max(one.best, score)

    def chosen(self, node: Node, open_ones: list[Node]) -> Node:
        unvisited = [child for child in open_ones if child.visits == 0]
        if not unvisited:
            return max(open_ones, key=lambda child: child.uct(self.c, node.visits))
        skip = self.draws.below(sum(child.fitness for child in unvisited))
        for child in unvisited:
            skip -= child.fitness
            if skip < 0:
                return child
        raise AssertionError

    def expand(self, node: Node) -> None:
        """Give a node all its children, unless its position was met with as many points."""
        position = node.position
        key = position.key
        if self.met.get(key, -(10**9)) >= position.points:
            node.close()
            return
        self.met[key] = position.points
        node.children = [Node(position.after(code), node) for code in position.without(self.tabu)]
        for child in node.children:
            self.note_node(child.position.depth)

    def guided(self, board: twin.Board) -> tuple[int, list[int]]:
        return naive.stepwise(board, naive.guided(self.draws, self.rules.lookahead), self.tabu)
