"""How somebody plays, beyond the score: cascades, reshuffles, where on the board, in which direction.

All of it is read off replayed games, people's and agents' alike. What is preferred is told against chance: how often a
cell was acted on, divided by how often it would have been if each action had been drawn from the legal ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.game import get_game
from engine.level import Level
from engine.round import Round
from personas.report import mean_interval

Cells = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class PlayStyle:
    """Some games of one player on boards of one size.

    steps: mean number of cascade steps of a move, over games, with its 95 % interval (mean, low, high)
    reshuffled: share of moves after which the pieces were shuffled
    chosen, expected: float64[rows, cols], how often a cell was part of the action, and how often chance would have it
    vertical, vertical_expected: the same of swaps up and down; 0 for games without swaps
    game_steps: mean number of cascade steps of a move, of each game that has one
    shuffled_games: games in which the pieces were shuffled at least once
    actions: by action code how often the action was chosen, and before how many moves it was legal; a group counts
        under the code of its first cell in row-major order
    """

    games: int
    moves: int
    steps: tuple[float, float, float]
    reshuffled: float
    chosen: NDArray[np.float64]
    expected: NDArray[np.float64]
    vertical: float
    vertical_expected: float
    game_steps: tuple[float, ...] = ()
    shuffled_games: int = 0
    actions: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def preference(self) -> NDArray[np.float64]:
        """float64[rows, cols]: chosen divided by expected, 1 as by chance; NaN for a cell that never was to be had."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio: NDArray[np.float64] = np.where(self.expected > 0, self.chosen / self.expected, np.nan)
        return ratio


def play_style(games: Iterable[tuple[Level, Sequence[int]]]) -> PlayStyle | None:
    """The style of these games, each a level and the action codes that were played on it; None without a move.

    Raises ValueError if the boards differ in size or a code was not legal.
    """
    shape: tuple[int, int] | None = None
    chosen = expected = np.zeros((0, 0))
    steps: list[float] = []
    actions: dict[int, list[int]] = {}
    moves = reshuffled = count = shuffled_games = 0
    vertical = vertical_expected = 0.0
    for level, codes in games:
        if shape is None:
            shape = level.rows, level.cols
            chosen, expected = np.zeros(shape), np.zeros(shape)
        elif shape != (level.rows, level.cols):
            raise ValueError("Boards of different sizes have no map in common.")
        count += 1
        played = Round(level)
        taken = 0
        before = reshuffled
        for code in codes:
            options = _options(played)
            named = _named_cells(played, code)
            # A swap names both of its cells, a group any of those that it has.
            own = next((cells for cells in options if set(named) <= set(cells)), None)
            if own is None:
                raise ValueError(f"Action {code} is not legal on the board.")
            chance = 1.0 / len(options)
            for cells in options:
                for cell in cells:
                    expected[cell] += chance
            for cell in own:
                chosen[cell] += 1.0
            for cells in options:
                counts = actions.setdefault(_code_of(level.game, level.rows, level.cols, cells[:2]), [0, 0])
                counts[0] += cells is own
                counts[1] += 1
            if len(named) == 2:
                vertical += _is_vertical(own)
                vertical_expected += chance * sum(map(_is_vertical, options))
            outcome = played.play_code(code)
            taken += outcome.steps
            reshuffled += outcome.reshuffled is not None
        shuffled_games += reshuffled > before
        if codes:
            steps.append(taken / len(codes))
            moves += len(codes)
    if not moves:
        return None
    mean = float(np.mean(steps))
    return PlayStyle(
        game_steps=tuple(steps),
        shuffled_games=shuffled_games,
        actions={code: (taken, legal) for code, (taken, legal) in sorted(actions.items())},
        games=count,
        moves=moves,
        steps=(mean, *mean_interval(steps)),
        reshuffled=reshuffled / moves,
        chosen=chosen,
        expected=expected,
        vertical=vertical,
        vertical_expected=vertical_expected,
    )


def merge_styles(styles: Sequence[PlayStyle]) -> PlayStyle | None:
    """The style of all these games together, on boards of one size; None for none."""
    if not styles:
        return None
    steps = [value for style in styles for value in style.game_steps]
    moves = sum(style.moves for style in styles)
    actions: dict[int, tuple[int, int]] = {}
    for style in styles:
        for code, (taken, legal) in style.actions.items():
            before = actions.get(code, (0, 0))
            actions[code] = before[0] + taken, before[1] + legal
    return PlayStyle(
        games=sum(style.games for style in styles),
        moves=moves,
        steps=(float(np.mean(steps)), *mean_interval(steps)),
        reshuffled=sum(style.reshuffled * style.moves for style in styles) / moves,
        chosen=np.sum([style.chosen for style in styles], axis=0),
        expected=np.sum([style.expected for style in styles], axis=0),
        vertical=sum(style.vertical for style in styles),
        vertical_expected=sum(style.vertical_expected for style in styles),
        game_steps=tuple(steps),
        shuffled_games=sum(style.shuffled_games for style in styles),
        actions=dict(sorted(actions.items())),
    )


def _options(played: Round) -> list[Cells]:
    """The cells of each legal action: the two of a swap, or all of a group."""
    groups = played.groups()
    if groups is None:
        return [_named_cells(played, code) for code in played.legal_codes()]
    members: dict[int, list[tuple[int, int]]] = {}
    for row, line in enumerate(groups.numbers):
        for col, number in enumerate(line):
            if number:
                members.setdefault(number, []).append((row, col))
    return [tuple(cells) for cells in members.values()]


def _named_cells(played: Round, code: int) -> Cells:
    """The cells that an action's code names: both of a swap, one of a group."""
    return _cells_of_code(played.level.game, played.level.rows, played.level.cols, code)


@lru_cache(maxsize=4096)
def _cells_of_code(game: str, rows: int, cols: int, code: int) -> Cells:
    """What a code names depends on nothing but the size of the board."""
    action = get_game(game).decode_action(Level(game, "", rows, cols, 3, 1, 0, ()), code)
    cells = action if isinstance(action[0], list) else [action]
    return tuple((row, col) for row, col in cells)


@lru_cache(maxsize=4096)
def _code_of(game: str, rows: int, cols: int, cells: Cells) -> int:
    """The code of an action by its first cells, in the order of the board."""
    kind = get_game(game)
    named = [list(cell) for cell in cells] if kind.info.gesture == "swap" else list(cells[0])
    return kind.encode_action(Level(game, "", rows, cols, 3, 1, 0, ()), named)


def _is_vertical(cells: Cells) -> bool:
    """Whether it is a swap of a cell with the one below it."""
    return cells[0][1] == cells[1][1]
