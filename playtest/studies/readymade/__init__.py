"""Studies that come with the program, as documents, by slug."""

from collections.abc import Callable
from typing import Any

from playtest.studies.readymade.mixed import mixed_study
from playtest.studies.readymade.paper import paper_study
from playtest.studies.readymade.samegame import samegame_study

READY_MADE: dict[str, Callable[[], dict[str, Any]]] = {
    "paper": paper_study,
    "samegame": samegame_study,
    "mixed": mixed_study,
}
