"""What a table of an export is made of. A column says once what it means; codebook and writers read it here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

Values = Mapping[str, Any]
"""A row by the names of all columns, those that an anonymised export leaves out too."""
Cells = tuple[Any, ...]
"""A row as it is written, in the order of the columns that are shown."""

MILLISECOND = timedelta(milliseconds=1)


class Type(Enum):
    """What a value is in memory, None apart: str, int, float, bool, datetime with zone, JSON text."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    FLAG = "true or false"
    TIME = "time"
    JSON = "JSON"


@dataclass(frozen=True)
class Column:
    """`values` lists the words of an enumeration or says what an empty cell means. `private`: not when anonymised."""

    name: str
    type: Type
    meaning: str
    unit: str = ""
    values: str = ""
    private: bool = False

    @property
    def relative(self) -> "Column":
        """A time as an anonymised export gives it: since the participant's start."""
        return replace(
            self,
            name=f"{self.name.removesuffix('_at')}_after_ms",
            type=Type.INTEGER,
            meaning=f"{self.meaning}, counted from the participant's start",
            unit="ms",
        )


@dataclass(frozen=True)
class Table:
    name: str
    meaning: str
    columns: tuple[Column, ...]

    def shown(self, *, anonymous: bool) -> tuple[Column, ...]:
        """The columns of an export."""
        if not anonymous:
            return self.columns
        return tuple(
            column.relative if column.type is Type.TIME else column for column in self.columns if not column.private
        )


class Picker:
    """Takes from a row what an export shows of it."""

    def __init__(self, table: Table, *, anonymous: bool) -> None:
        self.columns = table.shown(anonymous=anonymous)
        kept = [column for column in table.columns if not (anonymous and column.private)]
        self.names = [column.name for column in kept]
        self.times = [i for i, column in enumerate(kept) if anonymous and column.type is Type.TIME]

    def pick(self, values: Values, start: datetime | None) -> Cells:
        """`start` is when the row's participant started."""
        cells = [values[name] for name in self.names]
        for place in self.times:
            cells[place] = since(start, cells[place])
        return tuple(cells)


def since(start: datetime | None, moment: datetime | None) -> int | None:
    """Whole milliseconds from `start` to `moment`; None where one is not known."""
    return None if start is None or moment is None else (moment - start) // MILLISECOND


def words(labels: Iterable[object]) -> str:
    """The words of an enumeration, as the codebook lists them."""
    return ", ".join(str(label) for label in labels)
