"""What holds of the statistics for any values."""

import json
import math
from dataclasses import asdict

from hypothesis import given, settings
from hypothesis import strategies as st

from playtest.insights.statistics import (
    Estimate,
    Interval,
    Measured,
    NotKnown,
    Sample,
    cliffs_delta,
    holm,
    kendall,
    mean_difference,
    mean_of,
    median_of,
    order_effect,
    percentile_among,
    permutation_test,
    spearman,
)
from playtest.insights.statistics import Test as PValue

scores = st.integers(0, 9000).map(float)
pairs = st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), scores)), max_size=25)
quick = settings(max_examples=60, deadline=None)
RESAMPLES = 200


def check(found: Measured, low: float = -math.inf, high: float = math.inf) -> None:
    """Finite, within its bounds, in words where there is nothing."""
    json.dumps(asdict(found), allow_nan=False)
    if isinstance(found, NotKnown):
        assert found.why
        return
    assert low <= found.value <= high
    if isinstance(found.interval, Interval):
        assert low <= found.interval.lo <= found.interval.hi <= high
    else:
        assert found.interval.why


@quick
@given(pairs, pairs)
def test_everything_is_finite_or_words(first: list[tuple[int, float | None]], second: list[tuple[int, float]]) -> None:
    a, b = Sample.of(first), Sample.of(second)
    check(mean_of(a, seed=1, resamples=RESAMPLES), 0, 9000)
    check(median_of(a, seed=1, resamples=RESAMPLES), 0, 9000)
    check(mean_difference(a, b, seed=1, resamples=RESAMPLES), -9000, 9000)
    check(cliffs_delta(a, b, seed=1, resamples=RESAMPLES), -1, 1)
    check(percentile_among(a, b, seed=1, resamples=RESAMPLES), 0, 100)


@quick
@given(st.lists(st.tuples(st.one_of(st.none(), scores), st.one_of(st.none(), scores)), max_size=12))
def test_correlations_are_between_minus_one_and_one(rows: list[tuple[float | None, float | None]]) -> None:
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    for correlation in (spearman, kendall):
        check(correlation(first, second), -1, 1)
        assert (
            correlation(first, second) == correlation(second, first)
            or len({*first, *second}) < 4
            or _close(correlation(first, second), correlation(second, first))
        )


def _close(first: Measured, second: Measured) -> bool:
    if isinstance(first, NotKnown) or isinstance(second, NotKnown):
        return isinstance(first, NotKnown) and isinstance(second, NotKnown)
    return math.isclose(first.value, second.value, abs_tol=1e-9)


@quick
@given(pairs, pairs)
def test_swapping_sides_turns_delta_and_difference_round(
    first: list[tuple[int, float | None]], second: list[tuple[int, float | None]]
) -> None:
    a, b = Sample.of(first), Sample.of(second)
    for statistic in (cliffs_delta, mean_difference):
        one, other = statistic(a, b, seed=1, resamples=50), statistic(b, a, seed=1, resamples=50)
        if isinstance(one, Estimate):
            assert isinstance(other, Estimate)
            assert math.isclose(one.value, -other.value, abs_tol=1e-9)


@quick
@given(st.lists(scores, min_size=1, max_size=6), st.lists(scores, min_size=1, max_size=6), st.integers(-500, 500))
def test_p_is_a_share_and_shifting_everything_changes_nothing(first: list[float], second: list[float], by: int) -> None:
    found = permutation_test(first, second, seed=1)
    shifted = permutation_test([one + by for one in first], [one + by for one in second], seed=1)
    swapped = permutation_test(second, first, seed=1)
    if isinstance(found, PValue):
        assert found.is_exact
        assert 0 < found.p <= 1
        assert isinstance(shifted, PValue)
        assert isinstance(swapped, PValue)
        assert math.isclose(found.p, shifted.p)
        assert math.isclose(found.p, swapped.p)
    else:
        assert isinstance(shifted, NotKnown)


@quick
@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_never_lowers_a_p_value_and_keeps_the_order(p_values: list[float | None]) -> None:
    corrected = holm(p_values)
    both = [(p, c) for p, c in zip(p_values, corrected, strict=True) if p is not None and c is not None]
    assert len(both) == sum(p is not None for p in p_values)
    assert all(p <= c <= 1 for p, c in both)
    assert [c for _, c in sorted(both)] == sorted(c for _, c in both)


@quick
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.integers(1, 4), scores), max_size=25))
def test_order_effect_is_finite_or_words(rows: list[tuple[int, str, int, float]]) -> None:
    check(order_effect(rows, seed=1, resamples=RESAMPLES))


@quick
@given(pairs)
def test_the_same_seed_gives_the_same_interval(rows: list[tuple[int, float | None]]) -> None:
    sample = Sample.of(rows)
    assert mean_of(sample, seed=7, resamples=100) == mean_of(sample, seed=7, resamples=100)
    assert median_of(sample, seed=7, resamples=100) == median_of(sample, seed=7, resamples=100)
