"""The statistics against published worked examples and against SciPy."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from engine.rng import below, new_rng
from playtest.insights.statistics import (
    Estimate,
    Interval,
    NotKnown,
    Sample,
    cliffs_delta,
    holm,
    kendall,
    log_likelihood,
    mean_difference,
    mean_of,
    median_of,
    nearest_persona,
    order_effect,
    percentile_among,
    permutation_test,
    spearman,
)
from playtest.insights.statistics import Test as PValue
from playtest.insights.statistics.agreement import MovesSeen, agreement_over_chance
from playtest.insights.statistics.bootstrap import bca_interval, percentile_interval
from playtest.insights.statistics.draws import draws_below, resampled

# Efron and Tibshirani, An Introduction to the Bootstrap (1993), table 2.1: survival of mice in days.
TREATED = [94.0, 197, 16, 38, 99, 141, 23]
CONTROL = [52.0, 104, 146, 10, 51, 30, 40, 27, 46]
# The same, table 14.1, test A of the spatial data.
SPATIAL = [48.0, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]
# Hogarty and Kromrey, Using SAS to calculate tests of Cliff's delta (1999).
FIRST = [10.0, 10, 20, 20, 20, 30, 30, 30, 40, 50]
SECOND = [10.0, 20, 30, 40, 40, 50]
# The example of the article "Spearman's rank correlation coefficient" in Wikipedia.
IQ = [106.0, 100, 86, 101, 99, 103, 97, 113, 112, 110]
HOURS = [7.0, 27, 2, 50, 28, 29, 20, 12, 6, 17]


def known(measured: object) -> Estimate:
    assert isinstance(measured, Estimate)
    return measured


def interval(measured: object) -> Interval:
    found = known(measured).interval
    assert isinstance(found, Interval)
    return found


def test_draws_are_those_of_the_engine() -> None:
    rng = new_rng(17, "bootstrap", 3)
    assert draws_below(17, "bootstrap", (4, 5), 41, 3).ravel().tolist() == [int(below(rng, 41)) for _ in range(20)]


def test_every_resample_draws_as_many_as_there_are() -> None:
    counts = resampled(5, "bootstrap", 300, 7)
    assert set(counts.sum(axis=1).tolist()) == {7}
    # Each of seven is drawn once on average.
    assert counts.mean(axis=0) == pytest.approx(np.ones(7), abs=0.2)


def test_intervals_of_a_variance_are_those_of_efron_and_tibshirani() -> None:
    """Section 14.2: the estimate 171.5, at 90 % the percentile interval (100.8, 233.9) and BCa (115.8, 259.6).

    They drew 2,000 resamples, so their ends have an error of their own of some units.
    """
    values = np.array(SPATIAL)
    variance = float(values.var())
    assert variance == pytest.approx(171.5, abs=0.05)
    counts = resampled(1, "bootstrap", 20_000, len(values))
    drawn = counts @ values**2 / len(values) - (counts @ values / len(values)) ** 2
    without = np.array([np.delete(values, place).var() for place in range(len(values))])
    plain = percentile_interval(drawn, 0.9)
    better = bca_interval(drawn, variance, [without], 0.9)
    assert isinstance(plain, Interval)
    assert isinstance(better, Interval)
    assert (plain.lo, plain.hi) == (pytest.approx(100.8, abs=6), pytest.approx(233.9, abs=6))
    assert (better.lo, better.hi) == (pytest.approx(115.8, abs=6), pytest.approx(259.6, abs=8))


def test_interval_of_a_mean_is_that_of_scipy() -> None:
    ours = mean_of(Sample.single(SPATIAL), seed=1, resamples=9_999)
    theirs = stats.bootstrap((SPATIAL,), np.mean, n_resamples=9_999, random_state=1).confidence_interval
    assert known(ours).value == pytest.approx(np.mean(SPATIAL))
    assert (interval(ours).lo, interval(ours).hi) == (
        pytest.approx(theirs.low, abs=0.4),
        pytest.approx(theirs.high, abs=0.4),
    )


def test_difference_of_the_mice_and_its_interval() -> None:
    """Efron and Tibshirani, section 2.1: 86.86 - 56.22 = 30.63. The interval is compared with SciPy's."""
    ours = mean_difference(Sample.single(TREATED), Sample.single(CONTROL), seed=1, resamples=9_999)
    theirs = stats.bootstrap(
        (TREATED, CONTROL),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=9_999,
        random_state=1,
    ).confidence_interval
    assert known(ours).value == pytest.approx(30.63, abs=0.01)
    assert (interval(ours).lo, interval(ours).hi) == (
        pytest.approx(theirs.low, abs=2.5),
        pytest.approx(theirs.high, abs=2.5),
    )


