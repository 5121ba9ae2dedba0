"""Nested Monte-Carlo search in plain Python."""

from collections.abc import Generator, Iterator

from tests.engine.naive import samegame as twin
from tests.engine.naive.match3 import Draws
from tests.engine.naive.searching import Position, Twin, playout

Line = tuple[int, tuple[int, ...]]
"""The score and the codes of a whole play."""


class Nested(Twin):
    """A search of level n tries every action by a search of level n - 1 and goes on along the best play it has met."""

    def __init__(self, board: twin.Board, draws: Draws, level: int, policy: str, epsilon: float) -> None:
        super().__init__(board)
        self.level, self.play = level, playout(policy, draws, epsilon)

    def steps(self) -> Iterator[None]:
        while True:
            yield from self.search(self.start, self.level)
            yield
            self.restarts += 1

    def search(self, position: Position, level: int) -> Generator[None, None, Line]:
        """The best play that a search of a level from a position meets, of several the first."""
        if level == 0:
            return self.play_on(position, self.play)
        best: Line | None = None
        while not position.is_over:
            for code in position.legal:
                yield
                child = position.after(code)
                self.note_node(child.depth)
                line = yield from self.search(child, level - 1)
                if best is None or line[0] > best[0]:
                    best = line
            assert best is not None
            position = position.after(best[1][position.depth])
        if best is None:
            # A game that is over where the search begins is a play, too.
            best = position.points, position.codes
            self.note_play(*best)
        return best
