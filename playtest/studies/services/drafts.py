"""The draft of a study: its only form that can be changed. Each change is checked, numbered and noted."""

from typing import Any

from django.db import transaction
from django.db.models import F

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.choices import StudyState
from playtest.studies.document import parse_study
from playtest.studies.editor.changes import Change, restore
from playtest.studies.editor.differences import differences
from playtest.studies.editor.parts import Part, part_base, part_replaced
from playtest.studies.errors import StudyError
from playtest.studies.models import Study
from playtest.studies.services.addresses import addresses_check

MOST_PLACES = 20
CONFLICT = "Meanwhile somebody else changed this. Nothing was overwritten."


def draft_part_save(
    *, study: Study, part: Part, value: dict[str, Any], number: int, base: str, by: User | None
) -> Study:
    """Store the own fields of a part, for who saw the draft of that number and the part with that digest.

    Gives the study with its new draft. Raises StudyError: `conflict` if the part is not what was seen, `gone`,
    `document`, `closed`.
    """
    with transaction.atomic():
        locked = draft_lock(study)
        if locked.draft_number != number and part_base(locked.draft, part) != base:
            raise StudyError("conflict", CONFLICT)
        return draft_store(locked, part_replaced(locked.draft, part, value), removed=locked.removed, by=by)


def draft_arrange(*, study: Study, change: Change, number: int, by: User | None) -> tuple[Study, Part, str]:
    """Add, move, copy or remove a part. Gives the study, the part to show next, and what was done as a sentence."""
    with transaction.atomic():
        locked = draft_lock(study)
        if locked.draft_number != number:
            raise StudyError("conflict", CONFLICT)
        changed = change(locked.draft)
        kept = locked.removed if changed.removed is None else changed.removed
        stored = draft_store(locked, changed.draft, removed=kept, by=by)
    return stored, changed.part, changed.said


def draft_restore(*, study: Study, by: User | None) -> tuple[Study, Part, str]:
    """Put back what was removed last, where it stood. Nothing else is undone."""
    with transaction.atomic():
        locked = draft_lock(study)
        if locked.removed is None:
            raise StudyError("gone", "There is nothing to put back any more.")
        changed = restore(locked.removed)(locked.draft)
        stored = draft_store(locked, changed.draft, removed=None, by=by)
    return stored, changed.part, changed.said


def draft_lock(study: Study) -> Study:
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.state == StudyState.CLOSED:
        raise StudyError("closed", "A closed study is not changed any more. Make a new study from it to go on.")
    return locked


def draft_store(locked: Study, draft: object, *, removed: dict[str, Any] | None, by: User | None) -> Study:
    """Check and keep a draft in the caller's transaction. One that says the same is not counted as a change."""
    parsed = parse_study(draft)
    document = parsed.to_document()
    stored = parse_study(locked.draft)
    # An address that is there already keeps nobody from mending another part; publishing asks for each again.
    addresses_check(document=parsed, known={one.url for one in stored.end.outcomes})
    before = stored.to_document()
    if document == before and removed == locked.removed:
        return locked
    title = parsed.title if locked.published_id is None else locked.title
    changes = {"draft": document, "removed": removed, "title": title}
    Study.objects.filter(pk=locked.pk).update(draft_number=F("draft_number") + 1, **changes)
    places = [f"{one.place}: {one.what}" for one in differences(before, document)]
    audit_record(
        actor=by,
        action="study.draft",
        target=locked,
        label=title,
        after={
            "draft": locked.draft_number + 1,
            "changed": places[:MOST_PLACES],
            "more": max(0, len(places) - MOST_PLACES),
        },
    )
    locked.draft, locked.removed, locked.title = document, removed, title
    locked.draft_number += 1
    return locked