def test_interval_of_a_median_is_that_of_scipy() -> None:
    ours = interval(median_of(Sample.single(SPATIAL), seed=1, resamples=9_999))
    theirs = stats.bootstrap(
        (SPATIAL,), np.median, n_resamples=9_999, method="percentile", random_state=1
    ).confidence_interval
    assert (ours.lo, ours.hi) == (pytest.approx(theirs.low, abs=1), pytest.approx(theirs.high, abs=1))


def test_people_are_drawn_with_all_their_rounds() -> None:
    """Ten people who each played the same score five times are ten values, not fifty."""
    rows = [(person, float(100 * person)) for person in range(10) for _ in range(5)]
    by_person = interval(mean_of(Sample.of(rows), seed=3))
    alone = interval(mean_of(Sample.single([value for _, value in rows]), seed=3))
    ten = interval(mean_of(Sample.single([float(100 * person) for person in range(10)]), seed=3))
    assert by_person == ten
    assert by_person.hi - by_person.lo > 1.8 * (alone.hi - alone.lo)
    median = interval(median_of(Sample.of(rows), seed=3))
    assert median == interval(median_of(Sample.single([float(100 * person) for person in range(10)]), seed=3))


def test_delta_of_the_published_example() -> None:
    """Hogarty and Kromrey (1999): -0.25. It is Mann and Whitney's U on another scale."""
    ours = cliffs_delta(Sample.single(FIRST), Sample.single(SECOND), seed=1)
    assert known(ours).value == pytest.approx(-0.25)
    u = stats.mannwhitneyu(FIRST, SECOND).statistic
    assert known(ours).value == pytest.approx(2 * u / (len(FIRST) * len(SECOND)) - 1)
    assert interval(ours).lo < -0.25 < interval(ours).hi


def test_permutation_test_of_the_mice() -> None:
    """Efron and Tibshirani, section 15.2: 132 of 1,000 random arrangements, one-sided. All 11,440 are counted here."""
    ours = permutation_test(TREATED, CONTROL, seed=1)
    assert isinstance(ours, PValue)
    assert (ours.is_exact, ours.arrangements) == (True, 11_440)
    assert ours.p / 2 == pytest.approx(0.132, abs=0.03)

    def apart(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis))

    theirs = stats.permutation_test((TREATED, CONTROL), apart, n_resamples=np.inf, alternative="greater")
    assert ours.p == pytest.approx(theirs.pvalue)


def test_drawn_arrangements_come_near_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = permutation_test(TREATED, CONTROL, seed=1)
    monkeypatch.setattr("playtest.insights.statistics.effects.EXACT_LIMIT", 0)
    drawn = permutation_test(TREATED, CONTROL, seed=1)
    assert isinstance(exact, PValue)
    assert isinstance(drawn, PValue)
    assert not drawn.is_exact
    assert drawn.p == pytest.approx(exact.p, abs=0.015)


