"""Answers that end the study, and answers that show whether somebody reads: read from the document and judged here."""

from typing import Any

from playtest.studies.document.reader import Reader, refuse

Answer = str | int | float | None


def parse_steps(reader: Reader, *, low: int, high: int) -> tuple[int, ...]:
    """The steps of a scale that screen out, in order."""
    steps = parse_values(reader)
    for step in steps:
        if not isinstance(step, int) or isinstance(step, bool) or not low <= step <= high:
            refuse(reader.at("screen_out"), f"each must be a step from {low} to {high}.")
    refuse_all(reader, steps, high - low + 1)
    return tuple(sorted(steps))


def parse_options(reader: Reader, values: list[str]) -> tuple[str, ...]:
    """The answers of a choice that screen out, in the order of the options."""
    chosen = parse_values(reader)
    for value in chosen:
        if value not in values:
            refuse(reader.at("screen_out"), f"there is no answer with the value “{str(value)[:40]}”.")
    refuse_all(reader, chosen, len(values))
    return tuple(value for value in values if value in chosen)


def parse_values(reader: Reader) -> list[Any]:
    if not reader.has("screen_out"):
        return []
    chosen = reader.raw("screen_out")
    if not isinstance(chosen, list) or not all(isinstance(one, str | int) for one in chosen):
        refuse(reader.at("screen_out"), "a list of answers is needed here.")
    if len(set(chosen)) != len(chosen):
        refuse(reader.at("screen_out"), "an answer is there twice.")
    return chosen


def refuse_all(reader: Reader, chosen: list[Any], count: int) -> None:
    if chosen and len(chosen) == count:
        refuse(reader.at("screen_out"), "with these nobody could go on: one answer must be left.")


def parse_bounds(reader: Reader, *, low: int, high: int) -> tuple[int | None, int | None]:
    """A number below the first or above the second screens out; None: there is no such bound."""
    if not reader.has("screen_out"):
        return None, None
    inner = Reader(reader.raw("screen_out"), reader.at("screen_out"))
    below = inner.optional_integer("below", low=low, high=high)
    above = inner.optional_integer("above", low=low, high=high)
    inner.done()
    if below is not None and above is not None and below > above:
        refuse(inner.at("below"), "with these nobody could go on: it must not be more than “above”.")
    return below, above


def parse_expected(reader: Reader, allowed: list[Any], screens: bool) -> Any:
    """The right answer of an attention question, or None."""
    if reader.value.get("expected") is None:
        reader.seen.add("expected")
        return None
    expected = reader.raw("expected")
    if expected not in allowed or isinstance(expected, bool):
        refuse(reader.at("expected"), "this is none of the answers.")
    refuse_both(reader, screens)
    return expected


def parse_expected_number(reader: Reader, *, low: int, high: int, screens: bool) -> int | None:
    expected = reader.optional_integer("expected", low=low, high=high)
    if expected is not None:
        refuse_both(reader, screens)
    return expected


def refuse_both(reader: Reader, screens: bool) -> None:
    if screens:
        refuse(
            reader.at("expected"),
            "a question that screens out has no expected answer: a wrong one is only a flag and ends nothing.",
        )
