"""Which level a run plays, and which ones a new run may play."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.level import LevelError, parse_level
from playtest.evolution.models import EvolutionRun
from playtest.levels.models import Level, LevelVersion
from playtest.levels.selectors import game_title

UNNAMED = "one level"


@dataclass(frozen=True)
class RunLevel:
    """The level that all games of a run are played on. It is in the run, whatever becomes of it in the library."""

    name: str
    version: LevelVersion | None
    """The version in the library that plays exactly so, if there is one."""

    @property
    def words(self) -> str:
        """Its name with the version, or that the library does not have it."""
        if self.version is not None:
            return str(self.version)
        return UNNAMED if self.name == UNNAMED else f"{self.name}, which is in no library"


def run_level(run: EvolutionRun) -> RunLevel | None:
    """None: every game has a board of its own."""
    document: Mapping[str, Any] | None = run.config.get("level")
    if document is None:
        return None
    try:
        level = parse_level(document)
    except LevelError:
        # Of rules that changed since.
        return RunLevel(UNNAMED, None)
    found = LevelVersion.objects.filter(hash=level.content_hash()).select_related("level").order_by("id")
    # Copies play the same: the one with this very file before the others.
    version = min(found, key=lambda one: one.document != document, default=None)
    return RunLevel(version.level.name if version else level.name or UNNAMED, version)


def boards_words(run: EvolutionRun) -> str:
    level = run_level(run)
    return "drawn for each game" if level is None else level.words


def levels_to_choose() -> list[tuple[str, list[tuple[str, str]]]]:
    """The newest versions of the levels in the library, by the title of their game: key and what it is called."""
    levels = Level.objects.filter(archived_at__isnull=True, current__isnull=False).select_related("current")
    games: dict[str, list[tuple[str, str]]] = {}
    for level in levels.defer("current__document").order_by("current__game", "name", "pk"):
        version = level.current
        assert version is not None
        words = f"{level.name}, {version.rows} × {version.cols}, {version.colours} colours"
        if version.moves is not None:
            words += f", {version.moves} move{'' if version.moves == 1 else 's'}"
        games.setdefault(game_title(version.game), []).append((str(version.pk), words))
    return list(games.items())


def level_version(pk: str) -> LevelVersion:
    """One of `levels_to_choose`, by its key."""
    version: LevelVersion = LevelVersion.objects.select_related("level").get(pk=pk)
    return version
