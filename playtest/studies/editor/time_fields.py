"""Fields of limits on time, for the forms of a page of rounds and of the study. Left empty there is no limit."""

from typing import Any

from django import forms

from playtest.studies.document.limits import (
    LEAST_LIMIT,
    LEAST_MORE,
    LEAST_SILENCE,
    LEAST_WARNING,
    MOST_LIMIT,
    MOST_MORE,
    MOST_SILENCE,
    MOST_TIMES,
    USUAL_MORE,
    USUAL_TIMES,
    USUAL_WARNING,
)
from playtest.studies.editor.kinds import Draft

TIME_TITLE = "Time"
ROUND_FIELDS = ("limit-seconds", "limit-warn", "more-seconds", "more-times")
SILENCE = "limits-silence"


def number(label: str, low: int, high: int, help_text: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=low, max_value=high, required=False, help_text=help_text)


def round_time_fields() -> dict[str, forms.Field]:
    return {
        "limit-seconds": number(
            "Seconds for each round", LEAST_LIMIT, MOST_LIMIT, "Empty: a round may take as long as it takes."
        ),
        "limit-warn": number(
            "Seconds before the end when people are warned",
            LEAST_WARNING,
            MOST_LIMIT,
            f"{USUAL_WARNING} if it is empty, in short rounds half of their time.",
        ),
        "more-seconds": number(
            "Seconds that people get who ask for more time", LEAST_MORE, MOST_MORE, f"{USUAL_MORE} if it is empty."
        ),
        "more-times": number(
            "How often they may ask",
            0,
            MOST_TIMES,
            f"{USUAL_TIMES} if it is empty, as often as accessibility asks for (WCAG 2.2.1). Less, or 0, is for "
            "studies in which the time itself is what is measured; say so in your protocol.",
        ),
    }


def round_time_read(value: Draft) -> dict[str, Any]:
    """What the fields show of a page."""
    limit = value.get("limit") or {}
    more = limit.get("more") or {}
    shown = (limit.get("seconds"), limit.get("warn"), more.get("seconds"), more.get("times"))
    return dict(zip(ROUND_FIELDS, shown, strict=True))


def round_time_write(page: Draft, cleaned: dict[str, Any]) -> Draft:
    """The page with what was typed; the fields are taken out of `cleaned`."""
    seconds, warn, more_seconds, more_times = (cleaned.pop(name, None) for name in ROUND_FIELDS)
    changed = {key: entry for key, entry in page.items() if key != "limit"}
    if seconds is None:
        return changed
    more = {"seconds": more_seconds, "times": more_times}
    limit = {"seconds": seconds, "warn": warn, "more": {key: one for key, one in more.items() if one is not None}}
    return {**changed, "limit": {key: one for key, one in limit.items() if one is not None}}


def silence_field() -> forms.Field:
    return number(
        "Minutes of silence after which a participant counts as gone",
        LEAST_SILENCE,
        MOST_SILENCE,
        "Their place goes to the next one; who comes back goes on where they were. Empty: places are held for ever.",
    )


def silence_read(value: Draft) -> int | None:
    limits = value.get("limits") or {}
    silence: int | None = limits.get("silence")
    return silence


def silence_write(study: Draft, silence: int | None) -> Draft:
    changed = {key: entry for key, entry in study.items() if key != "limits"}
    return changed if silence is None else {**changed, "limits": {"silence": silence}}
