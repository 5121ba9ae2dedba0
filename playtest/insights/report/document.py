"""Sections of a page as plain data: they are kept as JSON, shown by one template, and given away as CSV."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playtest.insights.statistics import Interval, Measured, NotKnown, Test

Cell = dict[str, str]


@dataclass(frozen=True)
class Number:
    """A plain number, or None for none, with so many digits after the point."""

    value: float | None
    digits: int = 0
    unit: str = ""


@dataclass(frozen=True)
class Of:
    """A measured value with so many digits. `factor` is for per cent."""

    measured: Measured
    digits: int = 0
    factor: float = 1.0
    unit: str = ""
    sign: bool = False


@dataclass(frozen=True)
class Chance:
    """A p value, corrected or not."""

    found: Test | NotKnown | float | None


Value = str | Number | Of | Chance


@dataclass
class Section:
    """A part of the page: what is said in words, a figure if there is one, the table with all its numbers.

    `columns` name the table's columns, the first that of its rows' heads. Reasons why something is not known are
    collected under the table, each once.
    """

    key: str
    title: str
    columns: Sequence[str]
    rows: list[Sequence[Value]] = field(default_factory=list)
    lead: list[str] = field(default_factory=list)
    figure: dict[str, Any] | None = None
    caption: str = ""
    note: str = ""
    """What the caption ends with, where it is not what all others end with."""
    empty: str = "There is nothing to show yet."

    def to_document(self, note: str) -> dict[str, Any]:
        """As JSON. `note` is what every caption says: filters, n, versions, seed."""
        reasons: dict[str, None] = {}
        cells = [[shown(value, reasons) for value in row] for row in self.rows]
        return {
            "key": self.key,
            "title": self.title,
            "lead": [sentence for sentence in self.lead if sentence],
            "figure": self.figure,
            "caption": self.caption,
            "note": self.note or note,
            "columns": list(self.columns),
            "rows": cells,
            "reasons": list(reasons),
            "empty": self.empty,
            "lines": csv_lines(self.columns, self.rows),
        }


def shown(value: Value, reasons: dict[str, None]) -> Cell:
    """What a cell of the page says: `text`, and `interval` beside it. Reasons are added to those collected."""
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Number):
        return {"text": "–" if value.value is None else number(value.value, value.digits) + value.unit, "num": "1"}
    if isinstance(value, Chance):
        if isinstance(value.found, NotKnown):
            reasons[f"Not known, because {value.found.why}."] = None
            return {"text": "not known", "num": "1"}
        p = value.found.p if isinstance(value.found, Test) else value.found
        return {"text": "–" if p is None else p_text(p), "num": "1"}
    measured = value.measured
    if isinstance(measured, NotKnown):
        reasons[f"Not known, because {measured.why}."] = None
        return {"text": "not known", "num": "1"}
    text = number(measured.value * value.factor, value.digits, sign=value.sign) + value.unit
    if isinstance(measured.interval, NotKnown):
        reasons[f"No interval, because {measured.interval.why}."] = None
        return {"text": text, "interval": "no interval", "num": "1"}
    lo, hi = (
        number(end * value.factor, value.digits, sign=value.sign)
        for end in (measured.interval.lo, measured.interval.hi)
    )
    return {"text": text, "interval": f"{lo} to {hi}", "num": "1"}


def csv_lines(columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> list[list[str]]:
    """The names of the columns, then the rows with every digit. A column with intervals has three, in every row."""
    wide = [any(isinstance(row[place], Of) for row in rows) for place in range(len(columns))]
    head: list[str] = []
    for name, is_wide in zip(columns, wide, strict=True):
        head += [name or "value", *([f"{name}, low", f"{name}, high"] if is_wide else [])]
    lines = [head]
    for row in rows:
        line: list[str] = []
        for value, is_wide in zip(row, wide, strict=True):
            parts = raw(value)
            line += parts + [""] * (3 - len(parts)) if is_wide else parts
        lines.append(line)
    return lines


def raw(value: Value) -> list[str]:
    """One value of a line of CSV, or a value with the ends of its interval; empty where there is none."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Number):
        return ["" if value.value is None else repr(value.value)]
    if isinstance(value, Chance):
        if value.found is None or isinstance(value.found, NotKnown):
            return [""]
        return [repr(value.found.p if isinstance(value.found, Test) else value.found)]
    measured = value.measured
    if isinstance(measured, NotKnown):
        return ["", "", ""]
    interval = measured.interval
    ends = [repr(interval.lo), repr(interval.hi)] if isinstance(interval, Interval) else ["", ""]
    return [repr(measured.value), *ends]


def number(value: float, digits: int, *, sign: bool = False) -> str:
    """With thousands apart and a real minus; -0 is 0."""
    text = f"{value:{'+' if sign else ''},.{digits}f}"
    if not text.strip("+-0.,"):
        text = text.lstrip("+-")
    return text.replace("-", "−")


def p_text(p: float) -> str:
    return "under 0.001" if p < 0.001 else f"{p:.3f}"


def measured_row(measured: Measured, factor: float = 1.0) -> dict[str, float | None]:
    """Value and ends for a figure; None where there are none."""
    if isinstance(measured, NotKnown):
        return {"value": None, "lo": None, "hi": None}
    interval = measured.interval
    ends = (interval.lo * factor, interval.hi * factor) if isinstance(interval, Interval) else (None, None)
    return {"value": measured.value * factor, "lo": ends[0], "hi": ends[1]}
