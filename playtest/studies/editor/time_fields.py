"""Fields of limits on time, for the forms of a page of rounds and of the study. Left empty there is no limit."""

from typing import Any

from django import forms

from playtest.fields import WholeField
from playtest.studies.document.limits import (
    LEAST_LIMIT,
    LEAST_MORE,
    LEAST_SILENCE,
    LEAST_TOTAL,
    LEAST_TOTAL_MORE,
    LEAST_TOTAL_WARNING,
    LEAST_WARNING,
    MOST_LIMIT,
    MOST_MORE,
    MOST_SILENCE,
    MOST_TIMES,
    MOST_TOTAL,
    MOST_TOTAL_MORE,
    USUAL_MORE,
    USUAL_TIMES,
    USUAL_TOTAL_MORE,
    USUAL_TOTAL_WARNING,
    USUAL_WARNING,
)
from playtest.studies.editor.kinds import Draft

TIME_TITLE = "Time"
ROUND_FIELDS = ("limit-seconds", "limit-warn", "more-seconds", "more-times")
SILENCE = "limits-silence"
STUDY_FIELDS = (SILENCE, "total-minutes", "total-warn", "total-more-minutes", "total-more-times")


def number(label: str, low: int, high: int, help_text: str) -> WholeField:
    return WholeField(label=label, min_value=low, max_value=high, required=False, help_text=help_text)


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
    more = given({"seconds": more_seconds, "times": more_times})
    return {**changed, "limit": given({"seconds": seconds, "warn": warn, "more": more})}


def study_time_fields() -> dict[str, forms.Field]:
    return {
        SILENCE: number(
            "Minutes of silence after which a participant counts as gone",
            LEAST_SILENCE,
            MOST_SILENCE,
            "Their place goes to the next one; who comes back goes on where they were. "
            "Empty: places are held for ever.",
        ),
        "total-minutes": number(
            "Minutes for the whole study",
            LEAST_TOTAL,
            MOST_TOTAL,
            "From the consent on, pauses too. Whose time is up is timed out, and their place goes to the next one. "
            "Empty: taking part may take as long as it takes.",
        ),
        "total-warn": number(
            "Minutes before the end of the study when people are warned",
            LEAST_TOTAL_WARNING,
            MOST_TOTAL,
            f"{USUAL_TOTAL_WARNING} if it is empty, in short studies half of their time.",
        ),
        "total-more-minutes": number(
            "Minutes that people get who ask for more time for the study",
            LEAST_TOTAL_MORE,
            MOST_TOTAL_MORE,
            f"{USUAL_TOTAL_MORE} if it is empty. On a participant's page you can give more yourself.",
        ),
        "total-more-times": number(
            "How often they may ask for more time for the study",
            0,
            MOST_TIMES,
            f"{USUAL_TIMES} if it is empty, as for a round.",
        ),
    }


def study_time_read(value: Draft) -> dict[str, Any]:
    """What the fields show of a study."""
    limits = value.get("limits") or {}
    total = limits.get("total") or {}
    more = total.get("more") or {}
    shown = (limits.get("silence"), total.get("minutes"), total.get("warn"), more.get("minutes"), more.get("times"))
    return dict(zip(STUDY_FIELDS, shown, strict=True))


def study_time_write(study: Draft, cleaned: dict[str, Any]) -> Draft:
    """The study with what was typed; the fields are taken out of `cleaned`."""
    silence, minutes, warn, more_minutes, more_times = (cleaned.pop(name, None) for name in STUDY_FIELDS)
    more = given({"minutes": more_minutes, "times": more_times})
    total = given({"minutes": minutes, "warn": warn, "more": more or None}) if minutes is not None else None
    limits = given({"silence": silence, "total": total})
    changed = {key: entry for key, entry in study.items() if key != "limits"}
    return {**changed, "limits": limits} if limits else changed


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Without what was left empty."""
    return {key: one for key, one in values.items() if one is not None}
