"""SameGame: random moves and play-outs a second on the standard size, and how long and wide random play is."""

from collections.abc import Callable, Iterator

import numpy as np

from engine.game import get_game
from engine.games.letters import cells_of
from engine.games.samegame.board import SmallBoard, new_board
from engine.games.samegame.playouts import PLAYOUTS
from engine.rng import new_rng
from playtest.bench.figures import Figure, Size, Times, best_by_turns, cpu_seconds, report
from playtest.bench.kernels import tabu_games
from playtest.bench.match3 import first_game
from playtest.bench.samegame_cells import CellGames

NAME = "samegame"
COLOURS = 5
BOARDS = 1_000
GAMES = 4_000
SIZES = (15, 20)
"""The standard size, and the largest one, which takes wider words."""
UNCOUNTED = 1_000_000
"""A horizon beyond every game, so that groups are counted to the end."""
TITLES = dict(zip(PLAYOUTS, ("random", "TabuRandom", "TabuColorRandom"), strict=True))

BY_CELLS = f"random play-outs, {SIZES[0]} x {SIZES[0]} x {COLOURS}, the other representation"


def draw_rows(side: int, seed: int) -> tuple[str, ...]:
    """A square board, as rows of letters."""
    return get_game("samegame").draw_board(rows=side, cols=side, colours=COLOURS, seed=seed)


class Playouts:
    """Play-outs of one kind from 1,000 boards of a size; what they came to is counted."""

    def __init__(self, side: int, kind: int, games: int) -> None:
        states = [new_board(cells_of(draw_rows(side, seed)), COLOURS, UNCOUNTED) for seed in range(BOARDS)]
        self.boards = np.array([state.words for state in states])
        self.state = states[0]
        self.is_small = isinstance(self.state, SmallBoard)
        self.kind, self.games = kind, games
        self.rng = new_rng(1, "bench")
        self.totals = np.zeros(2, np.int64)
        self.play(1)
        self.totals[:] = 0
        self.moves = self.played = 0

    def play(self, games: int) -> int:
        return int(tabu_games(self.boards, self.state, self.kind, self.rng, games, self.totals))

    def __call__(self) -> None:
        self.moves += self.play(self.games)
        self.played += self.games

    @property
    def mean_moves(self) -> float:
        """Moves a game."""
        return self.moves / self.played

    @property
    def mean_groups(self) -> float:
        """Removable groups before a move."""
        return float(self.totals[1]) / self.moves


def playout_time(name: str, playouts: Playouts) -> Callable[[], Times]:
    """Measures the processor time of one play-out."""
    return lambda: {name: cpu_seconds(playouts) / playouts.games}


def measure(size: Size) -> Iterator[Figure]:
    """All figures of SameGame."""
    report("SameGame, play-outs")
    games = size.of(GAMES)
    kinds = {
        f"{TITLES[playout]} play-outs, {side} x {side} x {COLOURS}": Playouts(side, kind, games)
        for side in SIZES
        for kind, playout in enumerate(PLAYOUTS)
    }
    cells = CellGames([draw_rows(SIZES[0], seed) for seed in range(BOARDS)], new_rng(1, "bench"))
    cells.play(1)
    turns = [playout_time(name, playouts) for name, playouts in kinds.items()]
    best = best_by_turns([*turns, lambda: {BY_CELLS: cpu_seconds(lambda: cells.play(games)) / games}], size)
    seconds = best.pop(BY_CELLS)
    facts = {"clock": "processor", "state": "a byte a cell, union-find", "us_a_playout": round(1e6 * seconds, 2)}
    yield Figure(NAME, BY_CELLS, "play-outs/s", 1 / seconds, facts)
    for name, seconds in best.items():
        playouts = kinds[name]
        facts = {
            "clock": "processor",
            "state": "SmallBoard" if playouts.is_small else "WideBoard",
            "us_a_playout": round(1e6 * seconds, 2),
            "mean_moves": round(playouts.mean_moves, 2),
            "mean_groups": round(playouts.mean_groups, 2),
        }
        yield Figure(NAME, name, "play-outs/s", 1 / seconds, facts)
        if playouts.kind == 0:
            side = playouts.state.rows
            suffix = f"random play, {side} x {side} x {COLOURS}"
            yield Figure(NAME, suffix, "moves/s", playouts.mean_moves / seconds, facts)
            counted = {"games": playouts.played, "boards": BOARDS}
            yield Figure(NAME, f"{suffix}, length of a game", "moves", playouts.mean_moves, counted)
            yield Figure(NAME, f"{suffix}, removable groups", "groups", playouts.mean_groups, counted)
    best = best_by_turns([first_game("samegame", "samegame-01")], size)
    yield Figure(NAME, "first game after imports", "s", best["first game"], {"clock": "wall", "target": "below 1"})
