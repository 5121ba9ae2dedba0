"""Parquet, by pyarrow: types kept, read by pandas, polars, R and DuckDB at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from playtest.studies.export.columns import Cells, Column, Type
from playtest.studies.export.writers.base import ENCODING, HALF_CHARACTERS, TableWriter, json_cell

GROUP_ROWS = 2_048
TYPES = {
    Type.TEXT: pa.string(),
    Type.JSON: pa.string(),
    Type.INTEGER: pa.int64(),
    Type.NUMBER: pa.float64(),
    Type.FLAG: pa.bool_(),
    Type.TIME: pa.timestamp("us", tz="UTC"),
}


class ParquetWriter(TableWriter):
    """Row groups of a few thousand rows. Text stands as it is, columns of JSON are its text."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns)
        # This pool gives memory back to the system; the faster ones keep it. The writer too takes what is set here.
        pa.set_memory_pool(pa.system_memory_pool())
        self.schema = pa.schema([pa.field(column.name, TYPES[column.type]) for column in self.columns])
        self.file = path.open("wb")
        self.parquet = pq.ParquetWriter(self.file, self.schema, compression="zstd", write_statistics=False)
        self.waiting: list[Cells] = []

    def write(self, rows: Sequence[Cells]) -> None:
        self.waiting += rows
        while len(self.waiting) >= GROUP_ROWS:
            self.write_group(self.waiting[:GROUP_ROWS])
            del self.waiting[:GROUP_ROWS]

    def write_group(self, rows: Sequence[Cells]) -> None:
        arrays = [
            pa.array([cell(row[place], column) for row in rows], type=TYPES[column.type])
            for place, column in enumerate(self.columns)
        ]
        # A row group of its own, on disk at once: batches would be gathered in memory to a million rows.
        self.parquet.write_table(pa.Table.from_arrays(arrays, schema=self.schema))

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        if self.file.closed:
            return
        if self.waiting:
            self.write_group(self.waiting)
        self.parquet.close()
        self.file.close()


def cell(value: Any, column: Column) -> Any:
    """Half characters have no UTF-8: they are written as in CSV."""
    if column.type is Type.JSON and value is not None:
        value = json_cell(value)
    if isinstance(value, str) and not value.isascii():
        return value.encode(ENCODING, HALF_CHARACTERS).decode(ENCODING)
    return value
