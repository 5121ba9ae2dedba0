"""Bootstrap intervals. What is drawn again are owners (participants, games), each with all its values.

Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 8, 13 and 14 (percentile and BCa
intervals); Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8 (whole clusters are drawn).
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from playtest.insights.statistics.draws import resampled
from playtest.insights.statistics.known import NOBODY, Estimate, Floats, Interval, Measured, NotKnown, Sample, no_spread

RESAMPLES = 2_000
LEVEL = 0.95
NORMAL = NormalDist()


def mean_of(sample: Sample, *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """The mean of the owners' own means, with its BCa interval: n is the number of owners."""
    return mean_of_means(sample.means, seed=seed, resamples=resamples)


def mean_of_means(means: Floats, *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """As `mean_of`, from the mean of each owner."""
    n = len(means)
    if n == 0:
        return NOBODY
    value = float(means.mean())
    why = _equal(means)
    if why is not None:
        return Estimate(value, n, why)
    drawn = resampled(seed, "bootstrap", resamples, n) @ means / n
    return Estimate(value, n, bca_interval(drawn, value, [jackknife_means(means)]))


def median_of(sample: Sample, *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """The median of all values, with its percentile interval; owners are drawn with all their values.

    A percentile interval, since the acceleration of BCa does not hold for a median.
    """
    if sample.n == 0:
        return NOBODY
    value = float(np.median(sample.flat))
    why = no_spread(sample)
    if why is not None:
        return Estimate(value, sample.n, why)
    return Estimate(value, sample.n, percentile_interval(resampled_medians(sample, seed, "bootstrap", resamples)))


def mean_difference(first: Sample, second: Sample, *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """Mean of the owners' means of `first` minus that of `second`, with its BCa interval; both are drawn again.

    `n` is that of the first. The interval needs two owners in both, and a difference somewhere.
    """
    if first.n == 0 or second.n == 0:
        return NotKnown("one side has no values")
    value = float(first.means.mean() - second.means.mean())
    if min(first.n, second.n) == 1:
        return Estimate(value, first.n, NotKnown("one side has one alone, which says nothing of how others differ"))
    if _equal(first.means) and _equal(second.means):
        return Estimate(value, first.n, NotKnown("all values of each side are equal"))
    drawn = [
        resampled(seed, name, resamples, sample.n) @ sample.means / sample.n
        for name, sample in (("bootstrap", first), ("bootstrap other", second))
    ]
    folded = [jackknife_means(first.means), -jackknife_means(second.means)]
    return Estimate(value, first.n, bca_interval(drawn[0] - drawn[1], value, folded))


def ratio_of(tops: Floats, bottoms: Floats, *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """Sum of `tops` by sum of `bottoms`, one pair for each owner, with the percentile interval over owners."""
    n, below = len(tops), float(np.sum(bottoms))
    if n == 0:
        return NOBODY
    if below <= 0:
        return NotKnown("there is nothing to divide by")
    value = float(np.sum(tops) / below)
    if n == 1:
        return Estimate(value, n, NotKnown("one alone says nothing of how others differ"))
    counts = resampled(seed, "bootstrap", resamples, n)
    divided = counts @ bottoms
    usable = divided > 0
    ratios = (counts @ tops)[usable] / divided[usable]
    return Estimate(value, n, percentile_interval(ratios))


def resampled_medians(sample: Sample, seed: int, name: str, resamples: int) -> Floats:
    """The median of all values in each resample, each value as often as its owner was drawn."""
    order = np.argsort(sample.flat, kind="stable")
    values = sample.flat[order]
    reached = np.cumsum(resampled(seed, name, resamples, sample.n)[:, sample.owner[order]], axis=1)
    total = reached[:, -1]
    low = np.argmax(reached >= ((total + 1) // 2)[:, np.newaxis], axis=1)
    high = np.argmax(reached >= (total // 2 + 1)[:, np.newaxis], axis=1)
    medians: Floats = (values[low] + values[high]) / 2
    return medians


def jackknife_means(values: Floats) -> Floats:
    """The mean without each of the values in turn."""
    jackknifed: Floats = (values.sum() - values) / (len(values) - 1)
    return jackknifed


def percentile_interval(statistics: Floats, level: float = LEVEL) -> Interval | NotKnown:
    """The middle 95 % of the resampled statistics, by linear interpolation."""
    return _quantiles(statistics, (1 - level) / 2, (1 + level) / 2)


def bca_interval(
    statistics: Floats, value: float, jackknifed: Sequence[Floats], level: float = LEVEL
) -> Interval | NotKnown:
    """Efron's BCa interval (Efron and Tibshirani 1993, equations 14.9 to 14.15).

    `jackknifed` holds for each sample the statistic without each of its owners in turn. Half of the resamples that
    give just `value` count as below it, as with whole scores many do.
    """
    # The same sum in another order may differ in its last digits: it is equal all the same.
    near = 1e-9 * (1 + abs(value))
    equal = np.count_nonzero(np.abs(statistics - value) <= near)
    below = (np.count_nonzero(statistics < value - near) + equal / 2) / len(statistics)
    if not 0 < below < 1:
        return percentile_interval(statistics, level)
    bias = NORMAL.inv_cdf(float(below))
    influences = [(len(one) - 1) * (one.mean() - one) / len(one) for one in jackknifed]
    cubes = sum(float(np.sum(one**3)) for one in influences)
    squares = sum(float(np.sum(one**2)) for one in influences)
    acceleration = cubes / (6 * squares**1.5) if squares > 0 else 0.0

    def place(share: float) -> float:
        shifted = bias + NORMAL.inv_cdf(share)
        # Where the acceleration is so strong that this turns round, the formula says nothing any more.
        room = max(1 - acceleration * shifted, 1e-3)
        return NORMAL.cdf(bias + shifted / room)

    return _quantiles(statistics, place((1 - level) / 2), place((1 + level) / 2))


def _quantiles(statistics: Floats, low: float, high: float) -> Interval | NotKnown:
    if len(statistics) == 0:
        return NotKnown("no resample had anything to divide by")
    lo, hi = np.quantile(statistics, [min(low, high), max(low, high)])
    return Interval(float(lo), float(hi))


def _equal(means: Floats) -> NotKnown | None:
    if len(set(means.tolist())) == 1:
        return NotKnown(
            f"all {len(means)} values are equal" if len(means) > 1 else "one alone says nothing of how others differ"
        )
    return None
