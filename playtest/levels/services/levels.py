"""Levels and their versions."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from engine.game import get_game
from engine.level import Level as LevelFile
from engine.level import shipped_levels
from engine.round import Round
from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.levels.models import Level, LevelVersion, PlaytestReport
from playtest.levels.services.agents import default_agents_ensure
from playtest.levels.services.known_plays import known_plays_ensure


class LevelChangedError(Exception):
    """Somebody saved a version meanwhile. `current` is the newest one."""

    def __init__(self, current: LevelVersion) -> None:
        super().__init__(f"Version {current.number} was saved meanwhile.")
        self.current = current


UNNAMED = "Untitled level"
LONGEST_NAME = 120


def level_create(
    *, owner: User | None, level: LevelFile, name: str = "", note: str = "", tags: Sequence[str] = ()
) -> LevelVersion:
    """Put a level into the library; gives its first version. `name` stands above the one in the file."""
    name = (name.strip() or level.name.strip() or UNNAMED)[:LONGEST_NAME]
    with transaction.atomic():
        row = Level.objects.create(owner=owner, name=name, tags=list(tags))
        version = _version_add(row, level, number=1, author=owner, note=note)
        audit_record(actor=owner, action="level.create", target=row, after={"hash": version.hash})
    return version


def level_save(
    *, level: Level, file: LevelFile, author: User, base: int, name: str, tags: Sequence[str], note: str = ""
) -> LevelVersion:
    """Store what was drawn as the newest version of its level, with its name and tags.

    A board that plays as an earlier version of the level brings that one back: what was played on it counts again.
    `base` is the number of the version that the drawing began with. Raises LevelChangedError if it is not the newest.
    """
    with transaction.atomic():
        row = Level.objects.select_for_update().get(pk=level.pk)
        current = row.current
        assert current is not None
        if current.number != base:
            raise LevelChangedError(current)
        before = {"name": row.name, "tags": row.tags, "version": current.number}
        row.name = name.strip()[:LONGEST_NAME] or UNNAMED
        row.tags = list(tags)
        row.save(update_fields=["name", "tags"])
        version = row.versions.filter(hash=file.content_hash()).first()
        if version is None:
            newest = row.versions.order_by("-number").values_list("number", flat=True)[0]
            version = _version_add(row, file, number=newest + 1, author=author, note=note)
        elif version.pk != current.pk:
            Level.objects.filter(pk=row.pk).update(current=version)
        after = {"name": row.name, "tags": row.tags, "version": version.number}
        if after != before:
            audit_record(actor=author, action="level.save", target=row, before=before, after=after)
    return version


def level_archive(*, level: Level, actor: User, archived: bool) -> None:
    """Take a level out of the library, or back into it. Nothing that was played on it is lost."""
    with transaction.atomic():
        changed = Level.objects.filter(pk=level.pk, archived_at__isnull=archived)
        if changed.update(archived_at=timezone.now() if archived else None):
            audit_record(actor=actor, action="level.archive" if archived else "level.restore", target=level)


def level_version_ensure(*, level: LevelFile, owner: User | None = None, name: str = "") -> LevelVersion:
    """The oldest version in the library that plays exactly like this level; the level is added if there is none."""
    found = LevelVersion.objects.filter(hash=level.content_hash()).order_by("id").first()
    return found or level_create(owner=owner, level=level, name=name)


def levels_ensure_shipped() -> list[LevelVersion]:
    """Bring the levels, their par and default agents that come with the program into the database. Safe to repeat.

    A shipped level that a new release changed gets a new version; what was played on the old one stays with that.
    """
    versions = [_shipped_ensure(slug, level) for slug, level in shipped_levels().items()]
    for game in sorted({version.game for version in versions}):
        default_agents_ensure(game=game)
    known_plays_ensure(versions=versions)
    return versions


def _shipped_ensure(slug: str, level: LevelFile) -> LevelVersion:
    with transaction.atomic():
        row, _ = Level.objects.select_for_update().get_or_create(
            shipped=slug, defaults={"name": level.name or slug.replace("-", " ").capitalize()}
        )
        version = row.versions.filter(hash=level.content_hash()).first()
        if version is None:
            newest = row.versions.order_by("-number").first()
            version = _version_add(row, level, number=newest.number + 1 if newest else 1, author=None, note="")
        elif row.current_id != version.pk:
            Level.objects.filter(pk=row.pk).update(current=version)
    return version


def _version_add(row: Level, level: LevelFile, *, number: int, author: User | None, note: str) -> LevelVersion:
    version = LevelVersion.objects.create(
        level=row,
        number=number,
        game=level.game,
        game_version=get_game(level.game).info.version,
        rows=level.rows,
        cols=level.cols,
        colours=level.colours,
        moves=level.moves,
        horizon=level.horizon,
        seed=level.seed,
        document=level.to_document(),
        hash=level.content_hash(),
        start_legal=Round(level).legal_count(),
        author=author,
        note=note,
    )
    # What was asked about it before it was saved is its own from now on.
    asked = PlaytestReport.objects.filter(boards_hash=version.hash, document__isnull=False)
    asked.update(level_version=version, document=None)
    Level.objects.filter(pk=row.pk).update(current=version)
    row.current = version
    return version
