"""The outline beside the form: the pages of a draft, and the lists of the page that is open."""

from dataclasses import dataclass

from playtest.studies.editor.kinds import Draft, EntryList, page_kind, page_list
from playtest.studies.editor.parts import Part, game_word, part_name
from playtest.studies.models import Study


@dataclass(frozen=True)
class Line:
    """A part in the outline: its name and kind in words, and which of its buttons can do anything."""

    part: Part
    name: str
    note: str
    is_here: bool
    can_rise: bool
    can_sink: bool
    is_fixed: bool = False
    level_hash: str = ""


@dataclass(frozen=True)
class Group:
    """A list of a page with its entries."""

    about: EntryList
    lines: list[Line]


@dataclass(frozen=True)
class Outline:
    pages: list[Line]
    groups: list[Group]
    """The lists of the page that is open, or none."""


def outline_of(study: Study, here: Part) -> Outline:
    pages = study.draft["pages"]
    last = len(pages) - 1
    lines = [
        Line(
            part=Part(page["key"]),
            name=page["title"],
            note=page_note(page),
            is_here=page["key"] == here.page,
            can_rise=1 < place < last,
            can_sink=0 < place < last - 1,
            is_fixed=page["kind"] in {"consent", "end"},
        )
        for place, page in enumerate(pages)
    ]
    current = next((page for page in pages if page["key"] == here.page), None)
    return Outline(pages=lines, groups=page_groups(current, here) if current else [])


def other_lists(draft: Draft, here: Part) -> list[tuple[str, str]]:
    """Where a question could stand instead: lists of the same kinds, each as `PAGE.GROUP` with its words."""
    page = next((page for page in draft["pages"] if page["key"] == here.page), None)
    own = page_list(page, here.group) if page and here.group else None
    if own is None or not own.is_shared:
        return []
    return [
        (f"{page['key']}.{one.key}", f"{page['title']}: {one.title.lower()}")
        for page in draft["pages"]
        for one in page_kind(page).lists
        if one.kinds is own.kinds and (page["key"], one.key) != (here.page, here.group)
    ]


def page_note(page: Draft) -> str:
    """The kind of a page and how much is on it."""
    kind = page_kind(page)
    counts = []
    for one in kind.lists:
        number = len(page.get(one.key, []))
        if number or one.least:
            counts.append(f"{number} {one.word}{'' if number == 1 else 's'}")
    return " · ".join(counts) or kind.label


def page_groups(page: Draft, here: Part) -> list[Group]:
    groups = []
    for about in page_kind(page).lists:
        entries = page.get(about.key, [])
        lines = [
            Line(
                part=Part(page["key"], about.key, entry["key"]),
                name=part_name(entry, Part(page["key"], about.key, entry["key"])),
                note=entry_note(entry, about),
                is_here=(here.group, here.entry) == (about.key, entry["key"]),
                can_rise=place > 0,
                can_sink=place < len(entries) - 1,
            )
            for place, entry in enumerate(entries)
        ]
        groups.append(Group(about, lines))
    return groups


def entry_note(entry: Draft, about: EntryList) -> str:
    """The kind of a question and whether it may be skipped; the size of a round's board."""
    if "level" in entry:
        level = entry["level"]
        moves = f" · {level['moves']} moves" if "moves" in level else ""
        size = f"{level['rows']} × {level['cols']} · {level['colours']} colours{moves}"
        return f"The same for everybody · {game_word(level['game'])} · {size}"
    if "random" in entry:
        drawn = entry["random"]
        return f"{drawn['moves']} moves" if "moves" in drawn else "Until no group is left"
    kind = about.kinds.get(about.kind_of(entry))
    words = [kind.label if kind else str(entry.get("kind", "")).capitalize()]
    words += ["may be skipped"] if not entry.get("required", True) else []
    words += ["sensitive"] if entry.get("sensitive") else []
    words += ["screens out"] if screens_out(entry) else []
    words += [] if entry.get("expected") is None else ["attention"]
    return " · ".join(words)


def screens_out(entry: Draft) -> bool:
    """Whether some answer to a question ends the study."""
    found = entry.get("screen_out") or []
    return any(bound is not None for bound in found.values()) if isinstance(found, dict) else bool(found)
