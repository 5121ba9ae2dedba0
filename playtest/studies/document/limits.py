"""Limits on time: of a round and of the study as a whole, with a warning and more on request; and of silence."""

from dataclasses import dataclass
from typing import Any

from playtest.studies.document.reader import Reader, refuse

LEAST_WARNING = 20
USUAL_WARNING = 60
LEAST_LIMIT, MOST_LIMIT = 40, 4 * 3_600
USUAL_MORE, LEAST_MORE, MOST_MORE = 120, 20, 3_600
USUAL_TIMES, MOST_TIMES = 10, 100
LEAST_SILENCE, MOST_SILENCE = 5, 7 * 24 * 60
LEAST_TOTAL, MOST_TOTAL = 2, 7 * 24 * 60
USUAL_TOTAL_WARNING, LEAST_TOTAL_WARNING = 5, 1
USUAL_TOTAL_MORE, LEAST_TOTAL_MORE, MOST_TOTAL_MORE = 10, 1, 24 * 60


@dataclass(frozen=True)
class RoundLimit:
    """Seconds that a round may take, seconds before its end when the person is warned, and what they may ask for.

    `more_seconds` are added each time, `more_times` often at most; 0 times: nobody can have more. The usual values hold
    what WCAG 2.2 asks for in 2.2.1: a warning of at least 20 seconds, and more time at least ten times.
    """

    seconds: int
    warn: int
    more_seconds: int = USUAL_MORE
    more_times: int = USUAL_TIMES

    def to_document(self) -> dict[str, Any]:
        return {
            "seconds": self.seconds,
            "warn": self.warn,
            "more": {"seconds": self.more_seconds, "times": self.more_times},
        }


@dataclass(frozen=True)
class TotalLimit:
    """Minutes from the consent to the end of the study, minutes before that when the person is warned, and what more.

    `more_minutes` are added each time that the participant asks, `more_times` often at most, as in a `RoundLimit`.
    """

    minutes: int
    warn: int
    more_minutes: int = USUAL_TOTAL_MORE
    more_times: int = USUAL_TIMES

    def to_document(self) -> dict[str, Any]:
        return {
            "minutes": self.minutes,
            "warn": self.warn,
            "more": {"minutes": self.more_minutes, "times": self.more_times},
        }


@dataclass(frozen=True)
class StudyLimits:
    """`silence` is after how many minutes without a sign an active participant counts as gone; None: never.

    `total` is how long taking part may last, whoever is there; None: as long as it takes.
    """

    silence: int | None = None
    total: TotalLimit | None = None

    def to_document(self) -> dict[str, Any]:
        return {
            **({} if self.silence is None else {"silence": self.silence}),
            **({} if self.total is None else {"total": self.total.to_document()}),
        }


@dataclass(frozen=True)
class _Measure:
    """How one kind of limit is written: the key that it stands under, its unit, and what is usual and allowed in it."""

    key: str
    unit: str
    sign: str
    whose: str
    least: int
    most: int
    least_warning: int
    usual_warning: int
    more: tuple[int, int, int]
    """Least, most and usual of what is added at once."""

    def read(self, reader: Reader) -> tuple[int, int, int, int] | None:
        """(length, warning, more at once, how often); None where the key is absent or null."""
        if not reader.has(self.key) or reader.raw(self.key) is None:
            return None
        inner = Reader(reader.raw(self.key), reader.at(self.key))
        length = inner.integer(self.unit, low=self.least, high=self.most)
        # In short ones the usual warning would come at the beginning or before it.
        usual = min(self.usual_warning, length // 2)
        warn = inner.integer("warn", low=self.least_warning, high=self.most, default=usual)
        if warn >= length:
            refuse(
                inner.at("warn"),
                f"the warning comes {warn} {self.sign} before the end, "
                f"but {self.whose} takes only {length} {self.sign}.",
            )
        low, high, at_once = self.more
        times = USUAL_TIMES
        if inner.has("more"):
            more = Reader(inner.raw("more"), inner.at("more"))
            at_once = more.integer(self.unit, low=low, high=high, default=at_once)
            times = more.integer("times", low=0, high=MOST_TIMES, default=USUAL_TIMES)
            more.done()
        inner.done()
        return length, warn, at_once, times


_ROUND = _Measure(
    key="limit",
    unit="seconds",
    sign="s",
    whose="a round",
    least=LEAST_LIMIT,
    most=MOST_LIMIT,
    least_warning=LEAST_WARNING,
    usual_warning=USUAL_WARNING,
    more=(LEAST_MORE, MOST_MORE, USUAL_MORE),
)
_TOTAL = _Measure(
    key="total",
    unit="minutes",
    sign="min",
    whose="the study",
    least=LEAST_TOTAL,
    most=MOST_TOTAL,
    least_warning=LEAST_TOTAL_WARNING,
    usual_warning=USUAL_TOTAL_WARNING,
    more=(LEAST_TOTAL_MORE, MOST_TOTAL_MORE, USUAL_TOTAL_MORE),
)


def parse_round_limit(reader: Reader) -> RoundLimit | None:
    """The limit of a page of rounds; none where the key is absent or null."""
    found = _ROUND.read(reader)
    return found and RoundLimit(*found)


def parse_total_limit(reader: Reader) -> TotalLimit | None:
    """The limit of the whole study; none where the key is absent or null."""
    found = _TOTAL.read(reader)
    return found and TotalLimit(*found)


def parse_study_limits(reader: Reader) -> StudyLimits:
    if not reader.has("limits") or reader.raw("limits") is None:
        return StudyLimits()
    inner = Reader(reader.raw("limits"), reader.at("limits"))
    limits = StudyLimits(
        silence=inner.optional_integer("silence", low=LEAST_SILENCE, high=MOST_SILENCE),
        total=parse_total_limit(inner),
    )
    inner.done()
    return limits
