"""The two depth-first searches that pass over the tree again and again, in plain Python: `dbs` and `idastar`."""

import math
from collections.abc import Iterator

from tests.engine.naive import samegame as twin
from tests.engine.naive.match3 import Draws
from tests.engine.naive.searching import Position, Twin, playout


class DepthBudgeted(Twin):
    """Each pass has a budget of simulations, which is shared out among the actions, most to the most promising."""

    def __init__(self, board: twin.Board, draws: Draws, share: float, policy: str) -> None:
        super().__init__(board)
        self.share, self.play = share, playout(policy, draws)
        self.was_cut = False

    def advance(self, until: int) -> None:
        # There is always a play, even if all nodes go into looking at the first position.
        while (self.nodes < until or self.playouts == 0) and not self.done:
            next(self._steps)

    def steps(self) -> Iterator[None]:
        budget = 16
        while True:
            self.was_cut = False
            yield from self.search(self.start, budget)
            yield
            self.restarts += 1
            if not self.was_cut:
                self.done = 1
                yield
            budget *= 2

    def search(self, position: Position, budget: int) -> Iterator[None]:
        yield
        if budget == 1:
            self.was_cut = True
            self.play_on(position, self.play)
            return
        children = self.most_promising_first(position)
        for child in children:
            if budget == 0:
                self.was_cut = True
                return
            yield
            part = budget if child is children[-1] else math.ceil(self.share * budget)
            if child.is_over:
                # An end takes one, and leaves the rest to the others.
                self.note_play(child.points, child.codes)
                part = 1
            else:
                yield from self.search(child, part)
            budget -= part

    def most_promising_first(self, position: Position) -> list[Position]:
        children = [position.after(code) for code in position.legal]
        for child in children:
            self.note_node(child.depth)
        return sorted(children, key=lambda child: -(child.points + child.promise))


class IterativeDeepening(Twin):
    """IDA*: a pass searches what may still give as much as the threshold; the next has the most that was cut."""

    def __init__(self, board: twin.Board, draws: Draws, policy: str) -> None:
        super().__init__(board)
        self.play = playout(policy, draws)
        self.threshold, self.cut = self.start.bound, [0]

    def steps(self) -> Iterator[None]:
        self.play_on(self.start, self.play, counts_nodes=False)
        while True:
            yield
            assert self.score is not None
            if self.score >= self.threshold:
                self.done = 1
                yield
            self.cut = []
            yield from self.search(self.start)
            yield
            self.threshold = max(self.cut)
            self.restarts += 1

    def search(self, position: Position) -> Iterator[None]:
        for code in position.legal:
            yield
            child = position.after(code)
            self.note_node(child.depth)
            most = child.points + child.bound
            if child.is_over:
                self.note_play(child.points, child.codes)
            if most < self.threshold:
                self.cut.append(most)
                if not child.is_over:
                    self.play_on(child, self.play, counts_nodes=False)
            elif child.is_over:
                # No play can give more than the threshold.
                self.done = 1
                yield
            else:
                yield from self.search(child)
