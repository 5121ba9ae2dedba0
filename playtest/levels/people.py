"""Where the scores of people on a level may lie. The guess is made here; an app that knows people may do better.

`levels` knows no people; whoever does is registered in `people_source`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.utils.module_loading import import_string

from playtest.levels.models import PlaytestReport
from playtest.levels.people_source import people_source
from playtest.levels.selectors import EntryShown


@dataclass(frozen=True)
class Observed:
    """People who played this very level: quartiles and median of their own mean scores."""

    people: int
    low: float
    median: float
    high: float


@dataclass(frozen=True)
class Prediction:
    """From people and the yardstick on other levels. `lo` to `hi` is the prediction interval of the median, 95 %."""

    low: float
    median: float
    high: float
    lo: float | None
    hi: float | None
    levels: int
    people: int
    error: float | None
    """Mean absolute error of the median where each of these levels is predicted from the others; None: too few."""
    is_outside: bool
    """Whether the level is harder or easier than all of these."""


@dataclass(frozen=True)
class PeopleRange:
    """The middle half of people, as far as it can be told. `why_uncalibrated` where there is no prediction."""

    guess: tuple[float, float] | None
    """From agents alone, tested by nobody."""
    prediction: Prediction | None
    why_uncalibrated: str
    observed: Observed | None


PredictionSource = Callable[[PlaytestReport, Sequence[EntryShown]], Prediction | str]
"""Gives a prediction, or why there is none."""


class ObservedSource(Protocol):
    """Says who has played the level itself: it needs no playtest for that."""

    def __call__(self, *, game: str, level_hash: str) -> Observed | None: ...


def people_range(report: PlaytestReport, entries: Sequence[EntryShown]) -> PeopleRange:
    """The guess from the agents, and what is known of people, if anything."""
    found: Prediction | str = "no study of people has tested it"
    if names := people_source():
        source: PredictionSource = import_string(names.predicted)
        found = source(report, entries)
    return PeopleRange(
        guess=_guess(entries),
        prediction=found if isinstance(found, Prediction) else None,
        why_uncalibrated=found if isinstance(found, str) else "",
        observed=people_observed(game=report.game, level_hash=report.boards_hash) if report.level_file else None,
    )


def people_observed(*, game: str, level_hash: str) -> Observed | None:
    """The people who played the level of that hash, in any study; None if nobody has."""
    names = people_source()
    if names is None:
        return None
    source: ObservedSource = import_string(names.observed)
    return source(game=game, level_hash=level_hash)


def _guess(entries: Sequence[EntryShown]) -> tuple[float, float] | None:
    """From the lower quartile of Random to the upper quartile of MaxS."""
    by_role = {shown.role: shown.figures for shown in entries if shown.figures}
    random, maxs = by_role.get("random"), by_role.get("maxs")
    if random is None or maxs is None:
        return None
    return min(random.q25, maxs.q75), max(random.q25, maxs.q75)
