"""A participant as all tables of an export name them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from playtest.studies.choices import Kind
from playtest.studies.document import StudyDocument
from playtest.studies.models import Participant
from playtest.studies.selectors.annotations import Decisions


def names_of(choices: Any) -> dict[int | None, str | None]:
    """The words of an enumeration by their stored numbers; nothing stays nothing."""
    return {None: None, **{choice.value: str(choice.label) for choice in choices}}


KINDS = names_of(Kind)


@dataclass(frozen=True)
class Person:
    """A participant as all tables name them. `start` is what an anonymised export counts times from."""

    row: Participant
    name: str
    document: StudyDocument
    decisions: Decisions

    @property
    def start(self) -> datetime:
        return self.row.started_at
