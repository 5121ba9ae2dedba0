"""A straight line through pairs, and what it predicts for one more: people on a level from a persona there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playtest.insights.statistics.known import Estimate, Interval, Measured, NotKnown

LEAST_PAIRS = 3
"""Two pairs lie on a line whatever they are."""


@dataclass(frozen=True)
class Line:
    """Least squares: y = intercept + slope * x. `sd` is the standard deviation of the residuals, n - 2 degrees."""

    slope: float
    intercept: float
    sd: float
    n: int
    x_mean: float
    x_squares: float
    """Sum of squares of x about its mean."""

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x

    def prediction(self, x: float) -> Measured:
        """What one more y at x would be, with its 95 % prediction interval (Draper and Smith 1998, section 3.1)."""
        if self.sd < 1e-9 * (1 + abs(self.at(x))):
            return Estimate(self.at(x), self.n, NotKnown("all pairs lie on one line, which has no spread"))
        from scipy import stats

        error = self.sd * math.sqrt(1 + 1 / self.n + (x - self.x_mean) ** 2 / self.x_squares)
        half = float(stats.t.ppf(0.975, self.n - 2)) * error
        return Estimate(self.at(x), self.n, Interval(self.at(x) - half, self.at(x) + half))


def line_fit(xs: Sequence[float], ys: Sequence[float]) -> Line | NotKnown:
    """The line of least squares. Three pairs are the least, with two different x."""
    n = len(xs)
    if n < LEAST_PAIRS:
        return NotKnown(f"there are {n} pairs, and a line with its error takes {LEAST_PAIRS}")
    x, y = np.asarray(xs, np.float64), np.asarray(ys, np.float64)
    squares = float(np.sum((x - x.mean()) ** 2))
    if squares <= 1e-12 * (1 + float(np.sum(x**2))):
        return NotKnown("all values of the first are equal")
    slope = float(np.sum((x - x.mean()) * (y - y.mean())) / squares)
    intercept = float(y.mean() - slope * x.mean())
    residuals = y - intercept - slope * x
    sd = math.sqrt(float(np.sum(residuals**2)) / (n - 2))
    return Line(slope, intercept, sd, n, float(x.mean()), squares)


def left_one_out(xs: Sequence[float], ys: Sequence[float]) -> list[Measured]:
    """For each pair what the line through all the others predicts there, in their order (Stone 1974)."""
    predicted: list[Measured] = []
    for place, x in enumerate(xs):
        line = line_fit([*xs[:place], *xs[place + 1 :]], [*ys[:place], *ys[place + 1 :]])
        predicted.append(line if isinstance(line, NotKnown) else line.prediction(x))
    return predicted


def mean_absolute_error(predicted: Sequence[Measured], observed: Sequence[float]) -> float | None:
    """How far predictions were off on average; None where none could be made."""
    errors = [
        abs(one.value - value) for one, value in zip(predicted, observed, strict=True) if isinstance(one, Estimate)
    ]
    return sum(errors) / len(errors) if errors else None
