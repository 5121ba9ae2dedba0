"""Beam search in plain Python."""

from collections.abc import Iterator

from tests.engine.naive import samegame as twin
from tests.engine.naive.match3 import Draws
from tests.engine.naive.searching import Position, Twin, playout


class Worst:
    """At most `room` positions: a binary heap, the worst on top. One that comes must be better to take its place."""

    def __init__(self, room: int) -> None:
        self.room, self.is_anything_left = room, False
        self.heap: list[tuple[float, Position]] = []

    def offer(self, value: float, position: Position) -> None:
        if len(self.heap) < self.room:
            self.heap.append((value, position))
            self.rise(len(self.heap) - 1)
            return
        self.is_anything_left = True
        if value > self.heap[0][0]:
            self.heap[0] = (value, position)
            self.sink()

    def rise(self, at: int) -> None:
        while at > 0 and self.heap[at][0] < self.heap[(at - 1) // 2][0]:
            above = (at - 1) // 2
            self.heap[at], self.heap[above] = self.heap[above], self.heap[at]
            at = above

    def sink(self) -> None:
        at = 0
        while below := [child for child in (2 * at + 1, 2 * at + 2) if child < len(self.heap)]:
            least = min(below, key=lambda child: self.heap[child][0])
            if self.heap[least][0] >= self.heap[at][0]:
                return
            self.heap[at], self.heap[least] = self.heap[least], self.heap[at]
            at = least


class Beam(Twin):
    """The best `width` positions of each depth are kept, by points + weight * promise + up to `noise` by chance."""

    def __init__(self, board: twin.Board, draws: Draws, width: int, growth: float, weight: float, noise: float) -> None:
        super().__init__(board)
        self.draws, self.width, self.growth, self.weight, self.noise = draws, width, growth, weight, noise

    def steps(self) -> Iterator[None]:
        self.play_on(self.start, playout("tabu-color", self.draws), counts_nodes=False)
        while True:
            layer, is_anything_left = [self.start], False
            while layer:
                kept, met = Worst(self.width), {}
                for position in layer:
                    yield
                    self.expand(position, kept, met)
                layer = [position for _, position in kept.heap]
                is_anything_left |= kept.is_anything_left
            yield
            if not is_anything_left:
                self.done = 1
                yield
            self.restarts += 1
            self.width = max(self.width + 1, int(self.width * self.growth))

    def expand(self, position: Position, kept: Worst, met: dict[tuple[str, ...], int]) -> None:
        for code in position.legal:
            child = position.after(code)
            self.note_node(child.depth)
            if child.points <= met.get(child.key, -(10**9)):
                continue
            met[child.key] = child.points
            value = child.points + self.weight * child.promise
            if self.noise > 0:
                value += self.noise * self.draws.unit()
            if child.is_over:
                self.note_play(child.points, child.codes)
            else:
                kept.offer(value, child)
