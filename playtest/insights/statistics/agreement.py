"""How far a persona plays as a person did, move by move.

Agreement is the action agreement ratio of Holmgård, Liapis, Togelius and Yannakakis (Evolving personas for player
decision modeling, CIG 2014), held against chance: what somebody would reach who draws among the legal moves.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from playtest.insights.statistics.bootstrap import RESAMPLES, mean_of
from playtest.insights.statistics.known import Floats, Measured, NotKnown, Sample

SEARCHES = 32
SMOOTHING = 0.5
LEAST_MOVES = 10
"""Fewer moves than these are not held against the personas one by one."""


@dataclass(frozen=True)
class MoveSeen:
    """One move of a person: how many were legal, whether the persona's best move is it, and in which share of its
    searches the persona chose it."""

    legal: int
    is_best: bool
    share: float


def log_likelihood(share: float, legal: int) -> float:
    """ln of the chance that the persona plays this move: (hits + 0.5) / (32 + 0.5 * legal moves), never ln 0.

    Half a search is added to every legal move, so the chances of all of them sum to one.
    """
    hits = share * SEARCHES
    return math.log((hits + SMOOTHING) / (SEARCHES + SMOOTHING * legal))


def log_likelihoods(moves: Sequence[MoveSeen]) -> Floats:
    """For each move the log-likelihood minus that of drawing among the legal moves: above 0 is better than chance."""
    return np.array([log_likelihood(one.share, one.legal) + math.log(one.legal) for one in moves], np.float64)


@dataclass(frozen=True)
class Agreement:
    """Means over people of their own means, each with the interval over people; `people` and `moves` were counted."""

    people: int
    moves: int
    share: Measured
    chance: Measured
    over_chance: Measured
    gain: Measured
    """Log-likelihood a move above chance; its exponential is how many times as likely as by chance."""


def agreement_over_chance(
    moves_of: Mapping[int, Sequence[MoveSeen]], *, seed: int, resamples: int = RESAMPLES
) -> Agreement:
    """Of one persona with these people, by participant."""
    own = {who: moves for who, moves in moves_of.items() if moves}
    columns: dict[str, list[tuple[object, float | None]]] = {"share": [], "chance": [], "over": [], "gain": []}
    for who, moves in own.items():
        gains = log_likelihoods(moves)
        for one, gain in zip(moves, gains.tolist(), strict=True):
            chance = 1 / one.legal
            columns["share"].append((who, float(one.is_best)))
            columns["chance"].append((who, chance))
            columns["over"].append((who, one.is_best - chance))
            columns["gain"].append((who, gain))
    measured = {name: mean_of(Sample.of(pairs), seed=seed, resamples=resamples) for name, pairs in columns.items()}
    return Agreement(
        people=len(own),
        moves=sum(len(moves) for moves in own.values()),
        share=measured["share"],
        chance=measured["chance"],
        over_chance=measured["over"],
        gain=measured["gain"],
    )


@dataclass(frozen=True)
class Nearest:
    """The persona whose searches choose somebody's moves most often. `fits`: better than chance beyond doubt."""

    persona: str
    gain: float
    fits: bool


def nearest_persona(gains_of: Mapping[str, Floats]) -> Nearest | NotKnown:
    """Which persona is nearest to one person, from the log-likelihoods above chance of the same moves.

    It fits if even the lower end of the interval of its mean gain is above chance: Student's t over moves, at
    95 % for the best of all personas together (Bonferroni). Else the nearest is named, but none fits.
    """
    if not gains_of:
        return NotKnown("no persona has looked at these moves")
    moves = min(len(gains) for gains in gains_of.values())
    if moves < LEAST_MOVES:
        return NotKnown(f"{moves} moves are fewer than {LEAST_MOVES}")
    from scipy import stats

    name, gains = max(gains_of.items(), key=lambda pair: (float(pair[1].mean()), pair[0]))
    mean, spread = float(gains.mean()), float(gains.std(ddof=1))
    quantile = float(stats.t.ppf(1 - 0.025 / len(gains_of), len(gains) - 1))
    return Nearest(name, mean, mean - quantile * spread / math.sqrt(len(gains)) > 0)
