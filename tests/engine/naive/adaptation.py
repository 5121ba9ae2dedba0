"""Nested rollout policy adaptation in plain Python."""

import math
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from tests.engine.naive import samegame as twin
from tests.engine.naive import solving as naive
from tests.engine.naive.match3 import GOLDEN, WORD, Draws, finalise
from tests.engine.naive.searching import Position, Twin, ranked_colours

Weights = defaultdict[int, float]
"""The exponential of the weight of each of the 2^17 places, 1 until it is shifted."""


@dataclass(frozen=True)
class Line:
    """A whole play: at each action the places of all candidates, and which of them was taken."""

    score: int
    codes: tuple[int, ...]
    choices: tuple[tuple[tuple[int, ...], int], ...]


def place_of(board: twin.Board, group: twin.Group) -> int:
    """Where the weight of a group is: the upper 17 bits of a hash of its colour and of where its cells stand.

    A board of up to 16 x 16 is a number of 256 bits, a column sixteen of them with the lowest cell first.
    """
    cells = sum(1 << 16 * col + len(board) - 1 - row for row, col in group)
    key = twin.colour_of(board, group)
    for part in range(4):
        key = finalise(key * GOLDEN % WORD ^ cells >> 64 * part & WORD - 1)
    return key >> 47


class Adaptation(Twin):
    """A search of level n makes searches of level n - 1 and shifts its weights towards the best play after each."""

    def __init__(
        self, board: twin.Board, draws: Draws, level: int, iterations: int, alpha: float, policy: str, tabu: int
    ) -> None:
        super().__init__(board)
        self.draws, self.level, self.iterations, self.alpha, self.policy = draws, level, iterations, alpha, policy
        colours = ranked_colours(board)
        self.tabu = colours[tabu] if tabu < len(colours) else 0

    def steps(self) -> Iterator[None]:
        while True:
            yield from self.search(self.level, defaultdict(lambda: 1.0))
            self.restarts += 1

    def search(self, level: int, weights: Weights) -> Generator[None, None, Line]:
        if level == 0:
            return self.play_weighted(weights)
        best: Line | None = None
        for _ in range(self.iterations):
            line = yield from self.search(level - 1, weights.copy())
            if best is None or line.score >= best.score:
                best = line
            self.adapt(weights, best)
            if level == 1:
                yield
        yield
        assert best is not None
        return best

    def candidates(self, position: Position) -> list[twin.Group]:
        board, found = position.board, list(position.groups)
        tabu = {"random": 0, "tabu-color": naive.most_frequent(board)}.get(self.policy, self.tabu)
        among = [group for group in found if twin.colour_of(board, group) != tabu]
        of_tabu = [group for group in found if twin.colour_of(board, group) == tabu]
        if self.policy == "tabu-last":
            if len(of_tabu) == 1:
                among += of_tabu
            elif position.depth > 10:
                among += [group for group in of_tabu if len(group) == 2]
        return sorted(among or found, key=lambda group: twin.code_of(board, twin.leader(group)))

    def play_weighted(self, weights: Weights) -> Line:
        position, choices = self.start, []
        while not position.is_over:
            groups = self.candidates(position)
            places = tuple(place_of(position.board, group) for group in groups)
            taken = self.drawn([weights[place] for place in places])
            choices.append((places, taken))
            position = position.after(twin.code_of(position.board, twin.leader(groups[taken])))
            self.note_node(position.depth)
        self.playouts += 1
        self.note_play(position.points, position.codes)
        return Line(position.points, position.codes, tuple(choices))

    def drawn(self, weights: list[float]) -> int:
        left = self.draws.unit() * sum_in_order(weights)
        for i, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return i
        return len(weights) - 1

    def adapt(self, weights: Weights, line: Line) -> None:
        """All shifts are by the weights as they stood before."""
        shifts = []
        for places, taken in line.choices:
            total = sum_in_order([weights[place] for place in places])
            for i, place in enumerate(places):
                shift = -self.alpha * weights[place] / total
                shifts.append((place, shift + self.alpha if i == taken else shift))
        for place, shift in shifts:
            weights[place] = min(max(weights[place] * math.exp(shift), 1e-150), 1e150)


def sum_in_order(numbers: list[float]) -> float:
    """From left to right, which `sum` does not promise."""
    total = 0.0
    for number in numbers:
        total += number
    return total
