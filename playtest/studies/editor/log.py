"""Lines of the audit log of a study in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from playtest.accounts.models import AuditLog

ACTIONS = {
    "study.create": "Made the study",
    "study.import": "Made the study from a file",
    "study.draft": "Changed the draft",
    "study.preview": "Previewed the draft",
    "study.publish": "Published a version",
    "study.state": "Changed the state",
    "study.admission": "Changed who may start",
    "study.export": "Exported the data",
    "participant.more_time": "Gave more time",
    "round.void": "Declared a round void",
    "round.again": "Granted a new attempt",
    "link.create": "Made links",
    "link.change": "Changed a link",
    "link.on": "Switched links on",
    "link.off": "Switched links off",
}


@dataclass(frozen=True)
class LogLine:
    """When, who, what, and what of it in detail."""

    at: datetime
    who: str
    what: str
    details: list[str]
    reason: str


def log_lines(rows: Iterable[AuditLog]) -> list[LogLine]:
    return [
        LogLine(
            at=row.at,
            who=row.actor.get_username() if row.actor else "The program",
            what=ACTIONS.get(row.action, row.action.replace(".", ": ").replace("_", " ")),
            details=details_of(row),
            reason=row.reason,
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
    details = []
    for key, value in after.items():
        if key == "hash":
            continue
        word = key.replace("_", " ")
        shown = ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)
        is_changed = key in before and before[key] != value
        details.append(f"{word}: {before[key]} → {shown}" if is_changed else f"{word}: {shown}")
    return details