def test_holm_of_the_published_example() -> None:
    """The example of the article "Holm-Bonferroni method" in Wikipedia: 0.01, 0.04, 0.03, 0.005."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, None, 0.5]) == [0.02, None, 0.5]
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@pytest.mark.parametrize(("score", "percent"), [(3.0, 70.0), (0.0, 0.0), (9.0, 100.0)])
def test_percentile_is_that_of_scipy(score: float, percent: float) -> None:
    people = [1.0, 2, 3, 3, 4]
    ours = percentile_among(Sample.single([score] * 3), Sample.single(people), seed=1)
    assert known(ours).value == pytest.approx(stats.percentileofscore(people, score, kind="mean"))
    if score == 3:
        assert known(ours).value == pytest.approx(60)
        assert interval(ours).lo < 60 < interval(ours).hi
    else:
        assert known(ours).value == percent


def test_spearman_of_the_published_example() -> None:
    ours = spearman(IQ, HOURS)
    assert known(ours).value == pytest.approx(-29 / 165)
    # Bonett and Wright: tanh(atanh(r) +- 1.96 * sqrt((1 + r^2 / 2) / (n - 3))).
    assert (interval(ours).lo, interval(ours).hi) == (pytest.approx(-0.7278, abs=1e-4), pytest.approx(0.5145, abs=1e-4))


def test_kendall_is_that_of_scipy_with_ties() -> None:
    """The example of `scipy.stats.kendalltau`."""
    ours = kendall([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
    assert known(ours).value == pytest.approx(-0.47140452079103173)


def test_correlation_leaves_missing_pairs_out() -> None:
    with_gaps = spearman([1.0, None, 2, 3, 4, 5], [2.0, 9, 1, 4, 3, None])
    assert with_gaps == spearman([1.0, 2, 3, 4], [2.0, 1, 4, 3])


def test_order_effect_is_the_slope_of_a_regression_with_person_and_level() -> None:
    """The coefficient of position in least squares with a dummy for each person and each level."""
    rng = np.random.default_rng(4)
    rows = []
    for person in range(30):
        for position, level in enumerate(rng.permutation(4).tolist(), start=1):
            if rng.random() < 0.85:
                rows.append((person, f"level {level}", position, 900 * level + 40 * position + rng.normal(0, 200)))
    design = np.zeros((len(rows), 1 + 30 + 4))
    for line, (person, level, position, _) in enumerate(rows):
        design[line, 0] = position
        design[line, 1 + person] = design[line, 31 + int(level[-1])] = 1
    expected = np.linalg.lstsq(design, np.array([row[3] for row in rows]), rcond=None)[0][0]
    ours = order_effect(rows, seed=2)
    assert known(ours).value == pytest.approx(expected, rel=1e-6)
    assert interval(ours).lo < expected < interval(ours).hi


def test_order_is_not_taken_for_the_level() -> None:
    rows = [(person, f"level {place}", place, 100.0 * place + person) for person in range(5) for place in (1, 2, 3)]
    assert "cannot be told apart" in str(order_effect(rows, seed=1))
    assert "one round only" in str(order_effect([(1, "a", 1, 5.0), (2, "a", 1, 6.0)], seed=1))
    assert isinstance(order_effect([], seed=1), NotKnown)


def test_chance_of_all_legal_moves_sums_to_one() -> None:
    shares = np.array([20 / 32, 10 / 32, 2 / 32, 0.0, 0.0])
    assert np.exp(log_likelihood(shares, np.full(5, 5.0))).sum() == pytest.approx(1)
    assert log_likelihood(np.array([0.0]), np.array([7.0]))[0] == pytest.approx(np.log(0.5 / 35.5))


def test_agreement_is_counted_by_person_and_against_chance() -> None:
    moves = [MovesSeen.of([(4, True, 1.0), (2, False, 0.0)]), MovesSeen.of([(10, True, 0.5)]), MovesSeen.of([])]
    found = agreement_over_chance(moves, seed=1)
    assert (found.people, found.moves) == (2, 3)
    assert known(found.share).value == pytest.approx((0.5 + 1) / 2)
    assert known(found.chance).value == pytest.approx((0.375 + 0.1) / 2)
    assert known(found.over_chance).value == pytest.approx((0.125 + 0.9) / 2)
    first = (np.log(32.5 / 34 * 4) + np.log(0.5 / 33 * 2)) / 2
    second = np.log(16.5 / 37 * 10)
    assert known(found.times_chance).value == pytest.approx(np.exp((first + second) / 2))


def test_nearest_persona_fits_only_beyond_chance() -> None:
    rng = np.random.default_rng(1)
    near, far = rng.normal(0.8, 0.5, 40), rng.normal(0.1, 0.5, 40)
    found = nearest_persona({"maxs": near, "mins": far})
    assert not isinstance(found, NotKnown)
    assert (found.persona, found.fits) == ("maxs", True)
    doubtful = nearest_persona({"maxs": rng.normal(0.02, 0.5, 40), "mins": rng.normal(-0.3, 0.5, 40)})
    assert not isinstance(doubtful, NotKnown)
    assert not doubtful.fits
    assert isinstance(nearest_persona({}), NotKnown)
    assert isinstance(nearest_persona({"maxs": near[:5]}), NotKnown)


@pytest.mark.parametrize("values", [[], [5.0], [5.0, 5.0], [None, None], [None, 5.0, float("nan"), float("inf")]])
def test_too_little_is_said_in_words(values: list[float | None]) -> None:
    few, some = Sample.single(values), Sample.single([3.0, 4, 8])
    for found in (
        mean_of(few, seed=1),
        median_of(few, seed=1),
        mean_difference(few, few, seed=1),
        mean_difference(some, few, seed=1),
        cliffs_delta(few, few, seed=1),
        percentile_among(few, few, seed=1),
        permutation_test(few.flat.tolist(), few.flat.tolist(), seed=1),
        spearman(values, values),
        kendall(values, values),
    ):
        if isinstance(found, NotKnown):
            assert str(found).startswith("not known, because ")
        elif isinstance(found, Estimate) and isinstance(found.interval, NotKnown):
            assert found.interval.why
        json.dumps(asdict(found), allow_nan=False)


def test_missing_values_are_counted() -> None:
    assert Sample.single([1.0, None, float("nan")]).missing == 2
    assert Sample.single([1.0, None]).n == 1


def test_groups_that_do_not_overlap_have_no_interval_for_delta() -> None:
    found = known(cliffs_delta(Sample.single([9.0, 8, 7]), Sample.single([1.0, 2, 3]), seed=1))
    assert found.value == 1
    assert isinstance(found.interval, NotKnown)
    assert "do not overlap" in found.interval.why


def test_statistics_load_without_scipy_and_kernels() -> None:
    """Pages that show no statistics do not wait for them."""
    code = "import sys, playtest.insights.statistics; print(*sys.modules)"
    root = Path(__file__).resolve().parents[3]
    loaded = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert not {"scipy", "numba"} & set(loaded.stdout.split())
