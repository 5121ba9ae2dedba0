"""How far two groups lie apart, and whether chance would do it."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from playtest.insights.statistics.bootstrap import RESAMPLES, percentile_interval, resampled_medians
from playtest.insights.statistics.draws import arranged, resampled
from playtest.insights.statistics.known import Estimate, Floats, Measured, NotKnown, Sample, Test

EXACT_LIMIT = 20_000
"""So many arrangements at most are all counted."""
PERMUTATIONS = 9_999


def cliffs_delta(first: Sample, second: Sample, *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """How much oftener a value of `first` is above one of `second` than below: -1 to 1, 0 where neither leads.

    The interval is that of percentiles, owners of both sides drawn again. Source: Cliff, Dominance statistics,
    Psychological Bulletin 114 (1993), 494-509.
    """
    if first.n == 0 or second.n == 0:
        return NotKnown("one side has no values")
    signs = np.sign(first.flat[:, np.newaxis] - second.flat[np.newaxis, :])
    value = float(signs.mean())
    if min(first.n, second.n) == 1:
        return Estimate(value, first.n, NotKnown("one side has one alone, which says nothing of how others differ"))
    if abs(value) == 1:
        return Estimate(value, first.n, NotKnown("the two sides do not overlap"))
    if first.is_flat and second.is_flat:
        return Estimate(value, first.n, NotKnown("all values of each side are equal"))
    weights = [
        resampled(seed, name, resamples, sample.n)[:, sample.owner].astype(np.float64)
        for name, sample in (("bootstrap", first), ("bootstrap other", second))
    ]
    sums = np.einsum("ij,ij->i", weights[0] @ signs, weights[1])
    deltas: Floats = sums / (weights[0].sum(axis=1) * weights[1].sum(axis=1))
    return Estimate(value, first.n, percentile_interval(deltas))


def permutation_test(first: Sequence[float], second: Sequence[float], *, seed: int) -> Test | NotKnown:
    """Two-sided p value of the difference of means under any sharing out of these values into two such groups.

    Exact where there are at most `EXACT_LIMIT` ways; else of `PERMUTATIONS` random ones, with the observed one counted
    among them, so that p is never 0 (Phipson and Smyth 2010). Values must be exchangeable: one for each owner. Source:
    Pitman, Significance tests which may be applied to samples from any populations, JRSS Supplement 4 (1937), 119-130.
    """
    n, m = len(first), len(second)
    if n == 0 or m == 0:
        return NotKnown("one side has no values")
    if n + m < 4 or min(n, m) == 1:
        return NotKnown("two values on each side are the least from which it can be told")
    pooled = np.concatenate([np.asarray(first, np.float64), np.asarray(second, np.float64)])
    if np.ptp(pooled) == 0:
        return NotKnown(f"all {n + m} values are equal")
    # The difference of means is a rising function of the sum of the first group alone, centred on its mean.
    centred = pooled - pooled.mean()
    observed = abs(float(centred[:n].sum()))
    # Sums of the same values in another order may differ in their last digits.
    threshold = observed - 1e-9 * float(np.abs(centred).sum())
    ways = math.comb(n + m, n)
    if ways <= EXACT_LIMIT:
        return Test(int(np.count_nonzero(np.abs(_all_sums(centred, n)) >= threshold)) / ways, True, ways)
    extreme = int(np.count_nonzero(np.abs(_drawn_sums(centred, n, seed)) >= threshold))
    return Test((extreme + 1) / (PERMUTATIONS + 1), False, PERMUTATIONS)


def _all_sums(values: Floats, n: int) -> Floats:
    """Sums of the first group in every arrangement."""
    places = np.fromiter((place for way in combinations(range(len(values)), n) for place in way), np.int64)
    sums: Floats = values[places.reshape(-1, n)].sum(axis=1)
    return sums


def _drawn_sums(values: Floats, n: int, seed: int) -> Floats:
    """Sums of the first group in random arrangements, a thousand at a time: all at once would be 20 MB."""
    places = arranged(seed, PERMUTATIONS, len(values), n)
    return np.concatenate([values[rows].sum(axis=1) for rows in np.array_split(places, 10)])


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p values corrected for how many they are, in their order; None stays None and is not counted.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979),
    65-70.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        corrected[place] = highest
    return corrected


def percentile_among(persona: Sample, people: Sample, *, seed: int, resamples: int = RESAMPLES) -> Measured:
    """Which per cent of the people's values lie below the persona's median; those equal to it count half.

    The interval draws the people and the persona's games again. Between 0 and 100.
    """
    if people.n == 0:
        return NotKnown("nobody has played here")
    if persona.n == 0:
        return NotKnown("the persona has not played here")
    ordered = np.sort(people.flat)
    value = float(_share_below(ordered, np.array([np.median(persona.flat)]))[0])
    if people.n == 1:
        return Estimate(value, 1, NotKnown("one alone says nothing of how others differ"))
    medians = resampled_medians(persona, seed, "bootstrap other", resamples)
    order = np.argsort(people.flat, kind="stable")
    weights = resampled(seed, "bootstrap", resamples, people.n)[:, people.owner[order]]
    reached = np.concatenate([np.zeros((resamples, 1), np.int64), np.cumsum(weights, axis=1)], axis=1)
    rows = np.arange(resamples)
    below = reached[rows, np.searchsorted(ordered, medians, side="left")]
    up_to = reached[rows, np.searchsorted(ordered, medians, side="right")]
    shares: Floats = 100 * (below + up_to) / 2 / reached[:, -1]
    return Estimate(value, people.n, percentile_interval(shares))


def _share_below(ordered: Floats, values: Floats) -> Floats:
    below = np.searchsorted(ordered, values, side="left")
    up_to = np.searchsorted(ordered, values, side="right")
    shares: Floats = 100 * (below + up_to) / 2 / len(ordered)
    return shares
