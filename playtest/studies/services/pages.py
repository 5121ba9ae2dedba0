"""Questionnaires that are sent in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from playtest.studies.choices import Cause, Missing, RoundState, SlotState, Status
from playtest.studies.document import QuestionnairePage, RoundQuestions
from playtest.studies.errors import StudyError
from playtest.studies.models import Answer, PageVisit, Participant, Round
from playtest.studies.selectors.documents import version_document
from playtest.studies.services.assignment import slot_finish
from playtest.studies.services.transitions import status_change


@dataclass(frozen=True)
class Shown:
    """A showing of a page: its random name, and when and for how long it was seen as far as that is known."""

    visit_id: str
    at: datetime | None = None
    shown_ms: int | None = None
    hidden_ms: int | None = None


def page_submit(
    *, participant: Participant, page: QuestionnairePage, answers: Mapping[str, str | int | float | None], shown: Shown
) -> PageVisit:
    """Store the answers of a page, checked by its form. The second submit finds the first and changes nothing.

    `answers` has a value, or None where the question was skipped. An answer that screens out ends the study in the same
    transaction, before anything more is shown. Raises StudyError if a required one is missing or the participant is not
    under way. Changes `participant` in place.
    """
    if participant.status != Status.ACTIVE:
        raise StudyError("state", "This study is over for you.")
    for item in page.items:
        if item.required and answers.get(item.key) is None:
            raise StudyError("required", f"An answer is missing: {item.label}")
    try:
        with transaction.atomic():
            # The lock keeps a withdrawal from deleting what is there before this comes in.
            locked = Participant.objects.select_for_update().get(pk=participant.pk)
            if locked.status != Status.ACTIVE:
                raise StudyError("state", "This study is over for you.")
            now = timezone.now()
            visit = PageVisit.objects.create(
                participant=participant,
                page_key=page.key,
                visit_id=shown.visit_id,
                shown_at=shown.at,
                submitted_at=now,
                shown_ms=shown.shown_ms,
                hidden_ms=shown.hidden_ms,
            )
            Answer.objects.bulk_create(
                answer_row(visit, participant, item.key, answers.get(item.key)) for item in page.items
            )
            Participant.objects.filter(pk=participant.pk).update(last_seen_at=now, step=step_after(participant, page))
            if any(item.screens_out(answers.get(item.key)) for item in page.items):
                participant_screen_out(participant=locked)
    except IntegrityError:
        return PageVisit.objects.get(participant=participant, page_key=page.key)
    participant.status, participant.finished_at = locked.status, locked.finished_at
    return visit


def participant_screen_out(*, participant: Participant) -> None:
    """End the study for somebody whom it does not ask: rounds are void, the slot is for the next. In a transaction."""
    status_change(participant=participant, to=Status.SCREENED_OUT, cause=Cause.SYSTEM)
    own = Round.objects.filter(participant=participant, state__in=[RoundState.PLANNED, RoundState.OPEN])
    own.update(state=RoundState.VOID)
    slot_finish(participant=participant, state=SlotState.LOST)


def answer_row(visit: PageVisit, participant: Participant, item_key: str, value: str | int | float | None) -> Answer:
    return Answer(
        visit=visit,
        participant=participant,
        page_key=visit.page_key,
        item_key=item_key,
        value=json.dumps(value),
        number=float(value) if isinstance(value, int | float) else None,
        missing=Missing.SKIPPED if value is None else Missing.NO,
    )


def step_after(participant: Participant, page: QuestionnairePage) -> int:
    """Index of the page that was reached. After a round it is that of the rounds: the next one may be there."""
    document = version_document(participant.version)
    if isinstance(page, RoundQuestions):
        return document.pages.index(document.rounds_page_at(page.position))
    return document.pages.index(page) + 1
