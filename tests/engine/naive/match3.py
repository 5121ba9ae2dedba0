"""Match-3 in plain Python, cell by cell, written from the rules and `docs/algorithms/match3.md` and from nothing else.

A board is a list of rows, top row first, of numbers from 1; an empty cell is 0. Slow and simple: what the kernels do
fast must come out the same here.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby

Board = list[list[int]]
Cell = tuple[int, int]
Swap = tuple[Cell, Cell]

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15


def finalise(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % WORD
    value = (value ^ value >> 27) * 0x94D049BB133111EB % WORD
    return value ^ value >> 31


@cache
def child(key: int, index: int) -> int:
    return finalise(((key ^ 0x6A09E667F3BCC909) * 0xD1342543DE82EF95 + (index + 1) * GOLDEN) % WORD)


@cache
def key_of(seed: int, name: str) -> int:
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    return finalise(finalise((seed + GOLDEN) % WORD) ^ digest)


class Draws:
    """A stream of random numbers."""

    def __init__(self, key: int) -> None:
        self.state = key

    def word(self) -> int:
        self.state = (self.state + GOLDEN) % WORD
        return finalise(self.state)

    def below(self, limit: int) -> int:
        return (self.word() >> 32) * limit >> 32

    def unit(self) -> float:
        """From 0 to 1, excluded."""
        return (self.word() >> 11) / 2**53


class Queues:
    """What falls in when a level is really played, and how its reshuffles are drawn."""

    def __init__(self, seed: int, cols: int, colours: int, drops: tuple[str, ...] | None) -> None:
        self.seed = seed
        self.colours = colours
        self.drops = drops or ("",) * cols
        self.fallen: list[list[int]] = [[] for _ in range(cols)]

    def begin_step(self) -> None:
        pass

    def piece(self, column: int) -> int:
        k = len(self.fallen[column])
        if k < len(self.drops[column]):
            colour = ord(self.drops[column][k]) - ord("A") + 1
        else:
            drawn = child(child(key_of(self.seed, "drops"), column), k)
            colour = ((drawn >> 32) * self.colours >> 32) + 1
        self.fallen[column].append(colour)
        return colour

    def shuffle_draws(self, move: int) -> Draws:
        return Draws(child(key_of(self.seed, "reshuffle"), move))


class Sampling:
    """What falls in in a simulation: digits of random fractions, four from each half of a word."""

    def __init__(self, draws: Draws, colours: int) -> None:
        self.draws = draws
        self.colours = colours
        self.digits: list[int] = []

    def begin_step(self) -> None:
        self.digits = []

    def piece(self, column: int) -> int:
        if not self.digits:
            word = self.draws.word()
            for half in (word >> 32, word % 2**32):
                number = half * self.colours**4 >> 32
                self.digits += [number // self.colours**power % self.colours for power in (3, 2, 1, 0)]
        return self.digits.pop(0) + 1

    def shuffle_draws(self, move: int) -> Draws:
        return self.draws


def runs(board: Board) -> list[set[Cell]]:
    """All runs of three or more, each as the set of its cells."""
    rows, cols = len(board), len(board[0])
    lines = [[(row, col) for col in range(cols)] for row in range(rows)]
    lines += [[(row, col) for row in range(rows)] for col in range(cols)]
    found = []
    for line in lines:
        for colour, stretch in groupby(line, key=lambda cell: board[cell[0]][cell[1]]):
            cells = set(stretch)
            if colour and len(cells) >= 3:
                found.append(cells)
    return found


def matches(board: Board) -> list[set[Cell]]:
    """The runs, joined where they share a cell."""
    found: list[set[Cell]] = []
    for run in runs(board):
        apart = [match for match in found if not match & run]
        for match in found:
            if match & run:
                run = run | match
        found = [*apart, run]
    return found


def worth(found: list[set[Cell]]) -> int:
    """Points of matches at multiplier 1."""
    return sum(len(match) * (20 + 10 * (len(match) - 3)) for match in found)


def is_in_run(board: Board, row: int, col: int) -> bool:
    colour = board[row][col]
    for step_row, step_col in ((0, 1), (1, 0)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * step_row, col + sign * step_col
            while 0 <= r < len(board) and 0 <= c < len(board[0]) and board[r][c] == colour:
                length += 1
                r, c = r + sign * step_row, c + sign * step_col
        if length >= 3:
            return True
    return False


def exchange(board: Board, swap: Swap) -> None:
    (row, col), (other_row, other_col) = swap
    board[row][col], board[other_row][other_col] = board[other_row][other_col], board[row][col]


def neighbours(board: Board) -> list[Swap]:
    """All pairs of neighbours in the order of their action codes: row by row, right before down."""
    rows, cols = len(board), len(board[0])
    pairs = []
    for row in range(rows):
        for col in range(cols):
            if col + 1 < cols:
                pairs.append(((row, col), (row, col + 1)))
            if row + 1 < rows:
                pairs.append(((row, col), (row + 1, col)))
    return pairs


def is_legal(board: Board, swap: Swap) -> bool:
    """On a board at rest: whether a run stands there after the swap."""
    exchange(board, swap)
    legal = is_in_run(board, *swap[0]) or is_in_run(board, *swap[1])
    exchange(board, swap)
    return legal


def legal_swaps(board: Board) -> list[Swap]:
    return [swap for swap in neighbours(board) if is_legal(board, swap)]


def code_of(board: Board, swap: Swap) -> int:
    (row, col), (other_row, _) = swap
    return 2 * (row * len(board[0]) + col) + (other_row > row)


def pick_order(board: Board, swaps: list[Swap]) -> list[Swap]:
    """Swaps to the right before those down; each kind column by column, and in a column from below."""
    return sorted(swaps, key=lambda swap: (swap[0][1] == swap[1][1], swap[0][1], -swap[0][0]))


def fall(board: Board, piece: Callable[[int], int]) -> None:
    """Close the gaps and fill up, column by column from the left; `piece` gives the next one of a column."""
    for col in range(len(board[0])):
        standing = [row[col] for row in reversed(board) if row[col]]
        while len(standing) < len(board):
            standing.append(piece(col))
        for row, colour in zip(reversed(board), standing, strict=True):
            row[col] = colour


def clear(board: Board, cells: Iterable[Cell]) -> None:
    for row, col in cells:
        board[row][col] = 0


def draw_board(rows: int, cols: int, colours: int, draws: Draws) -> Board:
    while True:
        board = [[0] * cols for _ in range(rows)]
        fall(board, lambda _: draws.below(colours) + 1)
        while found := runs(board):
            clear(board, set().union(*found))
            fall(board, lambda _: draws.below(colours) + 1)
        if legal_swaps(board):
            return board


class Play:
    """A play under way."""

    def __init__(self, board: Board, colours: int, source: Queues | Sampling) -> None:
        self.board = [list(row) for row in board]
        self.colours = colours
        self.source = source
        self.moves = 0
        self.score = 0
        self.legal_total = 0
        self.steps: list[list[set[Cell]]] = []
        self.shuffled = ""
        self.legal = legal_swaps(self.board)

    def swap(self, swap: Swap) -> int:
        """Make a legal swap and everything that follows; the points it gave."""
        self.legal_total += len(self.legal)
        exchange(self.board, swap)
        self.moves += 1
        self.steps = []
        self.shuffled = ""
        gained = 0
        while found := matches(self.board):
            self.steps.append(found)
            gained += len(self.steps) * worth(found)
            clear(self.board, set().union(*found))
            self.source.begin_step()
            fall(self.board, self.source.piece)
        self.legal = legal_swaps(self.board)
        if not self.legal:
            self.reshuffle()
            self.legal = legal_swaps(self.board)
        self.score += gained
        return gained

    def reshuffle(self) -> None:
        draws = self.source.shuffle_draws(self.moves)
        rows, cols = len(self.board), len(self.board[0])
        pieces = [colour for row in self.board for colour in row]
        for _ in range(100):
            for i in range(len(pieces) - 1, 0, -1):
                j = draws.below(i + 1)
                pieces[i], pieces[j] = pieces[j], pieces[i]
            self.board = [pieces[row * cols : (row + 1) * cols] for row in range(rows)]
            if not runs(self.board) and legal_swaps(self.board):
                self.shuffled = "shuffled"
                return
        self.board = draw_board(rows, cols, self.colours, draws)
        self.shuffled = "drawn anew"


def first_matches_worth(board: Board, swap: Swap) -> int:
    """Points of what a swap clears at once."""
    after = [row.copy() for row in board]
    exchange(after, swap)
    return worth(matches(after))


def swaps_whatever_falls_in(board: Board, swap: Swap) -> int:
    """After a swap, its first matches and the fall, before new pieces: the swaps by which a piece completes a run.

    The place that it leaves does not count, and whatever comes to stand there may do as it likes.
    """
    after = [row.copy() for row in board]
    exchange(after, swap)
    clear(after, {cell for match in matches(after) for cell in match})
    fall(after, lambda column: 0)
    return sum(completes(after, one, other) or completes(after, other, one) for one, other in neighbours(after))


def completes(board: Board, source: Cell, target: Cell) -> bool:
    """Whether the piece of one cell completes a run of three when it stands in the other."""
    colour = board[source[0]][source[1]]
    after = [row.copy() for row in board]
    after[source[0]][source[1]] = 0
    after[target[0]][target[1]] = colour
    return colour != 0 and is_in_run(after, *target)


def rows_of(board: Board) -> list[str]:
    return ["".join(".ABCDEFG"[colour] for colour in row) for row in board]


def board_of(rows: tuple[str, ...] | list[str]) -> Board:
    return [[".ABCDEFG".index(letter) for letter in row] for row in rows]
