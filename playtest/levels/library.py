"""The level library: searched, sorted and paged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator

from playtest.levels.models import Level
from playtest.levels.selectors import LevelRow, game_title, level_rows

PAGE_SIZE = 24
SORTS = {"newest": "Newest first", "name": "By name", "size": "By size"}


@dataclass(frozen=True)
class LibraryQuery:
    """What somebody looks for; empty values look for everything."""

    text: str = ""
    game: str = ""
    tag: str = ""
    size: str = ""
    sort: str = "newest"
    archived: bool = False

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "LibraryQuery":
        """From a page's address; what makes no sense there is as if it were missing."""
        sort = values.get("sort", "")
        return cls(
            text=values.get("q", "").strip()[:120],
            game=values.get("game", ""),
            tag=values.get("tag", ""),
            size=values.get("size", ""),
            sort=sort if sort in SORTS else "newest",
            archived=bool(values.get("archived")),
        )

    @property
    def narrows(self) -> bool:
        """Whether levels may be missing because of it."""
        return bool(self.text or self.game or self.tag or self.size)


@dataclass(frozen=True)
class Library:
    """One page of the levels that were looked for, and what there is to choose from."""

    page: Page[Any]
    games: Sequence[tuple[str, Sequence[LevelRow]]]
    tags: Sequence[str]
    sizes: Sequence[str]
    game_names: Sequence[tuple[str, str]]
    is_empty: bool
    """No level is there, whatever one looks for."""


def library_shown(query: LibraryQuery, *, page: str | None = None) -> Library:
    """The levels of a page under the title of their game, in the order that was asked for."""
    levels = _levels(query)
    wanted = _wanted(levels, query)
    shown = Paginator([level["id"] for level in wanted], PAGE_SIZE).get_page(page)
    games: dict[str, list[LevelRow]] = {}
    for row in level_rows(list(shown.object_list)):
        games.setdefault(game_title(row.version.game), []).append(row)
    names = sorted({level["current__game"] for level in levels})
    return Library(
        page=shown,
        games=list(games.items()),
        tags=sorted({tag for level in levels for tag in level["tags"]}),
        sizes=sorted({level["size"] for level in levels}, key=lambda size: [int(x) for x in size.split(" × ")]),
        game_names=[(name, game_title(name)) for name in names],
        is_empty=not levels,
    )


def library_found(query: LibraryQuery) -> list[Level]:
    """All levels that are looked for, with their newest versions, in the order of the pages."""
    ids = [level["id"] for level in _wanted(_levels(query), query)]
    by_id = Level.objects.select_related("current").in_bulk(ids)
    return [by_id[pk] for pk in ids]


def _levels(query: LibraryQuery) -> list[dict[str, Any]]:
    found = Level.objects.filter(archived_at__isnull=not query.archived, current__isnull=False)
    names = ("id", "name", "tags", "shipped", "current__game", "current__rows", "current__cols")
    return [
        {**level, "size": f"{level['current__rows']} × {level['current__cols']}"}
        for level in found.order_by("-created_at", "-id").values(*names)
    ]


def _wanted(levels: Sequence[dict[str, Any]], query: LibraryQuery) -> list[dict[str, Any]]:
    return sorted((level for level in levels if _fits(level, query)), key=lambda level: _order(level, query.sort))


def _fits(level: Mapping[str, Any], query: LibraryQuery) -> bool:
    text = query.text.casefold()
    return (
        (not text or text in level["name"].casefold() or any(text in tag for tag in level["tags"]))
        and query.game in ("", level["current__game"])
        and (not query.tag or query.tag in level["tags"])
        and query.size in ("", level["size"])
    )


def _order(level: Mapping[str, Any], sort: str) -> tuple[Any, ...]:
    """Levels come newest first; sorting keeps that order among equals. Shipped ones stand after one's own."""
    last = {
        "newest": (level["shipped"] is not None, level["shipped"] or ""),
        "name": (level["name"].casefold(),),
        "size": (level["current__rows"] * level["current__cols"], level["current__rows"]),
    }[sort]
    return (level["current__game"], *last)
