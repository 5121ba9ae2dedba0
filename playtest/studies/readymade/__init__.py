"""Studies that come with the program, as documents, by slug."""

from collections.abc import Callable
from typing import Any

from playtest.studies.readymade.paper import paper_study

READY_MADE: dict[str, Callable[[], dict[str, Any]]] = {"paper": paper_study}
