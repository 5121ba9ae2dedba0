"""What differs between two levels: versions of one, or a level and what it might be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playtest.levels.models import LevelVersion
from playtest.levels.selectors import game_title

LABELS = {
    "game": "Game",
    "rows": "Rows",
    "cols": "Columns",
    "colours": "Colours",
    "moves": "Moves",
    "horizon": "Legal moves count before move",
    "seed": "Seed",
    "drops": "What falls in",
}


@dataclass(frozen=True)
class Difference:
    """A setting in which two levels differ, in words."""

    what: str
    before: str
    after: str


@dataclass(frozen=True)
class Side:
    """One of two levels: what it is called, and its board, each cell with whether it is marked."""

    name: str
    cols: int
    rows: Sequence[Sequence[tuple[str, bool]]]


@dataclass(frozen=True)
class Comparison:
    """Two levels side by side. `changed` has a list for each row: whether the cell differs; None: other sizes."""

    before: Side
    after: Side
    settings: Sequence[Difference]
    changed: Sequence[Sequence[bool]] | None

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.before, self.after

    @property
    def changed_count(self) -> int:
        return sum(sum(row) for row in self.changed or ())

    @property
    def sentence(self) -> str:
        """All differences in one line, as a note says them."""
        said = [f"{one.what} {one.before} to {one.after}" for one in self.settings]
        if self.changed_count:
            said.append(f"{self.changed_count} cell{'s' if self.changed_count > 1 else ''} changed")
        return "; ".join(said)


def versions_compared(before: LevelVersion, after: LevelVersion) -> Comparison:
    """What differs between two versions of a level."""
    names = (f"Version {before.number}", f"Version {after.number}")
    return levels_compared(before.document, after.document, names=names)


def levels_compared(before: Mapping[str, Any], after: Mapping[str, Any], *, names: tuple[str, str]) -> Comparison:
    """What differs between two level files; their own names do not count, `names` is what to call them."""
    settings = [
        Difference(label, _said(key, before.get(key)), _said(key, after.get(key)))
        for key, label in LABELS.items()
        if before.get(key) != after.get(key)
    ]
    changed = None
    if (before["rows"], before["cols"]) == (after["rows"], after["cols"]):
        pairs = zip(before["board"], after["board"], strict=True)
        changed = [[one != other for one, other in zip(*lines, strict=True)] for lines in pairs]
    sides = [
        Side(name, file["cols"], _marked(file["board"], changed))
        for name, file in zip(names, (before, after), strict=True)
    ]
    return Comparison(sides[0], sides[1], settings, changed)


def _said(key: str, value: Any) -> str:
    if key == "game":
        return game_title(value)
    if key == "drops":
        return "drawn from the seed" if value is None else "written: " + ", ".join(text or "–" for text in value)
    return "none" if value is None else f"{value:,}" if key != "seed" else str(value)


def _marked(board: Sequence[str], changed: Sequence[Sequence[bool]] | None) -> list[list[tuple[str, bool]]]:
    return [
        [(letter, changed is not None and changed[y][x]) for x, letter in enumerate(row)] for y, row in enumerate(board)
    ]
