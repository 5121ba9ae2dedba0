"""What-ifs: a level and what it might be, played with the same seeds, so that they can be compared game by game."""

from engine.level import Level as LevelFile
from engine.level import parse_level
from playtest.accounts.models import User
from playtest.levels.differences import levels_compared
from playtest.levels.models import LevelVersion, PlaytestReport, WhatIf
from playtest.levels.services.levels import LONGEST_NAME, level_create, level_save
from playtest.levels.services.playtests import PlaytestError, playtest_request, playtest_request_file

LONGEST_NOTE = 500


def what_if_request(
    *, level_version: LevelVersion, changed: LevelFile, like: PlaytestReport | None, requested_by: User | None
) -> WhatIf:
    """Have both levels played, with games, seed and simulations as in the playtest `like`, else the usual ones.

    Nothing is added to the library. The same question is the same row; what was played before is not played again.
    Raises PlaytestError where there is nothing to compare.
    """
    if changed.game != level_version.game:
        raise PlaytestError("Another game has other players: there would be nothing to compare.")
    if changed.content_hash() == level_version.hash:
        raise PlaytestError("Nothing is changed yet: draw a cell, or change the moves, the colours or what falls in.")
    numbers = {name: getattr(like, name) for name in ("games", "seed", "iterations")} if like else {}
    base = playtest_request(level_version=level_version, requested_by=requested_by, **numbers)
    report = playtest_request_file(level=changed, requested_by=requested_by, **numbers)
    row, _ = WhatIf.objects.get_or_create(
        level_version=level_version, base=base, report=report, defaults={"requested_by": requested_by}
    )
    return row


def what_if_keep(*, what_if: WhatIf, by: User) -> LevelVersion:
    """Save the changed level as the newest version of its level; its playtest goes with it.

    Raises LevelChangedError if the version that was asked about is no longer the newest.
    """
    version = what_if.level_version
    return level_save(
        level=version.level,
        file=parse_level(what_if.document),
        author=by,
        base=version.number,
        name=version.level.name,
        tags=version.level.tags,
        note=_note(what_if),
    )


def what_if_copy(*, what_if: WhatIf, by: User) -> LevelVersion:
    """Save the changed level as a level of its own."""
    level = what_if.level_version.level
    suffix = " what-if"
    return level_create(
        owner=by,
        level=parse_level(what_if.document),
        name=level.name[: LONGEST_NAME - len(suffix)] + suffix,
        note=_note(what_if),
        tags=level.tags,
    )


def _note(what_if: WhatIf) -> str:
    """What was changed, for the history of versions."""
    names = ("before", "after")
    return levels_compared(what_if.level_version.document, what_if.document, names=names).sentence[:LONGEST_NOTE]
