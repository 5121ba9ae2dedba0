"""Comma-separated values: for programs, and for Excel."""

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from playtest.studies.export.columns import Cells, Column, Type
from playtest.studies.export.writers.base import ENCODING, HALF_CHARACTERS, TableWriter, json_cell, time_text

FORMULA = re.compile(r"[\s\x00-\x1f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""Text that a spreadsheet may take for a formula: a sign that begins one, perhaps after blanks, also in full width."""
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?", re.ASCII)


class CsvWriter(TableWriter):
    """RFC 4180 in UTF-8 without a mark: a header, commas, quotes where needed, lines that end in CR LF.

    Text stands as it is, but for NUL, which many readers stop at: it is written as the two characters `\\0`.
    """

    mark: ClassVar[str] = ""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns)
        self.file = path.open("w", encoding=ENCODING, errors=HALF_CHARACTERS, newline="")
        self.file.write(self.mark)
        self.csv = csv.writer(self.file, lineterminator="\r\n")
        self.csv.writerow([self.text(column.name) for column in self.columns])
        spellings: list[tuple[int, Callable[[Any], str | None]]] = []
        for place, column in enumerate(self.columns):
            if (spelling := self.spelling(column)) is not None:
                spellings.append((place, spelling))
        self.spellings = spellings

    def spelling(self, column: Column) -> Callable[[Any], str] | None:
        """How values of a column that are there are written; None: as `csv` writes them."""
        spellings: dict[Type, Callable[[Any], str]] = {
            Type.TEXT: self.text,
            Type.JSON: lambda value: self.text(json_cell(value)),
            Type.TIME: time_text,
            Type.FLAG: flag_text,
        }
        return spellings.get(column.type)

    def text(self, value: str) -> str:
        return value.replace("\0", "\\0") if "\0" in value else value

    def write(self, rows: Sequence[Cells]) -> None:
        self.csv.writerows(self.spelled(row) for row in rows)

    def spelled(self, row: Cells) -> list[Any]:
        cells = list(row)
        for place, spelling in self.spellings:
            if cells[place] is not None:
                cells[place] = spelling(cells[place])
        return cells

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        self.file.close()


class ExcelWriter(CsvWriter):
    """The same with a byte order mark, by which Excel knows UTF-8, and without formulas: an apostrophe before them.

    Numbers stay numbers, also where they came as text.
    """

    mark = "\ufeff"

    def text(self, value: str) -> str:
        return formula_free(super().text(value))


def formula_free(text: str) -> str:
    """Text with an apostrophe before it where a spreadsheet may take it for a formula."""
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def flag_text(value: bool) -> str:
    return "true" if value else "false"
