"""Random play scores, and sees legal swaps, as the rules say it does; shuffles come about once in 13 games."""

import math
import random

import numpy as np
import pytest

from engine.game import get_game, random_playout
from engine.level import draw_level
from engine.rng import new_rng
from engine.round import Round

GAME = get_game("match3")
LEVELS = 1000
GAMES_A_LEVEL = 10


@pytest.mark.parametrize(("colours", "score", "legal"), [(5, 4490, None), (6, 2840, 7.2), (7, 2200, None)])
def test_random_play_has_the_stated_means(colours: int, score: int, legal: float | None):
    scores, choices = np.zeros(LEVELS), np.zeros(LEVELS)
    rng, chance = new_rng(colours, "choice"), GAME.sampled(new_rng(colours, "pieces"))
    for seed in range(LEVELS):
        level, totals = draw_level(colours=colours, seed=seed), np.zeros(2, dtype=np.int64)
        for _ in range(GAMES_A_LEVEL):
            random_playout(GAME.new_state(level), chance, rng, 20, totals)
        scores[seed], choices[seed] = totals / GAMES_A_LEVEL
    # Four standard errors over levels, and half a unit of the last place that the rules give.
    assert abs(scores.mean() - score) < 4 * scores.std(ddof=1) / math.sqrt(LEVELS) + 5
    if legal is not None:
        swaps = choices / 20
        assert abs(swaps.mean() - legal) < 4 * swaps.std(ddof=1) / math.sqrt(LEVELS) + 0.05


def test_a_shuffle_comes_about_once_in_thirteen_games():
    choice, games = random.Random(1), 650
    shuffles = 0
    for seed in range(games):
        played = Round(draw_level(seed=seed))
        while played.over is None:
            shuffles += played.play_code(choice.choice(played.legal_codes())).reshuffled is not None
    expected = games / 13
    assert abs(shuffles - expected) < 4 * math.sqrt(expected)
