"""What is to be exported, and how."""

from dataclasses import dataclass, field
from typing import Any

from playtest.studies.choices import Kind, Status

FORMATS = ("csv", "excel", "json", "parquet")
SUFFIXES = {"csv": ".csv", "excel": ".excel.csv", "json": ".json", "parquet": ".parquet"}
EXPORTED_KINDS = (Kind.PERSON, Kind.BOT)
"""Previews are somebody looking at the study, not data."""


@dataclass(frozen=True)
class Selection:
    """Whose data. `versions` are numbers of versions; empty stands for all, of versions and of states alike."""

    kinds: tuple[Kind, ...] = EXPORTED_KINDS
    versions: tuple[int, ...] = ()
    statuses: tuple[Status, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": [str(kind.label) for kind in self.kinds],
            "version": list(self.versions) or "all",
            "status": [str(status.label) for status in self.statuses] or "all",
        }


@dataclass(frozen=True)
class ExportOptions:
    formats: tuple[str, ...] = FORMATS
    anonymous: bool = False
    selection: Selection = field(default_factory=Selection)

    def to_json(self) -> dict[str, Any]:
        return {"formats": list(self.formats), "anonymous": self.anonymous, "filters": self.selection.to_json()}
