"""What a statistic gives: a number with its interval, or in words why there is none."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NotKnown:
    """There is no number. `why` goes on after "not known, because": no capital, no full stop."""

    why: str

    def __str__(self) -> str:
        return f"not known, because {self.why}"


@dataclass(frozen=True)
class Interval:
    """From `lo` to `hi`, at 95 % unless who gives it says otherwise."""

    lo: float
    hi: float


@dataclass(frozen=True)
class Estimate:
    """A finite number. `n` counts what was resampled or drawn independently: participants, games or levels."""

    value: float
    n: int
    interval: Interval | NotKnown


@dataclass(frozen=True)
class Test:
    """A p value. `is_exact`: every arrangement was counted, `arrangements` of them; else so many were drawn."""

    # pytest would take it for a test class.
    __test__ = False

    p: float
    is_exact: bool
    arrangements: int


Measured = Estimate | NotKnown


@dataclass(frozen=True)
class Sample:
    """Values of some owners: `groups[i]` are the values of owner i, in order. An owner without values is not in it.

    Who owns values is drawn as a whole: the rounds of a person hang together. Games of an agent are owners of one.
    """

    groups: tuple[tuple[float, ...], ...]
    missing: int = 0
    """How many values are not there or no finite numbers. They are counted, never guessed."""
    flat: Floats = field(init=False, repr=False, compare=False)
    owner: NDArray[np.int64] = field(init=False, repr=False, compare=False)
    means: Floats = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sizes = [len(group) for group in self.groups]
        object.__setattr__(self, "flat", np.array([value for group in self.groups for value in group], np.float64))
        object.__setattr__(self, "owner", np.repeat(np.arange(len(sizes)), sizes).astype(np.int64))
        object.__setattr__(
            self, "means", np.array([math.fsum(group) / len(group) for group in self.groups], np.float64)
        )

    @classmethod
    def of(cls, pairs: Iterable[tuple[object, float | None]]) -> "Sample":
        """Values given as (owner, value), owners in the order in which they come first."""
        groups: dict[object, list[float]] = {}
        missing = 0
        for owner, value in pairs:
            if value is None or not math.isfinite(value):
                missing += 1
            else:
                groups.setdefault(owner, []).append(float(value))
        return cls(tuple(tuple(group) for group in groups.values()), missing)

    @classmethod
    def single(cls, values: Sequence[float | None]) -> "Sample":
        """Values that each stand alone."""
        return cls.of(enumerate(values))

    @property
    def n(self) -> int:
        """The number of owners."""
        return len(self.groups)

    @property
    def firsts(self) -> Floats:
        """The first value of each owner."""
        return np.array([group[0] for group in self.groups], np.float64)

    def scaled(self, factor: float) -> "Sample":
        """The same owners with `factor` times their values."""
        return Sample(tuple(tuple(value * factor for value in group) for group in self.groups), self.missing)

    @property
    def is_flat(self) -> bool:
        """Whether all values are the same number."""
        return len(set(self.flat.tolist())) == 1


NOBODY = NotKnown("there are no values")


def no_spread(sample: Sample) -> NotKnown | None:
    """Why this sample tells nothing of how values spread; None if it does."""
    if sample.n == 0:
        return NOBODY
    if sample.n == 1:
        return NotKnown("one alone says nothing of how others differ")
    if sample.is_flat:
        return NotKnown(f"all {len(sample.flat)} values are equal")
    return None
