"""Lines of the audit log in words."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from playtest.accounts.models import AuditLog
from playtest.studies.selectors.log import WITHDRAWN

ACTIONS = {
    "study.create": "Made the study",
    "study.import": "Made the study from a file",
    "study.draft": "Changed the draft",
    "study.preview": "Previewed the draft",
    "study.publish": "Published a version",
    "study.state": "Changed the state",
    "study.admission": "Changed who may start",
    "study.export": "Exported the data",
    "study.opinions": "Asked for opinions of personas",
    "participant.exclude": "Left a participant out",
    "participant.include": "Took a participant in again",
    "participant.returned": "Marked a participant as given back",
    "participant.more_time": "Gave more time",
    WITHDRAWN: "Withdrew; all data were deleted",
    "round.exclude": "Left a round out",
    "round.include": "Took a round in again",
    "round.void": "Declared a round void",
    "round.again": "Granted a new attempt",
    "slot.reissue": "Gave a lost place in the orders again",
    "link.create": "Made links",
    "link.change": "Changed a link",
    "link.on": "Switched links on",
    "link.off": "Switched links off",
    "level.create": "Made a level",
    "level.save": "Changed a level",
    "level.archive": "Took a level out of the library",
    "level.restore": "Put a level back into the library",
    "persona.add": "Added a persona from a file",
    "persona.archive": "Archived a persona",
    "persona.keep": "Kept a persona",
    "persona.offer": "Changed whether playtests play a persona",
    "persona.restore": "Put a persona back into the library",
    "run.create": "Started a run",
    "run.pause": "Paused a run",
    "run.resume": "Resumed a run",
    "run.priority": "Changed the priority of a run",
    "run.cancel": "Cancelled a run",
    "user.create": "Made an account",
    "user.password": "Changed a password",
}

UNSAID = {"hash", "study", "annotation", "link", "links", "lost"}
"""Keys that say nothing to who reads: digests, what the line stands under anyway, and numbers of rows."""

WORDS = {
    "minutes": "minutes more",
    "mode": "kind of link",
    "kind": "whose",
    "number": "how many",
    "max_uses": "uses at most",
    "expires_at": "valid until",
    "offered": "playtests play it",
    "void": "in place of round",
    "idx": "individual",
    "more": "more of it",
    "anonymous": "anonymised",
}
VALUES = {
    "one_time": "for one person each",
    "labelled": "by label",
    "open": "open",
    "person": "people",
    "bot": "bots",
    "preview": "previews",
    "max_uses": "uses at most",
    "expires_at": "end",
    "listed": "everybody, by the start page",
    "address": "everybody who has the address",
    "links": "by links alone",
}

Subject = tuple[str, int | None]
"""What a line is about: the kind of the object and its number."""


@dataclass(frozen=True)
class LogLine:
    """When, who, what, to what, and what of it in detail. `about` is empty for the study itself.

    Of a withdrawal only the day is known (`is_day`).
    """

    at: datetime
    who: str
    what: str
    about: str
    details: list[str]
    reason: str
    is_day: bool = False


def log_lines(rows: Iterable[AuditLog], names: Mapping[Subject, str]) -> list[LogLine]:
    """Lines in words; `names` are those of participants, rounds and places."""
    return [
        LogLine(
            at=row.at,
            who=who_did(row),
            what=ACTIONS.get(row.action, row.action.replace(".", ": ").replace("_", " ")),
            about="" if row.action == WITHDRAWN else names.get((row.object_type, row.object_id), ""),
            details=details_of(row),
            reason=row.reason,
            is_day=row.action == WITHDRAWN,
        )
        for row in rows
    ]


def details_of(row: AuditLog) -> list[str]:
    before, after = row.before or {}, row.after or {}
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [str(row.after)]
    if row.action == "study.draft":
        more = after.get("more") or 0
        return [*after.get("changed", []), *([f"and {more} more"] if more else [])]
    if row.action == WITHDRAWN:
        return exports_told(after)
    if row.action == "slot.reissue":
        return list(told({"kind": after.get("kind"), "place": after.get("number")}, {}))
    return list(told(after, before))


def who_did(row: AuditLog) -> str:
    if row.actor:
        return row.actor.get_username()
    return "The participant" if row.action == WITHDRAWN else "The program"


def exports_told(after: Mapping[str, Any]) -> list[str]:
    """Which files are to go, since they hold somebody who withdrew."""
    found = [
        f"to be deleted or made anew: {'anonymised ' if one['anonymous'] else ''}export of {in_words(one['at'])}"
        for one in after.get("exports", [])
    ]
    more = [f"and {after['more']} earlier exports"] if after.get("more") else []
    return [*found, *more] or ["no export held them"]


def told(after: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    """Each key with its value, and with what it was before if that was something else."""
    # One order on both databases: PostgreSQL does not keep that of keys.
    for key, value in sorted(after.items()):
        if key in UNSAID:
            continue
        if isinstance(value, dict):
            yield from told(value, before.get(key) or {})
            continue
        word = WORDS.get(key, key.replace("_", " "))
        is_changed = key in before and before[key] != value
        yield f"{word}: {in_words(before[key])} → {in_words(value)}" if is_changed else f"{word}: {in_words(value)}"


def in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", []):
        return "none"
    if isinstance(value, list):
        return ", ".join(in_words(one) for one in value)
    text = str(value)
    at = parse_datetime(text) if "T" in text and len(text) > 18 and text[:4].isdecimal() else None
    return f"{at.day} {at:%B %Y, %H:%M} UTC" if at else VALUES.get(text, text)
