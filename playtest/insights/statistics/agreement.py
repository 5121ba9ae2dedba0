"""How far a persona plays as a person did, move by move.

Agreement is the action agreement ratio of Holmgård, Liapis, Togelius and Yannakakis (Evolving personas for player
decision modeling, CIG 2014), held against chance: what somebody would reach who draws among the legal moves.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from playtest.insights.statistics.bootstrap import RESAMPLES, mean_of_means
from playtest.insights.statistics.known import Estimate, Floats, Interval, Measured, NotKnown

SEARCHES = 32
SMOOTHING = 0.5
LEAST_MOVES = 10
"""Fewer moves than these are not held against the personas one by one."""


@dataclass(frozen=True)
class MovesSeen:
    """Moves of one person as one persona sees them, an entry a move.

    legal: how many actions were legal, at least one; is_best: 1 where the persona's best action is the person's;
    share: the share of its searches in which the persona chose the person's action
    """

    legal: Floats
    is_best: Floats
    share: Floats

    @classmethod
    def of(cls, rows: Sequence[tuple[int, bool, float]]) -> "MovesSeen":
        table = np.array(rows, np.float64).reshape(-1, 3)
        return cls(table[:, 0], table[:, 1], table[:, 2])

    def __len__(self) -> int:
        return len(self.legal)

    @property
    def gains(self) -> Floats:
        """For each move the log-likelihood less that of drawing among the legal moves: 0 is chance."""
        return log_likelihood(self.share, self.legal) + np.log(self.legal)


def log_likelihood(share: Floats, legal: Floats) -> Floats:
    """ln of the chance that the persona plays this move: (hits + 0.5) / (32 + 0.5 * legal moves), never ln 0.

    Half a search is added to every legal move, so the chances of all of them sum to one.
    """
    chances: Floats = (share * SEARCHES + SMOOTHING) / (SEARCHES + SMOOTHING * legal)
    logs: Floats = np.log(chances)
    return logs


@dataclass(frozen=True)
class Agreement:
    """Means over people of their own means, each with the interval over people; `people` and `moves` were counted."""

    people: int
    moves: int
    share: Measured
    chance: Measured
    over_chance: Measured
    times_chance: Measured
    """How many times as likely as by chance a person's move is, as a geometric mean: 1 is chance."""


def agreement_over_chance(moves_of: Sequence[MovesSeen], *, seed: int, resamples: int = RESAMPLES) -> Agreement:
    """Of one persona with these people, one entry each."""
    own = [moves for moves in moves_of if len(moves)]
    columns = {
        "share": [float(moves.is_best.mean()) for moves in own],
        "chance": [float((1 / moves.legal).mean()) for moves in own],
        "over": [float((moves.is_best - 1 / moves.legal).mean()) for moves in own],
        "gain": [float(moves.gains.mean()) for moves in own],
    }
    measured = {
        name: mean_of_means(np.array(values, np.float64), seed=seed, resamples=resamples)
        for name, values in columns.items()
    }
    return Agreement(
        people=len(own),
        moves=sum(len(moves) for moves in own),
        share=measured["share"],
        chance=measured["chance"],
        over_chance=measured["over"],
        times_chance=_exponential(measured["gain"]),
    )


def _exponential(measured: Measured) -> Measured:
    if isinstance(measured, NotKnown):
        return measured
    interval = measured.interval
    if isinstance(interval, Interval):
        interval = Interval(math.exp(interval.lo), math.exp(interval.hi))
    return Estimate(math.exp(measured.value), measured.n, interval)


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
