"""Statistics of people and personas: pure functions of numbers, without a database.

Each gives a `Measured`: an `Estimate`, or `NotKnown` with the reason in words. Nothing here gives NaN or infinity, and
nothing draws from a global generator: the same input and seed give the same output. `docs/statistics.md` has the
formula and the source of each.
"""

from playtest.insights.statistics.agreement import (
    SEARCHES,
    Agreement,
    MovesSeen,
    Nearest,
    agreement_over_chance,
    log_likelihood,
    nearest_persona,
)
from playtest.insights.statistics.association import kendall, order_effect, spearman
from playtest.insights.statistics.bootstrap import (
    RESAMPLES,
    mean_difference,
    mean_of,
    mean_of_means,
    median_of,
)
from playtest.insights.statistics.effects import cliffs_delta, holm, percentile_among, permutation_test
from playtest.insights.statistics.known import Estimate, Interval, Measured, NotKnown, Sample, Test
from playtest.insights.statistics.regression import Line, left_one_out, line_fit, mean_absolute_error

__all__ = [
    "RESAMPLES",
    "SEARCHES",
    "Agreement",
    "Estimate",
    "Interval",
    "Line",
    "Measured",
    "MovesSeen",
    "Nearest",
    "NotKnown",
    "Sample",
    "Test",
    "agreement_over_chance",
    "cliffs_delta",
    "holm",
    "kendall",
    "left_one_out",
    "line_fit",
    "log_likelihood",
    "mean_absolute_error",
    "mean_difference",
    "mean_of",
    "mean_of_means",
    "median_of",
    "nearest_persona",
    "order_effect",
    "percentile_among",
    "permutation_test",
    "spearman",
]
