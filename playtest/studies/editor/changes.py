"""Changes to the arrangement of a draft. Pure: each gives a new draft and the part that it is about."""

import copy
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.text import slugify

from playtest.studies.editor.kinds import PAGES, Draft, page_list
from playtest.studies.editor.parts import Part, page_of, part_name, part_value, part_word, place_of, siblings_of
from playtest.studies.errors import StudyError

LONGEST_STEM = 34


@dataclass(frozen=True)
class Changed:
    """The new draft, the part to show next, what was done as a sentence, and what can be put back."""

    draft: Draft
    part: Part
    said: str
    removed: Draft | None = None


Change = Callable[[Draft], Changed]


def free_key(taken: set[str], stem: str) -> str:
    """The stem with the least number from 1 that is free."""
    number = 1
    while f"{stem[:LONGEST_STEM]}-{number}" in taken:
        number += 1
    return f"{stem[:LONGEST_STEM]}-{number}"


def copied_key(taken: set[str], key: str) -> str:
    """The key itself where it is free, else the next number of its stem."""
    if key not in taken:
        return key
    stem = key.rstrip("0123456789").rstrip("-_") or "copy"
    return free_key(taken, stem)


def page_keys(draft: Draft) -> set[str]:
    return {page["key"] for page in draft["pages"]}


def insert_page(draft: Draft, page: Draft, after: str) -> None:
    """Put a page behind the one named, or else before the end page. Changes `draft` in place."""
    pages = draft["pages"]
    keys = [one["key"] for one in pages]
    pages.insert(keys.index(after) + 1 if after in keys[:-1] else len(pages) - 1, page)


def add_page(kind: str, after: str = "") -> Change:
    """A new page, behind the one named or else before the end page."""

    def change(draft: Draft) -> Changed:
        blank = PAGES[kind].blank if kind in PAGES else None
        if blank is None:
            raise StudyError("kind", "Such a page cannot be added.")
        changed = copy.deepcopy(draft)
        key = free_key(page_keys(changed), kind)
        insert_page(changed, {"key": key, **blank()}, after)
        return Changed(changed, Part(key), f"A page is added: {PAGES[kind].label}.")

    return change


def add_entry(page: str, group: str, kind: str) -> Change:
    """A new question or round at the end of its list."""

    def change(draft: Draft) -> Changed:
        changed = copy.deepcopy(draft)
        owner = page_of(changed, page)
        found = page_list(owner, group)
        if found is None or kind not in found.kinds:
            raise StudyError("kind", "Such an entry cannot be added here.")
        entries = owner.setdefault(group, [])
        key = free_key({entry["key"] for entry in entries}, found.word)
        entries.append({"key": key, **found.kinds[kind].new(owner)})
        return Changed(changed, Part(page, group, key), f"A {found.word} is added.")

    return change


def add_scale(page: Draft, after: str = "") -> Change:
    """A page of questions that was read from a file, behind the page named or else before the end page."""

    def change(draft: Draft) -> Changed:
        changed = copy.deepcopy(draft)
        key = copied_key(page_keys(changed), slugify(page["scale"]["name"])[:LONGEST_STEM].strip("-_") or "scale")
        insert_page(changed, {"key": key, **copy.deepcopy(page)}, after)
        return Changed(changed, Part(key), f"The scale is imported: {page['scale']['name']}.")

    return change


def add_block(page: str, group: str, name: str) -> Change:
    """Entries that belong together, at the end of their list."""

    def change(draft: Draft) -> Changed:
        changed = copy.deepcopy(draft)
        owner = page_of(changed, page)
        found = page_list(owner, group)
        if found is None or name not in found.blocks:
            raise StudyError("kind", "Such an entry cannot be added here.")
        entries = owner.setdefault(group, [])
        for entry in found.blocks[name].entries():
            key = copied_key({one["key"] for one in entries}, entry["key"])
            entries.append({**entry, "key": key})
        return Changed(changed, Part(page), f"Added: {found.blocks[name].label}.")

    return change


def move(part: Part, step: int) -> Change:
    """A part one place up (-1) or down (1)."""

    def change(draft: Draft) -> Changed:
        changed = copy.deepcopy(draft)
        siblings, place = siblings_of(changed, part), place_of(changed, part)
        first, last = (0, len(siblings) - 1) if part.group else (1, len(siblings) - 2)
        if not first <= place <= last or not first <= place + step <= last:
            raise StudyError(
                "order", "It cannot be moved there: a study begins with its consent and ends with its end."
            )
        siblings.insert(place + step, siblings.pop(place))
        name = part_name(part_value(changed, part), part)
        return Changed(changed, part, f"“{name}” is number {place + step + 1} now.")

    return change


