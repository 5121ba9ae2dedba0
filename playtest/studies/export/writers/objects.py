"""JSON: a list of objects, one a line."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playtest.studies.export.columns import Cells, Column, Type
from playtest.studies.export.writers.base import ENCODING, HALF_CHARACTERS, TableWriter, json_cell, time_text


class JsonWriter(TableWriter):
    """Text stands as it is. Columns of JSON are values, not text; what is empty is null.

    Half characters come out as JSON's own escapes, so that they are read back as they were.
    """

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns)
        self.file = path.open("w", encoding=ENCODING, errors=HALF_CHARACTERS, newline="\n")
        self.file.write("[")
        self.separator = "\n"
        self.parts = [(f"{json_text(column.name)}: ", spelling_of(column)) for column in self.columns]

    def write(self, rows: Sequence[Cells]) -> None:
        for row in rows:
            pairs = zip(self.parts, row, strict=True)
            inner = ", ".join(name + ("null" if value is None else spell(value)) for (name, spell), value in pairs)
            self.file.write(f"{self.separator}{{{inner}}}")
            self.separator = ",\n"

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        if not self.file.closed:
            self.file.write("\n]\n")
        self.file.close()


def spelling_of(column: Column) -> Callable[[Any], str]:
    if column.type is Type.JSON:
        return json_cell
    if column.type is Type.TIME:
        return quoted_time
    return json_text


def quoted_time(value: Any) -> str:
    return f'"{time_text(value)}"'


def json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
