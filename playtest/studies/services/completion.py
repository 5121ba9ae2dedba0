"""Completion is a claim that is checked: every round played, every move there, every score recomputed."""

import json
import logging

from django.db import transaction
from django.utils import timezone

from engine.round import ActionRefused
from engine.round import Round as EngineRound
from playtest.studies.choices import Cause, EventKind, Purpose, RoundState, SlotState, Status
from playtest.studies.document import RoundQuestions
from playtest.studies.models import Answer, Event, Move, PageVisit, Participant, Round
from playtest.studies.selectors.documents import round_level, version_document
from playtest.studies.selectors.steps import step_due
from playtest.studies.services.assignment import slot_finish
from playtest.studies.services.transitions import status_change

logger = logging.getLogger(__name__)


def participant_complete(*, participant: Participant) -> list[str]:
    """Complete who has done everything. Gives what is wrong, in words for staff; empty: it is completed.

    Whoever fails the check stays active, and an event says why. Doing it again changes nothing.
    """
    with transaction.atomic():
        locked = Participant.objects.select_for_update(of=("self",)).select_related("version").get(pk=participant.pk)
        if locked.status == Status.COMPLETED:
            participant.refresh_from_db()
            return []
        if locked.status != Status.ACTIVE:
            return [f"The participant is {locked.get_status_display()}."]
        faults = completion_faults(locked)
        if faults:
            Event.objects.create(
                participant=locked,
                kind=EventKind.INCOMPLETE,
                received_at=timezone.now(),
                data=json.dumps({"faults": faults[:5]})[:1_000],
            )
            # Which ones stands with the person's data and goes with them; the file of the log stays.
            logger.error("Participant %s cannot complete: %d fault(s), named on their page", locked.pk, len(faults))
            return faults
        pages = version_document(locked.version).pages
        status_change(participant=locked, to=Status.COMPLETED, cause=Cause.SYSTEM)
        Participant.objects.filter(pk=locked.pk).update(step=len(pages) - 1)
        slot_finish(participant=locked, state=SlotState.DONE)
    participant.refresh_from_db()
    return []


def participant_due(*, participant_id: int) -> Participant | None:
    """The participant if nothing is left to do but the end. Only reads."""
    to_play = (RoundState.PLANNED, RoundState.OPEN)
    if Round.objects.filter(participant=participant_id, purpose=Purpose.SCORED, state__in=to_play).exists():
        # So it is after most rounds, and no more has to be looked up.
        return None
    found = Participant.objects.select_related("version").defer("version__document").filter(pk=participant_id)
    participant = found.first()
    is_due = participant is not None and participant.status == Status.ACTIVE and step_due(participant).kind == "end"
    return participant if is_due else None


def participant_complete_if_due(*, participant_id: int) -> bool:
    """Complete if nothing is left to do but the end. True: the participant is completed now."""
    participant = participant_due(participant_id=participant_id)
    return participant is not None and not participant_complete(participant=participant)


def completion_faults(participant: Participant) -> list[str]:
    """What is missing or does not agree."""
    document = version_document(participant.version)
    faults: list[str] = []
    rounds = list(
        Round.objects.filter(participant=participant, purpose=Purpose.SCORED)
        .select_related("level_version")
        .order_by("position", "attempt")
    )
    last = {row.position: row for row in rounds}
    # Void by a decision of staff, without a new attempt: nobody is asked for it, nor for the questions about it.
    void = {position for position, row in last.items() if row.state == RoundState.VOID}
    for position in set(range(1, document.round_count + 1)) - void:
        row = last.get(position)
        if row is None or row.state != RoundState.DONE:
            faults.append(f"Round {position} is not played to the end.")
        else:
            faults += round_faults(row)
    visited = set(PageVisit.objects.filter(participant=participant).values_list("page_key", flat=True))
    answered = set(Answer.objects.filter(participant=participant, missing=0).values_list("page_key", "item_key"))
    faults += [f"Practice {page.key} was not left." for page in document.practice_pages if page.key not in visited]
    for page in document.asked:
        if isinstance(page, RoundQuestions) and page.position in void:
            continue
        if page.key not in visited:
            faults.append(f"Page {page.key} was not sent in.")
        faults += [
            f"Question {item.key} of page {page.key} has no answer."
            for item in page.items
            if item.required and (page.key, item.key) not in answered
        ]
    return faults


def round_faults(row: Round) -> list[str]:
    """Whether a round's moves are numbered without a gap and give its score when they are played again."""
    moves = list(Move.objects.filter(round=row).order_by("seq"))
    if [move.seq for move in moves] != list(range(1, row.seq + 1)):
        return [f"Round {row.label} has {len(moves)} moves, {row.seq} were counted."]
    try:
        played = EngineRound.replay(round_level(row), [move.action for move in moves])
    except ActionRefused as refused:
        return [f"Round {row.label} cannot be played again: {refused.reason}."]
    if played.score != row.score or played.moves_used != row.moves_used:
        return [f"Round {row.label} has {row.score} points, playing it again gives {played.score}."]
    if moves and played.check() != row.check_hex:
        return [f"Round {row.label} ends on another board when it is played again."]
    return []
