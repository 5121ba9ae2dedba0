"""What all writers have, and the one spelling of values that they share."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from playtest.studies.export.columns import Cells, Column

ENCODING = "utf-8"
HALF_CHARACTERS = "backslashreplace"
r"""Half of a surrogate pair is no character and has no UTF-8. It is written as the six characters `\ud800`."""


class TableWriter(ABC):
    """Writes rows to a file of its own. After `close` the file is whole; `flush` brings out what can be read."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self.path = path
        self.columns = tuple(columns)

    @abstractmethod
    def write(self, rows: Sequence[Cells]) -> None: ...

    @abstractmethod
    def flush(self) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


def time_text(moment: datetime) -> str:
    """ISO 8601 in UTC, to the microsecond."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def json_cell(text: str) -> str:
    """The text of a JSON value as the standard knows it, with null for `NaN` and `Infinity`; else as it stands.

    Earlier versions stored these words where a browser had sent a number like 1e999.
    """
    if "NaN" not in text and "Infinity" not in text:
        return text
    found: list[str] = []
    # Gives None, which is null, and notes that there was one outside of strings.
    value = json.loads(text, parse_constant=found.append)
    return json.dumps(value, separators=(",", ":"), allow_nan=False) if found else text
