"""SP-MCTS in plain Python with every setting: readings of the threshold, closed nodes, a search before each move."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.engine.naive import samegame as twin
from tests.engine.naive.match3 import Draws
from tests.engine.naive.searching import Position, Twin, playout


@dataclass(frozen=True)
class Rules:
    """The settings, by their names."""

    C: float = 200.0
    D: float = 10_000.0
    T: int = 10
    W: float = 0.0
    epsilon: float = 0.0
    playout: str = "tabu-color"
    per: str = "game"
    final: str = "top"
    threshold: str = "policy"
    closed: str = "kept"
    restarts: int = 1
    nodes_each: int = 0
    simulations_each: int = 0
    length: float = 64.4


class Node:
    """A stored node; children are by their codes."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.children: dict[int, Node] = {}
        self.visits = self.total = self.squares = 0
        self.top = -(10**9)
        self._is_closed = False

    def add(self, score: int) -> None:
        self.visits += 1
        self.total += score
        self.squares += score * score
        self.top = max(self.top, score)

    @property
    def mean(self) -> float:
        return self.total / self.visits

    @property
    def unseen(self) -> list[int]:
        return [code for code in self.position.legal if code not in self.children]

    @property
    def is_closed(self) -> bool:
        """Whether all plays through it were seen, which stays so."""
        if not self._is_closed and len(self.children) == len(self.position.legal):
            self._is_closed = all(child.is_closed for child in self.children.values())
        return self._is_closed


class SinglePlayer(Twin):
    """A tree after the other, each with a stream of its own; `budget` nodes are shared out among them."""

    def __init__(self, board: twin.Board, draws_of: Callable[[int], Draws], budget: int, rules: Rules) -> None:
        super().__init__(board)
        self.draws_of, self.budget, self.rules = draws_of, budget, rules
        self.walk: tuple[int, tuple[int, ...]] | None = None

    def steps(self) -> Iterator[None]:
        """Searches from the start, or from where the best line (or the last choice) has led so far."""
        rules, part, position = self.rules, 0, self.start
        parts = rules.restarts if rules.per == "game" else rules.length
        while True:
            self.draws = self.draws_of(part)
            self.play = playout(rules.playout, self.draws, rules.epsilon)
            end = math.ceil(self.budget * (part + 1) / parts)
            if rules.nodes_each and rules.per == "game":
                end = self.nodes + rules.nodes_each
            yield from self.search(position, end)
            part += 1
            if rules.per == "game":
                if rules.simulations_each and part == rules.restarts:
                    self.done = 2
                    yield
                self.restarts += 1
                continue
            position = position.after(self.next_action(position))
            if rules.final != "top":
                # What counts is the game as it is played.
                self.walk = None
                if position.is_over:
                    self.score, self.codes, self.done = position.points, position.codes, 2
                    yield
            elif position.is_over:
                self.walk, position = None, self.start
                self.restarts += 1

    def next_action(self, position: Position) -> int:
        """The next action of the best line of this walk, or the child of the root that is best by its visits."""
        if self.rules.final == "top" or not self.root.children:
            assert self.walk is not None
            return self.walk[1][position.depth]

        def worth(code: int) -> float:
            child = self.root.children[code]
            return child.visits if self.rules.final == "visits" else child.mean

        return max(sorted(self.root.children), key=worth)

    def note_play(self, score: int, codes: tuple[int, ...]) -> None:
        if self.walk is None or score > self.walk[0]:
            self.walk = score, codes
        if self.score is None or self.walk[0] > self.score or self.rules.final != "top":
            self.score, self.codes = self.walk

    def search(self, position: Position, end: int) -> Iterator[None]:
        """A tree from a position, until there are `end` nodes, it is closed, spent or finds nothing new."""
        self.root = Node(position)
        self.note_node(position.depth)
        since_new = 0
        while True:
            if self.root.is_closed:
                self.done = int(position is self.start)
                yield
                return
            if each := self.rules.simulations_each:
                if self.root.visits >= each:
                    return
            elif since_new > 1000 + 2 * self.rules.T:
                return
            before = self.nodes
            self.simulate()
            since_new = 0 if self.nodes > before else since_new + 1
            yield
            if self.nodes >= end:
                return

    def store(self, node: Node, code: int) -> Node:
        child = node.children[code] = Node(node.position.after(code))
        self.note_node(child.position.depth)
        return child

    def simulate(self) -> None:
        path, is_new = [self.root], False
        while path[-1].visits > self.rules.T and not path[-1].position.is_over and not is_new:
            node = path[-1]
            if node.unseen:
                path.append(self.store(node, node.unseen[self.draws.below(len(node.unseen))]))
                is_new = True
            else:
                path.append(self.best_child(node))
        position = path[-1].position
        score = position.points
        if position.is_over:
            self.note_play(score, position.codes)
        else:
            score, line = self.play_on(position, self.play, counts_nodes=False)
            if not is_new and self.rules.threshold == "policy":
                path += self.followed(path[-1], line)
        for node in path:
            node.add(score)

    def followed(self, node: Node, line: tuple[int, ...]) -> Iterator[Node]:
        """The nodes along a play, the last of them new if the play leaves the tree."""
        for code in line[node.position.depth :]:
            is_known = code in node.children
            node = node.children[code] if is_known else self.store(node, code)
            yield node
            if not is_known:
                return

    def best_child(self, node: Node) -> Node:
        children = [node.children[code] for code in node.position.legal]
        if self.rules.closed == "left":
            children = [child for child in children if not child.is_closed] or children
        return max(children, key=lambda child: self.value(node, child))

    def value(self, node: Node, child: Node) -> float:
        rules, n, mean = self.rules, child.visits, child.mean
        spread = max(child.squares - n * mean * mean, 0.0) + rules.D
        base = mean + rules.W * child.top + math.sqrt(spread / n)
        return base + rules.C * math.sqrt(math.log(node.visits)) * (1.0 / math.sqrt(n))
