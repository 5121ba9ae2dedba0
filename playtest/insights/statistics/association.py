"""What goes with what: predicted with observed difficulty, position with score."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from playtest.insights.statistics.bootstrap import RESAMPLES, ratio_of
from playtest.insights.statistics.known import NOBODY, Estimate, Floats, Interval, Measured, NotKnown

_Z = NormalDist().inv_cdf(0.975)
_ROUNDS = 200


def spearman(first: Sequence[float | None], second: Sequence[float | None]) -> Measured:
    """Spearman's rank correlation of pairs, with the interval of Bonett and Wright (Psychometrika 65, 2000, 23-28).

    Pairs of which a value is missing are left out; three are the least, four for the interval.
    """
    return _correlation(first, second, "spearmanr")


def kendall(first: Sequence[float | None], second: Sequence[float | None]) -> Measured:
    """Kendall's tau-b of pairs, with Fieller's standard error as Bonett and Wright (2000) take it; as `spearman`."""
    return _correlation(first, second, "kendalltau")


def _correlation(first: Sequence[float | None], second: Sequence[float | None], name: str) -> Measured:
    pairs = [
        (a, b)
        for a, b in zip(first, second, strict=True)
        if a is not None and b is not None and math.isfinite(a) and math.isfinite(b)
    ]
    n = len(pairs)
    if n == 0:
        return NOBODY
    if n < 3:
        return NotKnown(f"{n} of them put in order can only agree or not: it takes three")
    for side, place in (("first", 0), ("second", 1)):
        if len({pair[place] for pair in pairs}) == 1:
            return NotKnown(f"all values of the {side} are equal")
    from scipy import stats

    # SciPy gives -0.9999999999999999 for a perfect order.
    value = round(float(getattr(stats, name)(*zip(*pairs, strict=True)).statistic), 12)
    return Estimate(value, n, _fisher(value, n, name))


def _fisher(value: float, n: int, name: str) -> Interval | NotKnown:
    if abs(value) == 1:
        return NotKnown("the order is the same throughout, which has no spread")
    least = 4 if name == "spearmanr" else 5
    if n < least:
        return NotKnown(f"there are {n} pairs, and the formula takes {least}")
    error = math.sqrt((1 + value**2 / 2) / (n - 3)) if name == "spearmanr" else math.sqrt(0.437 / (n - 4))
    middle = math.atanh(value)
    return Interval(math.tanh(middle - _Z * error), math.tanh(middle + _Z * error))


def order_effect(rows: Sequence[tuple[int, str, int, float]], *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """Points won with each further round, from rows (participant, level, position, score).

    The slope of score on position with a mean for each participant and for each level (two-way fixed effects, by
    taking means off in turn: Frisch and Waugh 1933); the interval draws participants again. Not known where position
    and level cannot be told apart.
    """
    if not rows:
        return NOBODY
    people, who = np.unique([row[0] for row in rows], return_inverse=True)
    _, level = np.unique([row[1] for row in rows], return_inverse=True)
    positions = np.array([row[2] for row in rows], np.float64)
    if len(set(positions.tolist())) == 1:
        return NotKnown("everybody has played one round only")
    place = within(positions, who, level)
    spread = float(np.sum((positions - positions.mean()) ** 2))
    if float(np.sum(place**2)) < 1e-9 * spread:
        return NotKnown(
            "each level always stood in the same place, so order and level cannot be told apart"
            if len(rows) > len(people)
            else "everybody has played one round only"
        )
    score = within(np.array([row[3] for row in rows], np.float64), who, level)
    tops: Floats = np.bincount(who, place * score, len(people)).astype(np.float64)
    bottoms: Floats = np.bincount(who, place * place, len(people)).astype(np.float64)
    return ratio_of(tops, bottoms, seed=seed, resamples=resamples)


def within(values: Floats, who: NDArray[np.int64], level: NDArray[np.int64]) -> Floats:
    """The values less the mean of their participant and of their level, both at once."""
    left: Floats = values - values.mean()
    for _ in range(_ROUNDS):
        before = left
        for group in (who, level):
            left = left - (np.bincount(group, left) / np.bincount(group))[group]
        if float(np.max(np.abs(left - before))) < 1e-10 * (1 + float(np.max(np.abs(values)))):
            break
    return left
