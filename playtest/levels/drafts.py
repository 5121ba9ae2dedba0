"""A level that is being drawn: what stands on its board, whether it can be played, how often it gets stuck.

Everything is asked of the engine. The editor's page knows no rule of any game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.game import get_game, legal_count
from engine.games import MODULES
from engine.games.letters import cells_of, rows_of
from engine.games.match3 import small, wide
from engine.games.match3.cells import in_run
from engine.games.match3.chance import read_queue
from engine.games.match3.planes import LARGEST
from engine.level import LETTERS, Level, LevelError, draw_level, parse_level
from personas.agent import load_agent
from personas.report import game_seed

RISK_SEED = 1
RISK_GAMES = 100
RISK_MOVES = 4_000
"""Moves of all games together: longer levels are judged by fewer games, so that the answer comes while one draws."""
LEAST_RISK_GAMES = 4
QUEUE_SHOWN = 20
"""Pieces of each column's queue that are written out when a designer asks for what the seed gives."""


@dataclass(frozen=True)
class DeadlockRisk:
    """How many of some games of random play came to a board without a legal swap, which was reshuffled."""

    stuck: int
    games: int

    @property
    def percent(self) -> float:
        return 100 * self.stuck / self.games


@dataclass(frozen=True)
class DraftCheck:
    """What is to be said of a drawing.

    problem: why it cannot be saved, in a sentence; empty if it can
    runs: cells that stand in a run already, as (row, column) from 0
    legal: number of legal actions; None where the board is not one yet, or holds runs
    deadlocked: the board is complete and without runs, and nothing on it can be played
    """

    problem: str
    runs: Sequence[tuple[int, int]] = field(default_factory=tuple)
    legal: int | None = None
    deadlocked: bool = False
    level: Level | None = None


def draft_check(document: object) -> DraftCheck:
    """What the engine says of a level file, whatever it is. Nothing is raised: a problem is part of the answer."""
    level, problem = None, ""
    try:
        level = parse_level(document)
    except LevelError as error:
        problem = str(error)
    board = _board_of(document)
    if board is None:
        return DraftCheck(problem=problem, level=level)
    game, rows, colours = board
    runs = _runs_of(rows) if game == "match3" else ()
    if runs:
        return DraftCheck(problem=problem, runs=runs, level=level)
    shape = Level(game, "", len(rows), len(rows[0]), colours, None, 0, rows)
    legal = int(legal_count(get_game(game).new_state(shape)))
    return DraftCheck(problem=problem, legal=legal, deadlocked=legal == 0, level=level)


def deadlock_risk(level: Level) -> DeadlockRisk | None:
    """The share of seeded games of random play that had a reshuffle; None for a game that knows none.

    The games are the first ones that the agent Random plays in a playtest with seed 1.
    """
    if level.game != "match3" or level.moves is None:
        return None
    games = max(LEAST_RISK_GAMES, min(RISK_GAMES, RISK_MOVES // level.moves))
    seeds = [game_seed(RISK_SEED, game) for game in range(games)]
    traces = load_agent("random").play_games([level] * games, seeds)
    return DeadlockRisk(sum(_is_reshuffled(level, trace.codes) for trace in traces), games)


def draft_fill(*, game: str, rows: int, cols: int, colours: int, seed: int) -> dict[str, Any]:
    """A board drawn from a seed and the beginning of the queues that the seed gives. Raises LevelError."""
    level = draw_level(game, rows=rows, cols=cols, colours=colours, seed=seed)
    return {"board": list(level.board), "drops": queues_written(level)}


def queues_written(level: Level) -> list[str]:
    """The first pieces that fall into each column, one text a column; empty for a game in which nothing falls in."""
    if level.game != "match3":
        return []
    queued = get_game(level.game).queued(level)
    pieces = np.zeros((level.cols, QUEUE_SHOWN), np.uint8)
    for column in range(level.cols):
        read_queue(queued, column, level.colours, pieces[column])
    return rows_of(pieces)


def _board_of(document: object) -> tuple[str, tuple[str, ...], int] | None:
    """Game, board and colours of a level file if its board is complete and could be played by its shape alone."""
    if not isinstance(document, Mapping):
        return None
    game, rows, colours = document.get("game"), document.get("board"), document.get("colours")
    if not isinstance(game, str) or game not in MODULES:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        return None
    info = get_game(game).info
    least, most = info.sizes
    if type(colours) is not int or not info.colours[0] <= colours <= info.colours[1]:
        return None
    widths = {len(row) for row in rows}
    if not least <= len(rows) <= most or len(widths) != 1 or not least <= min(widths) <= most:
        return None
    if not set("".join(rows)) <= set(LETTERS[:colours]):
        return None
    return game, tuple(rows), colours


def _runs_of(rows: Sequence[str]) -> tuple[tuple[int, int], ...]:
    cells = cells_of(rows)
    return tuple(
        (row, col) for row in range(cells.shape[0]) for col in range(cells.shape[1]) if in_run(cells, row, col)
    )


def _is_reshuffled(level: Level, codes: Sequence[int]) -> bool:
    """Whether the pieces were shuffled during a game. The engine's own steps, without the frames of a screen."""
    kernels = small if max(level.rows, level.cols) <= LARGEST else wide
    game = get_game(level.game)
    state, queued = game.new_state(level), game.queued(level)
    labels = np.zeros((level.rows, level.cols), np.uint8)
    for code in codes:
        kernels.start_move(state, code)
        step = 1
        while kernels.clear_and_fall(state, step, queued, labels):
            step += 1
        if kernels.end_move(state, queued):
            return True
    return False
