"""Parts of a draft, each with an address: the study itself, a page, an entry of one of its lists."""

import copy
import hashlib
from dataclasses import dataclass
from typing import Any

from engine.game import games
from engine.level import canonical_json
from playtest.studies.editor.kinds import Draft, list_keys, page_kind, page_list
from playtest.studies.errors import StudyError

GONE = "This part is not there any more: somebody removed it or gave it another name."


@dataclass(frozen=True)
class Part:
    """An address. Without a page it is the study itself, without a list the page itself."""

    page: str = ""
    group: str = ""
    entry: str = ""

    @property
    def owner(self) -> "Part":
        """The page of an entry, the study of a page."""
        return Part(self.page) if self.group else Part()


def page_of(draft: Draft, key: str) -> Draft:
    for page in draft["pages"]:
        if page["key"] == key:
            found: Draft = page
            return found
    raise StudyError("gone", GONE)


def siblings_of(draft: Draft, part: Part) -> list[Draft]:
    """The list that a part stands in: the pages, or a page's entries."""
    if not part.group:
        pages: list[Draft] = draft["pages"]
        return pages
    page = page_of(draft, part.page)
    if page_list(page, part.group) is None:
        raise StudyError("gone", GONE)
    entries: list[Draft] = page.get(part.group, [])
    return entries


def place_of(draft: Draft, part: Part) -> int:
    """Where a part stands among its siblings, from 0."""
    wanted = part.entry if part.group else part.page
    for index, one in enumerate(siblings_of(draft, part)):
        if one["key"] == wanted:
            return index
    raise StudyError("gone", GONE)


def part_value(draft: Draft, part: Part) -> Draft:
    """The part as it stands in the draft. Raises StudyError `gone`."""
    return draft if not part.page else siblings_of(draft, part)[place_of(draft, part)]


def inner_keys(value: Draft, part: Part) -> set[str]:
    """Keys that are parts of their own."""
    if not part.page:
        return {"pages", "format"}
    return set() if part.group else list_keys(value)


def own_fields(value: Draft, part: Part) -> Draft:
    """What belongs to the part alone: a page without its questions, the study without its pages."""
    inner = inner_keys(value, part)
    return {key: entry for key, entry in value.items() if key not in inner}


def part_base(draft: Draft, part: Part) -> str:
    """A digest of what belongs to the part alone: who edits it says by this what they saw."""
    return hashlib.sha256(canonical_json(own_fields(part_value(draft, part), part)).encode()).hexdigest()[:32]


def part_replaced(draft: Draft, part: Part, value: Draft) -> Draft:
    """A draft in which the part has these own fields; the parts inside it stay."""
    changed = copy.deepcopy(draft)
    target = part_value(changed, part)
    kept: dict[str, Any] = {key: target[key] for key in inner_keys(target, part) if key in target}
    target.clear()
    target.update({**own_fields(value, part), **kept})
    if part.group in {"items", "after_round"} and target["key"] != part.entry:
        rename_counted(page_of(changed, part.page), part.entry, target["key"])
    return changed


def rename_counted(page: Draft, old: str, new: str) -> None:
    """Scores go on counting a question that got another name."""
    for score in page.get("scores", []):
        for key in ("items", "reverse"):
            score[key] = [new if name == old else name for name in score.get(key, [])]


def part_name(value: Draft, part: Part) -> str:
    """What a part is called in the outline and in the log."""
    if not part.group:
        return str(value.get("title", ""))
    if "label" in value:
        return str(value["label"])
    if "level" in value:
        return str(value["level"].get("name") or "Unnamed level")
    drawn = value.get("random", {})
    game = game_word(str(drawn.get("game")))
    return f"Drawn anew, {game}, {drawn.get('rows')} × {drawn.get('cols')}, {drawn.get('colours')} colours"


def game_word(game: str) -> str:
    """The title of a game, or its name if this program does not know it."""
    known = games()
    return known[game].info.title if game in known else game


def part_word(draft: Draft, part: Part) -> str:
    """The kind of a part in a sentence: study, page, question, round."""
    if not part.page:
        return "study"
    if not part.group:
        return "page"
    found = page_list(page_of(draft, part.page), part.group)
    return found.word if found else "part"


def page_label(page: Draft) -> str:
    return page_kind(page).label
