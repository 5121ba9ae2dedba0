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


def usual_warning(seconds: int) -> int:
    """A minute before the end, in short rounds in the middle of them."""
    return min(USUAL_WARNING, seconds // 2)


def parse_round_limit(reader: Reader) -> RoundLimit | None:
    """The limit of a page of rounds; none where the key is absent or null."""
    if not reader.has("limit") or reader.raw("limit") is None:
        return None
    inner = Reader(reader.raw("limit"), reader.at("limit"))
    seconds = inner.integer("seconds", low=LEAST_LIMIT, high=MOST_LIMIT)
    warn = inner.integer("warn", low=LEAST_WARNING, high=MOST_LIMIT, default=usual_warning(seconds))
    if warn >= seconds:
        refuse(inner.at("warn"), f"the warning comes {warn} s before the end, but a round takes only {seconds} s.")
    more_seconds, more_times = USUAL_MORE, USUAL_TIMES
    if inner.has("more"):
        more = Reader(inner.raw("more"), inner.at("more"))
        more_seconds = more.integer("seconds", low=LEAST_MORE, high=MOST_MORE, default=USUAL_MORE)
        more_times = more.integer("times", low=0, high=MOST_TIMES, default=USUAL_TIMES)
        more.done()
    inner.done()
    return RoundLimit(seconds, warn, more_seconds, more_times)


def usual_total_warning(minutes: int) -> int:
    """Some minutes before the end, in short studies in the middle of them."""
    return min(USUAL_TOTAL_WARNING, minutes // 2)


def parse_total_limit(reader: Reader) -> TotalLimit | None:
    """The limit of the whole study; none where the key is absent or null."""
    if not reader.has("total") or reader.raw("total") is None:
        return None
    inner = Reader(reader.raw("total"), reader.at("total"))
    minutes = inner.integer("minutes", low=LEAST_TOTAL, high=MOST_TOTAL)
    warn = inner.integer("warn", low=LEAST_TOTAL_WARNING, high=MOST_TOTAL, default=usual_total_warning(minutes))
    if warn >= minutes:
        refuse(
            inner.at("warn"), f"the warning comes {warn} min before the end, but the study takes only {minutes} min."
        )
    more_minutes, more_times = USUAL_TOTAL_MORE, USUAL_TIMES
    if inner.has("more"):
        more = Reader(inner.raw("more"), inner.at("more"))
        more_minutes = more.integer("minutes", low=LEAST_TOTAL_MORE, high=MOST_TOTAL_MORE, default=USUAL_TOTAL_MORE)
        more_times = more.integer("times", low=0, high=MOST_TIMES, default=USUAL_TIMES)
        more.done()
    inner.done()
    return TotalLimit(minutes, warn, more_minutes, more_times)


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
