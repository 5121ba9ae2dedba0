"""One writer a format. Each takes rows as they come and holds no more than a batch of them."""

from collections.abc import Sequence
from pathlib import Path

from playtest.studies.export.columns import Column
from playtest.studies.export.writers.base import TableWriter
from playtest.studies.export.writers.comma import CsvWriter, ExcelWriter
from playtest.studies.export.writers.objects import JsonWriter

__all__ = ["TableWriter", "open_writer"]


def open_writer(format_name: str, path: Path, columns: Sequence[Column]) -> TableWriter:
    """The writer of a format; raises KeyError for another. Parquet's library is loaded only where it is wanted."""
    if format_name == "parquet":
        from playtest.studies.export.writers.columnar import ParquetWriter

        return ParquetWriter(path, columns)
    return {"csv": CsvWriter, "excel": ExcelWriter, "json": JsonWriter}[format_name](path, columns)
