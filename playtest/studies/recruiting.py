"""What the parameters of a link say about who sent a participant. Everything else about them is kept raw."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SERVICES: Mapping[str, tuple[str, ...]] = {
    "prolific": ("prolific_pid",),
    "sona": ("sona_id", "survey_code"),
    "other": ("participant_id",),
}
"""The service by the names, in lower case, of the parameters that carry a participant's id there."""

OWN_NAMES = frozenset({"study_id", "session_id"}.union(*SERVICES.values()))
"""Parameters, in lower case, that recruiters add and ask for again."""
LIMIT_QUERY = 4_000

RECRUITER_ID = re.compile(r"[A-Za-z0-9._@+:=-]{1,200}")
"""Ids of recruiters. What links hold in place of an id, such as {{ID}}, [ID], %ID% or <id>, is none."""


@dataclass(frozen=True)
class Recruited:
    """A recruiter, and the participant's id there; None if the link has the parameter without an id in it."""

    recruiter: str
    id: str | None


def read_recruiter_id(values: Iterable[str], *, name: str = "") -> str | None:
    """The first of these that is an id, or None. The parameter's own name is a place that nobody filled in."""
    for value in values:
        text = value.strip()
        if RECRUITER_ID.fullmatch(text) and text.lower() != name:
            return text
    return None


def read_recruited(query: Mapping[str, Sequence[str]]) -> Recruited | None:
    """Who sent the participant, by names in any case and the first value that is an id; None without such a name."""
    folded: dict[str, list[str]] = {}
    for name, values in query.items():
        folded.setdefault(name.strip().lower(), []).extend(values)
    named: Recruited | None = None
    for recruiter, names in SERVICES.items():
        for name in names:
            if name in folded:
                found = read_recruiter_id(folded[name], name=name)
                if found is not None:
                    return Recruited(recruiter, found)
                named = named or Recruited(recruiter, None)
    return named


def query_text(query: Mapping[str, Sequence[str]]) -> str | None:
    """The parameters of a link as they came, as JSON text; None if there are none.

    Of more than LIMIT_QUERY characters the longest parameters are left out, those of recruiters last.
    """
    sizes = {name: len(json.dumps({name: list(values)})) for name, values in query.items()}
    kept, room = set(), LIMIT_QUERY
    for name in sorted(query, key=lambda name: (name.strip().lower() not in OWN_NAMES, sizes[name])):
        if sizes[name] <= room:
            kept.add(name)
            room -= sizes[name]
    return json.dumps({name: list(values) for name, values in query.items() if name in kept}) if kept else None
