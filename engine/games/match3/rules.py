"""Match-3 (paper 004): the game object. The rules themselves are the kernels in `small` and `wide`.

Boards up to 8 x 8 are played by `small`, larger ones by `wide`: same rules, same draws, same results.
"""

from types import ModuleType
from typing import Any

import numpy as np

from engine.game import Game, GameInfo, Played, kernels_of, register_state
from engine.games.letters import cells_of, rows_of
from engine.games.match3 import small, wide
from engine.games.match3.cells import draw_cells, has_legal_swap
from engine.games.match3.chance import Queued, queue_of, read_queue
from engine.games.match3.view import action_refusal, decode_swap, encode_swap, watch_move
from engine.level import Level, LevelError, draw_level
from engine.rng import new_rng

MOST_COLOURS = 7
"""As many as three bit planes tell apart."""

PlayState = small.PlaneBoard | wide.ColumnBoard


register_state(small.PlaneBoard, kernels_of(small))
register_state(wide.ColumnBoard, kernels_of(wide))


class Match3(Game):
    """Match-3 on boards of 3 to 12 cells each way with 3 to 7 colours."""

    info = GameInfo(
        name="match3",
        title="Match-3",
        version=1,
        players=1,
        chance="sampled",
        gesture="swap",
        sizes=(3, wide.LARGEST),
        colours=(3, MOST_COLOURS),
        default_colours=6,
        default_moves=20,
        level_keys=frozenset({"game", "name", "rows", "cols", "colours", "moves", "seed", "board", "drops"}),
    )

    def validate_level(self, level: Level) -> None:
        _refuse_runs(level)
        if not has_legal_swap(cells_of(level.board)):
            raise LevelError("The board has no legal swap: no exchange of two neighbours makes a run of three.")

    def draw_board(self, *, rows: int, cols: int, colours: int, seed: int) -> tuple[str, ...]:
        cells = np.zeros((rows, cols), dtype=np.uint8)
        draw_cells(cells, colours, new_rng(seed, "board"))
        return tuple(rows_of(cells))

    def new_state(self, level: Level) -> PlayState:
        cells = cells_of(level.board)
        if _is_small(level):
            return small.new_plane_board(cells, level.colours)
        return wide.new_column_board(cells, level.colours)

    def queued(self, level: Level) -> Queued:
        return queue_of(level)

    def action_refusal(self, level: Level, action: object) -> str | None:
        return action_refusal(level.rows, level.cols, action)

    def encode_action(self, level: Level, action: Any) -> int:
        reason = action_refusal(level.rows, level.cols, action)
        if reason is not None:
            raise ValueError(f"This is no swap of the level ({reason}): {action!r}")
        return encode_swap(level.cols, action)

    def is_reversed(self, action: Any) -> bool:
        return tuple(action[0]) > tuple(action[1])

    def decode_action(self, level: Level, code: int, reversed: bool = False) -> list[Any]:
        swap = decode_swap(level.cols, code, reversed) if code >= 0 else None
        if swap is None or action_refusal(level.rows, level.cols, swap) is not None:
            raise ValueError(f"The level has no action with the code {code!r}.")
        return swap

    def is_legal(self, level: Level, state: PlayState, code: int) -> bool:
        row, col = divmod(code >> 1, level.cols)
        height = level.rows - 1 - row - (code & 1)
        words = state.words
        if _is_small(level):
            mask = int(words[small.UP_SWAPS if code & 1 else small.RIGHT_SWAPS])
            return bool(mask >> (8 * col + height) & 1)
        first = wide.UP_WORD if code & 1 else wide.RIGHT_WORD
        return bool(int(words[first + col // 4]) >> (16 * (col % 4) + height) & 1)

    def play(self, level: Level, state: PlayState, chance: Any, code: int, reversed: bool) -> Played:
        swap = decode_swap(level.cols, code, reversed)
        return watch_move(_module(level), state, chance, code, swap)

    def read_board(self, level: Level, state: PlayState) -> list[str]:
        _module(level).read_cells(state)
        return rows_of(state.cells)

    def fallen(self, level: Level, state: PlayState) -> list[str]:
        first = small.FALLEN if _is_small(level) else wide.FALLEN
        counts = state.words[first:].view(np.uint32)[: level.cols]
        queued = queue_of(level)
        texts = []
        for column, count in enumerate(counts.tolist()):
            pieces = np.zeros((1, count), dtype=np.uint8)
            read_queue(queued, column, level.colours, pieces[0])
            texts += rows_of(pieces) if count else [""]
        return texts

    def load_kernels(self) -> None:
        for size in (7, wide.LARGEST):
            level = draw_level("match3", rows=size, cols=size, seed=1)
            state, chance = self.new_state(level), self.queued(level)
            legal = np.zeros(2 * size * size, dtype=np.int32)
            module = _module(level)
            module.legal_actions(state, legal)
            self.play(level, state, chance, int(legal[0]), False)
            module.legal_count(state)
            module.is_over(state)
            self.fallen(level, state)


def _is_small(level: Level) -> bool:
    return max(level.rows, level.cols) <= small.LARGEST


def _module(level: Level) -> ModuleType:
    return small if _is_small(level) else wide


def _refuse_runs(level: Level) -> None:
    """Raise LevelError naming the first run on the start board, rows before wide."""
    for number, line in enumerate(level.board, start=1):
        place = _run_in(line)
        if place is not None:
            raise LevelError(
                f"Row {number} has a run: three {line[place]} in a row from column {place + 1} on. "
                "A start board must have none."
            )
    for number in range(1, level.cols + 1):
        line = "".join(row[number - 1] for row in level.board)
        place = _run_in(line)
        if place is not None:
            raise LevelError(
                f"Column {number} has a run: three {line[place]} below each other from row {place + 1} on. "
                "A start board must have none."
            )


def _run_in(line: str) -> int | None:
    """Where three equal letters begin in a line."""
    for place in range(len(line) - 2):
        if line[place] == line[place + 1] == line[place + 2]:
            return place
    return None
