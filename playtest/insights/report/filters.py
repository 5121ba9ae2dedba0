"""Which rounds the page counts. The address holds it, every caption says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from playtest.insights.who import AS_ONE, Who


class Outcome(StrEnum):
    ANY = "any"
    COMPLETED = "completed"

    @property
    def label(self) -> str:
        return {Outcome.ANY: "Every finished round", Outcome.COMPLETED: "Only of who completed the study"}[self]


class Flagged(StrEnum):
    ANY = "any"
    NONE = "none"

    @property
    def label(self) -> str:
        return {Flagged.ANY: "With and without flags", Flagged.NONE: "Only without quality flags"}[self]


@dataclass(frozen=True)
class Filters:
    """`version` None: all versions."""

    who: Who = Who.PEOPLE
    version: int | None = None
    outcome: Outcome = Outcome.ANY
    flagged: Flagged = Flagged.ANY

    @classmethod
    def read(cls, query: Mapping[str, str], versions: list[int]) -> "Filters":
        """From an address. What it does not know is as if it were not there."""

        def one_of(name: str, kind: type[StrEnum], default: StrEnum) -> StrEnum:
            value = query.get(name, default)
            return kind(value) if value in set(kind) else default

        who = Who(one_of("who", Who, Who.PEOPLE))
        version = query.get("version", "")
        number = int(version) if version.isascii() and version.isdigit() and len(version) < 9 else None
        return cls(
            who=who if who in AS_ONE else Who.PEOPLE,
            version=number if number in versions else None,
            outcome=Outcome(one_of("outcome", Outcome, Outcome.ANY)),
            flagged=Flagged(one_of("flags", Flagged, Flagged.ANY)),
        )

    @property
    def query(self) -> str:
        """The part of an address that means these filters."""
        version = "all" if self.version is None else str(self.version)
        return f"who={self.who}&version={version}&outcome={self.outcome}&flags={self.flagged}"

    @property
    def sentence(self) -> str:
        parts = [self.who.choice.replace(",", "")]
        parts.append("all versions" if self.version is None else f"version {self.version}")
        parts.append("finished rounds" if self.outcome == Outcome.ANY else "rounds of who completed the study")
        if self.flagged == Flagged.NONE:
            parts.append("without quality flags")
        return ", ".join(parts)