def send(part: Part, page: str, group: str, *, keep: bool) -> Change:
    """A question to the end of another page's list; the original goes unless it is kept."""

    def change(draft: Draft) -> Changed:
        changed = copy.deepcopy(draft)
        siblings, place = siblings_of(changed, part), place_of(changed, part)
        source, owner = page_list(page_of(changed, part.page), part.group), page_of(changed, page)
        found = page_list(owner, group)
        if (
            source is None
            or found is None
            or found.kinds is not source.kinds
            or not found.is_shared
            or (page, group) == (part.page, part.group)
        ):
            raise StudyError("kind", "It cannot stand there.")
        if not keep and len(siblings) <= source.least:
            raise StudyError("last", f"This page needs a {source.word}. Add another one first, or copy it there.")
        entry = copy.deepcopy(siblings[place])
        entries = owner.setdefault(group, [])
        entry["key"] = copied_key({one["key"] for one in entries}, entry["key"])
        entries.append(entry)
        if not keep:
            siblings.pop(place)
        new = Part(page, group, entry["key"])
        verb = "copied" if keep else "moved"
        return Changed(changed, new, f"“{part_name(entry, new)}” is {verb} to “{owner['title']}”.")

    return change


def duplicate(part: Part) -> Change:
    """A copy right behind the part."""

    def change(draft: Draft) -> Changed:
        refuse_fixed(draft, part)
        changed = copy.deepcopy(draft)
        siblings, place = siblings_of(changed, part), place_of(changed, part)
        twin = copy.deepcopy(siblings[place])
        twin["key"] = copied_key({one["key"] for one in siblings}, twin["key"])
        siblings.insert(place + 1, twin)
        new = Part(part.page, part.group, twin["key"]) if part.group else Part(twin["key"])
        return Changed(changed, new, f"This is the copy of “{part_name(twin, part)}”.")

    return change


def remove(part: Part) -> Change:
    """Take a part out; what was removed can be put back."""

    def change(draft: Draft) -> Changed:
        refuse_fixed(draft, part)
        changed = copy.deepcopy(draft)
        siblings, place = siblings_of(changed, part), place_of(changed, part)
        if part.group:
            found = page_list(page_of(changed, part.page), part.group)
            if found is not None and len(siblings) <= found.least:
                raise StudyError("last", f"This page needs a {found.word}. Add another one first, or remove the page.")
        elif siblings[place]["kind"] == "rounds" and sum(page["kind"] == "rounds" for page in siblings) == 1:
            raise StudyError("last", "A study needs a page with rounds. Add another one first.")
        taken = siblings.pop(place)
        name = part_name(taken, part)
        removed = {
            "page": part.page if part.group else "",
            "group": part.group,
            "place": place,
            "value": taken,
            "name": name,
        }
        word = part_word(draft, part)
        neighbour = siblings[min(place, len(siblings) - 1)]["key"] if not part.group else ""
        return Changed(
            changed, part.owner if part.group else Part(neighbour), f"The {word} “{name}” is removed.", removed
        )

    return change


def restore(removed: Draft) -> Change:
    """Put back what was removed, where it stood."""

    def change(draft: Draft) -> Changed:
        changed = copy.deepcopy(draft)
        value = copy.deepcopy(removed["value"])
        part = Part(removed["page"], removed["group"], value["key"]) if removed["group"] else Part(value["key"])
        siblings = siblings_of(changed, part)
        value["key"] = copied_key({one["key"] for one in siblings}, value["key"])
        first, last = (0, len(siblings)) if part.group else (1, len(siblings) - 1)
        siblings.insert(max(first, min(removed["place"], last)), value)
        back = Part(part.page, part.group, value["key"]) if part.group else Part(value["key"])
        return Changed(changed, back, f"“{removed['name']}” is back.")

    return change


def refuse_fixed(draft: Draft, part: Part) -> None:
    """Consent and end are there once."""
    if not part.group and siblings_of(draft, part)[place_of(draft, part)]["kind"] in {"consent", "end"}:
        raise StudyError("fixed", "Every study has one consent page and one end page.")
