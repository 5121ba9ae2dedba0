"""Frozen documents and levels, parsed once: they never change, so a process may keep them by their hash."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from engine.level import Level, parse_level
from playtest.studies.document import FixedRound, StudyDocument, parse_study
from playtest.studies.document.pages import DRAWN_NAME, plan_name
from playtest.studies.models import Round, StudyVersion

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """The values that were used last, by hash."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.values: OrderedDict[str, Value] = OrderedDict()
        self.lock = Lock()

    def get(self, key: str, make: Callable[[], Value]) -> Value:
        with self.lock:
            if key in self.values:
                self.values.move_to_end(key)
                return self.values[key]
        value = make()
        self.keep(key, value)
        return value

    def peek(self, key: str) -> Value | None:
        with self.lock:
            return self.values.get(key)

    def keep(self, key: str, value: Value) -> None:
        with self.lock:
            self.values[key] = value
            while len(self.values) > self.size:
                self.values.popitem(last=False)


_documents: Kept[StudyDocument] = Kept(64)
_levels: Kept[Level] = Kept(512)


def version_document(version: StudyVersion) -> StudyDocument:
    """The document of a version. Its text is read from the database only where this process does not know it yet."""
    return _documents.get(version.hash, lambda: parse_study(version.document))


def round_level(row: Round) -> Level:
    """The level that is played in a round."""

    def read() -> Level:
        return parse_level(row.level if row.level_version is None else row.level_version.document)

    return _levels.get(row.level_hash, read)


def round_name(document: StudyDocument, *, position: int, key: str, level_hash: str) -> str:
    """What is played in a participant's round, as staff call it. Rounds of practice have the key of their page."""
    plans = document.round_page(position=position, key=key).rounds
    if position:
        return next((plan_name(plan) for plan in plans if plan.key == key), key)
    fixed = (plan for plan in plans if isinstance(plan, FixedRound) and plan.level.content_hash() == level_hash)
    return next((plan_name(plan) for plan in fixed), DRAWN_NAME)
