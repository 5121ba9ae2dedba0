"""What differs between two documents of a study, in words, for people who decide about it."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

WORDS = {
    "title": "title",
    "summary": "summary",
    "text": "text",
    "agree": "sentence that is agreed to",
    "label": "wording",
    "help": "help",
    "key": "name in the data",
    "kind": "kind",
    "required": "answer required",
    "sensitive": "sensitive",
    "options": "answers",
    "min": "least",
    "max": "most",
    "decimals": "decimals",
    "max_length": "longest answer",
    "lines": "lines",
    "from": "first step",
    "to": "last step",
    "low": "words at the first step",
    "high": "words at the last step",
    "order": "order of rounds",
    "anim": "speed of the animation",
    "undo": "undo",
    "skip": "may be skipped",
    "hint_after": "seconds until a hint",
    "level": "level",
    "random": "drawn board",
    "screen_out": "answers that screen out",
    "expected": "right answer",
    "wait": "seconds until the page goes on",
    "code": "completion code",
    "limit": "time limit of a round",
    "warn": "warning before the end",
    "more": "more time on request",
    "limits": "limits on time",
    "silence": "minutes of silence after which somebody counts as gone",
    "total": "time for the whole study",
    "url": "completion address",
    "complete": "everything done",
    "timed_out": "away too long or out of time",
    "returned": "given back",
    "languages": "languages",
    "labels": "words at steps between",
    "items": "questions that it counts",
    "reverse": "questions that it reverses",
    "method": "way of counting",
    "least": "answers that are needed",
    "scale": "scale that the questions come from",
}
NESTED = {"outcomes"}
"""Fields whose parts are told apart: of each outcome its text, code and address."""
LISTS = {"items": "Question", "rounds": "Round", "after_round": "Question after each round", "scores": "Score"}
MOST_WORDS = 3_000
NOTHING = "–"


@dataclass(frozen=True)
class Difference:
    """One thing that differs: where, and as text before and after. `what`: changed, added, removed, moved."""

    place: str
    what: str
    before: str = ""
    after: str = ""

    @property
    def spans(self) -> list[tuple[str, str]]:
        """The two texts as one: runs of words that are kept (`same`), gone (`gone`) or new (`new`)."""
        old, new = (re.findall(r"\S+\s*|\s+", text) for text in (self.before, self.after))
        if len(old) + len(new) > MOST_WORDS:
            return [("gone", self.before), ("new", self.after)]
        spans: list[tuple[str, str]] = []
        for tag, low, high, to_low, to_high in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
            if tag == "equal":
                spans.append(("same", "".join(old[low:high])))
                continue
            spans += [("gone", "".join(old[low:high]))] * (high > low)
            spans += [("new", "".join(new[to_low:to_high]))] * (to_high > to_low)
        return spans


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[Difference]:
    """What differs between two studies, in the order of the second."""
    return [*fields_differ(before, after, "The study"), *lists_differ(before, after, "pages", "Page", "")]


def fields_differ(before: dict[str, Any], after: dict[str, Any], place: str) -> Iterator[Difference]:
    """Fields of a part itself, without the parts inside."""
    for key in [*after, *(key for key in before if key not in after)]:
        is_list_of_parts = key in LISTS and not (holds_names(before.get(key)) or holds_names(after.get(key)))
        if is_list_of_parts or key in {"pages", "format"} or before.get(key) == after.get(key):
            continue
        if key in NESTED:
            for name, part in (after.get(key) or {}).items():
                inside = (before.get(key) or {}).get(name, {})
                yield from fields_differ(inside, part, f"{place}, {WORDS.get(name, name.replace('_', ' '))}")
            continue
        yield Difference(
            f"{place}, {WORDS.get(key, key.replace('_', ' '))}",
            "changed",
            in_words(key, before.get(key)),
            in_words(key, after.get(key)),
        )


def lists_differ(
    before: dict[str, Any], after: dict[str, Any], key: str, word: str, inside: str
) -> Iterator[Difference]:
    """Entries of a list, known by their key: gone, new, moved among those that stayed, changed."""
    old = {entry["key"]: entry for entry in before.get(key, [])}
    new = {entry["key"]: entry for entry in after.get(key, [])}
    for name, entry in old.items():
        if name not in new:
            yield Difference(f"{word} “{named(entry)}”{inside}", "removed")
    stayed = [name for name in old if name in new]
    now = [name for name in new if name in old]
    moved = set(moved_names(stayed, now))
    for number, (name, entry) in enumerate(new.items(), start=1):
        place = f"{word} {number} “{named(entry)}”{inside}"
        if name not in old:
            yield Difference(place, "added")
            continue
        if name in moved:
            yield Difference(place, "moved", str(list(old).index(name) + 1), str(number))
        yield from fields_differ(old[name], entry, place)
        for inner, inner_word in LISTS.items():
            if holds_names(old[name].get(inner)) or holds_names(entry.get(inner)):
                continue
            yield from lists_differ(old[name], entry, inner, inner_word, f" of “{named(entry)}”")


def holds_names(value: Any) -> bool:
    """Whether a list names other parts, as a score names the questions that it counts, and has none of its own."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


def moved_names(before: list[str], after: list[str]) -> list[str]:
    """The fewest names whose move explains the new order: those outside of a longest run in common."""
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    kept = {name for block in matcher.get_matching_blocks() for name in before[block.a : block.a + block.size]}
    return [name for name in after if name not in kept]


def named(entry: dict[str, Any]) -> str:
    if "level" in entry and isinstance(entry["level"], dict):
        return str(entry["level"].get("name") or entry["key"])
    return str(entry.get("title") or entry.get("label") or entry["key"])


def in_words(key: str, value: Any) -> str:
    """A value as a designer reads it."""
    if value is None or value == "" or value == []:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key == "level" and isinstance(value, dict):
        return level_in_words(value)
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {in_words(name, one)}" for name, one in value.items())
    if isinstance(value, list):
        return "; ".join(
            f"{one['label']} ({one['value']})" if isinstance(one, dict) and "label" in one else in_words(key, one)
            for one in value
        )
    return str(value)


def level_in_words(level: dict[str, Any]) -> str:
    words = f"“{level.get('name') or 'unnamed'}”, {level['rows']} × {level['cols']}, {level['colours']} colours"
    if "moves" in level:
        words += f", {level['moves']} moves"
    return f"{words}, seed {level['seed']}, rows {' '.join(level['board'])}"
