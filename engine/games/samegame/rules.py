"""SameGame (papers 000, 001, 002): the game object. The rules themselves are the kernels in `board` and `kernels`."""

from dataclasses import replace
from typing import Any

import numpy as np

from engine.game import Game, GameInfo, Groups, Played, Sampled, kernels_of, register_state
from engine.games.letters import cells_of, rows_of
from engine.games.samegame import board, kernels
from engine.games.samegame.board import BoardState
from engine.games.samegame.horizon import horizon_of
from engine.games.samegame.view import action_refusal, is_removable, tell_removal
from engine.level import Level, LevelError
from engine.rng import below, new_rng

register_state(board.SmallBoard, kernels_of(kernels))
register_state(board.WideBoard, kernels_of(kernels))

MOST_COLOURS = 9
"""As many as there are silhouettes that shape alone tells apart."""

# Nothing falls in, so simulations and the real game are the same and no kernel draws from this.
_NO_CHANCE = Sampled(np.zeros(1, np.uint64))


class SameGame(Game):
    """SameGame on boards of 2 to 20 cells each way with 2 to 9 colours."""

    info = GameInfo(
        name="samegame",
        title="SameGame",
        version=1,
        players=1,
        chance="none",
        gesture="group",
        sizes=(board.SMALLEST, board.LARGEST),
        colours=(2, MOST_COLOURS),
        default_colours=5,
        default_moves=None,
        level_keys=frozenset({"game", "name", "rows", "cols", "colours", "seed", "board", "horizon"}),
    )

    def validate_level(self, level: Level) -> None:
        cells = cells_of(level.board)
        if not any(is_removable(cells, row, col) for row in range(level.rows) for col in range(level.cols)):
            raise LevelError("The board has no group: no two neighbours have the same colour.")

    def code_limit(self, level: Level) -> int:
        return level.rows * level.cols

    def complete_level(self, level: Level) -> Level:
        return level if level.horizon is not None else replace(level, horizon=horizon_of(level))

    def draw_board(self, *, rows: int, cols: int, colours: int, seed: int) -> tuple[str, ...]:
        rng = new_rng(seed, "board")
        while True:
            cells = np.array([below(rng, colours) + 1 for _ in range(rows * cols)], dtype=np.uint8).reshape(rows, cols)
            # On the smallest boards there may be no group; then the stream goes on.
            if (cells[1:] == cells[:-1]).any() or (cells[:, 1:] == cells[:, :-1]).any():
                return tuple(rows_of(cells))

    def new_state(self, level: Level) -> BoardState:
        return board.new_board(cells_of(level.board), level.colours, level.horizon or 0)

    def queued(self, level: Level) -> Sampled:
        return _NO_CHANCE

    def action_refusal(self, level: Level, action: object) -> str | None:
        return action_refusal(level.rows, level.cols, action)

    def encode_action(self, level: Level, action: Any) -> int:
        reason = action_refusal(level.rows, level.cols, action)
        if reason is not None:
            raise ValueError(f"This is no cell of the level ({reason}): {action!r}")
        row, col = action
        return int(row * level.cols + col)

    def is_reversed(self, action: Any) -> bool:
        return False

    def decode_action(self, level: Level, code: int, reversed: bool = False) -> list[Any]:
        if not 0 <= code < level.rows * level.cols:
            raise ValueError(f"The level has no action with the code {code!r}.")
        return list(divmod(code, level.cols))

    def is_legal(self, level: Level, state: BoardState, code: int) -> bool:
        board.read_cells(state)
        return is_removable(state.cells, *divmod(code, level.cols))

    def play(self, level: Level, state: BoardState, chance: Any, code: int, reversed: bool) -> Played:
        board.read_cells(state)
        before = state.cells.tolist()
        labels = np.zeros((level.rows, level.cols), np.int32)
        kernels.label_groups(state, labels)
        removed = labels == labels[divmod(code, level.cols)]
        gained = int(kernels.apply_action(state, code, chance))
        board.read_cells(state)
        return tell_removal(before, removed.tolist(), state.cells, gained, bool(kernels.is_over(state)))

    def read_board(self, level: Level, state: BoardState) -> list[str]:
        board.read_cells(state)
        return rows_of(state.cells)

    def groups(self, level: Level, state: BoardState) -> Groups:
        labels = np.zeros((level.rows, level.cols), np.int32)
        count = int(kernels.label_groups(state, labels))
        sizes = np.bincount(labels.ravel(), minlength=count + 1).tolist()
        return Groups(labels.tolist(), [0, *((size - 2) ** 2 for size in sizes[1:])])

    def fallen(self, level: Level, state: BoardState) -> list[str]:
        return []

    def load_kernels(self) -> None:
        for size in (15, board.LARGEST):
            cells = cells_of(self.draw_board(rows=size, cols=size, colours=5, seed=1))
            state = board.new_board(cells, 5, 1)
            legal = np.zeros(size * size, dtype=np.int32)
            kernels.legal_actions(state, legal)
            kernels.label_groups(state, np.zeros((size, size), np.int32))
            kernels.apply_action(state, int(legal[0]), _NO_CHANCE)
            kernels.legal_count(state)
            kernels.is_over(state)
            board.read_cells(state)
