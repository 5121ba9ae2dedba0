"""Loops over many play-outs inside a kernel: a call from Python costs as much as a whole random game."""

import numpy as np

from engine.game import random_playout
from engine.games.samegame.playouts import tabu_of, tabu_playout
from engine.kernels import kernel
from engine.search.tree import copy_words


@kernel
def random_games(boards, state, chance, rng, length, games, totals):
    """Play `games` games of up to `length` random actions from `boards: uint64[n, W]` by turns.

    state: scratch; chance, rng, totals: as in `engine.game.random_playout`
    """
    for game in range(games):
        copy_words(state.words, boards[game % boards.shape[0]])
        random_playout(state, chance, rng, length, totals)


@kernel
def tabu_games(boards, state, kind, rng, games, totals):
    """Play `games` games of SameGame to their ends with play-outs of a kind; how many actions were made."""
    made = np.int64(0)
    for game in range(games):
        copy_words(state.words, boards[game % boards.shape[0]])
        made += tabu_playout(state, tabu_of(state, kind, rng), 0.0, rng, state.rows * state.cols, totals, None)
    return made
