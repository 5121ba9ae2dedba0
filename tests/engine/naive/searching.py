"""What plain twins of SameGame solvers have in common: positions, play-outs, counts, and stopping anywhere.

A twin is a generator that stops (`yield`) wherever a budget may end, and goes on from there; `Twin.advance` drives it.
Written from `docs/algorithms/samegame-solvers.md` and what each solver says of itself.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property

from tests.engine.naive import samegame as twin
from tests.engine.naive import solving as naive
from tests.engine.naive.match3 import Draws

Playout = Callable[[twin.Board], tuple[int, list[int]]]
"""Score and codes of a play from a board to the end."""


class Position:
    """A board, the points that led to it and the codes of the actions."""

    def __init__(self, board: twin.Board, points: int = 0, codes: tuple[int, ...] = ()) -> None:
        self.board, self.points, self.codes = board, points, codes

    @property
    def depth(self) -> int:
        return len(self.codes)

    @cached_property
    def groups(self) -> set[twin.Group]:
        return twin.groups(self.board)

    @cached_property
    def legal(self) -> list[int]:
        return sorted(twin.code_of(self.board, twin.leader(group)) for group in self.groups)

    @property
    def is_over(self) -> bool:
        return not self.legal

    @property
    def promise(self) -> int:
        return naive.worth(self.groups)

    @property
    def bound(self) -> int:
        return naive.bound(self.board)

    @property
    def key(self) -> tuple[str, ...]:
        """The same for the same board, however it was come to."""
        return tuple(twin.rows_of(self.board))

    def without(self, tabu: int) -> list[int]:
        """The actions that spare a colour, or all if there are no others."""
        among = naive.spared(self.board, list(self.groups), tabu)
        return sorted(twin.code_of(self.board, twin.leader(group)) for group in among)

    def after(self, code: int) -> "Position":
        play = twin.Play(self.board)
        gained = play.remove(divmod(code, len(self.board[0])))
        return Position(play.board, self.points + gained, (*self.codes, code))


def playout(name: str, draws: Draws, epsilon: float = 0.0) -> Playout:
    """Play-outs by a policy that looks at nothing but the board where it starts."""
    if name in ("greedy", "roulette"):
        choose = naive.greedy(draws) if name == "greedy" else naive.roulette(draws, epsilon)
        return lambda board: naive.stepwise(board, choose)

    def play(board: twin.Board) -> tuple[int, list[int]]:
        tabu = 0
        if name == "tabu-random":
            present = sorted({colour for line in board for colour in line if colour})
            tabu = present[draws.below(len(present))] if present else 0
        elif name == "tabu-color":
            tabu = naive.most_frequent(board) if twin.groups(board) else 0
        played, codes, _ = twin.play_out(board, draws, tabu, epsilon)
        return played.score, codes

    return play


def ranked_colours(board: twin.Board) -> list[int]:
    """The colours of a board, those with most cells first, of several the first letter."""
    cells = Counter(colour for line in board for colour in line if colour)
    return sorted(cells, key=lambda colour: (-cells[colour], colour))


class Twin(ABC):
    """A search that goes on step by step, with the counts of `engine.solver.Tally`."""

    def __init__(self, board: twin.Board) -> None:
        self.start = Position(board)
        self.nodes = self.depths = self.deepest = self.playouts = self.restarts = self.done = 0
        self.score: int | None = None
        self.codes: tuple[int, ...] = ()
        self._steps = self.steps()

    @abstractmethod
    def steps(self) -> Iterator[None]:
        """The search, which may be left for good or for a while wherever this yields."""

    def advance(self, until: int) -> None:
        while self.nodes < until and not self.done:
            next(self._steps)

    def note_node(self, depth: int) -> None:
        self.nodes += 1
        self.depths += depth
        self.deepest = max(self.deepest, depth)

    def note_play(self, score: int, codes: tuple[int, ...]) -> None:
        """Of several best plays the first is kept."""
        if self.score is None or score > self.score:
            self.score, self.codes = score, codes

    def play_on(self, position: Position, play: Playout, *, counts_nodes: bool = True) -> tuple[int, tuple[int, ...]]:
        """Play to the end from a position; score and codes of the whole play, which is noted."""
        gained, codes = play(position.board)
        score, line = position.points + gained, (*position.codes, *codes)
        self.playouts += 1
        if counts_nodes:
            for depth in range(position.depth + 1, len(line) + 1):
                self.note_node(depth)
        self.note_play(score, line)
        return score, line
