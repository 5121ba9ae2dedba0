"""The files of an export while they are written: each table in each format."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from playtest.studies.export.columns import Cells, Picker, Table, Values
from playtest.studies.export.options import SUFFIXES, ExportOptions
from playtest.studies.export.writers import open_writer

BATCH = 1_000


@dataclass(frozen=True)
class WrittenFile:
    """A finished file. `rows` is None for what is no table."""

    name: str
    table: str | None
    format: str
    rows: int | None
    bytes: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value is not None}


class Sheet:
    """One table, written in every format that is wanted."""

    def __init__(self, table: Table, folder: Path, options: ExportOptions) -> None:
        self.table = table
        self.rows = 0
        self.picker = Picker(table, anonymous=options.anonymous)
        self.waiting: list[Cells] = []
        self.writers = {
            name: open_writer(name, folder / f"{table.name}{SUFFIXES[name]}", self.picker.columns)
            for name in options.formats
        }

    def add(self, values: Values, start: datetime | None = None) -> None:
        """A row; `start` is when its participant started."""
        self.waiting.append(self.picker.pick(values, start))
        self.rows += 1
        if len(self.waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        for writer in self.writers.values():
            writer.write(self.waiting)
            writer.flush()
        self.waiting = []

    def finish(self) -> list[WrittenFile]:
        """Close the files; what they have become."""
        self.flush()
        self.close()
        return [
            written_file(writer.path, table=self.table.name, format_name=name, rows=self.rows)
            for name, writer in self.writers.items()
        ]

    def close(self) -> None:
        for writer in self.writers.values():
            writer.close()


def written_file(path: Path, *, table: str | None, format_name: str, rows: int | None = None) -> WrittenFile:
    """A file on disk with its size and hash."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return WrittenFile(path.name, table, format_name, rows, path.stat().st_size, digest)


def close_all(sheets: Sequence[Sheet]) -> None:
    for sheet in sheets:
        sheet.close()
