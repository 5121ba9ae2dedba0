"""Practice: once more, and on to what comes after it. Nothing of it counts."""

import secrets

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from playtest.studies.choices import EndReason, Purpose, RoundState, Status
from playtest.studies.document import PracticePage
from playtest.studies.errors import StudyError
from playtest.studies.models import PageVisit, Participant, Round
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.practice import practice_of, practice_rounds
from playtest.studies.selectors.steps import step_due
from playtest.studies.services.assignment import practice_round


def practice_again(*, participant: Participant, page: PracticePage) -> None:
    """End the round of practice that is under way and plan the next. One that nobody has begun yet is the next.

    Raises StudyError (`state`) if the page is not due, (`practice`) after the last round that a page has.
    """
    with transaction.atomic():
        locked = lock_due(participant, page)
        rounds = practice_rounds(participant=locked, page=page)
        if any(row.state == RoundState.PLANNED for row in rounds):
            return
        if not practice_of(participant=locked, page=page).may_repeat:
            raise StudyError("practice", "There are no more rounds of practice.")
        rounds_leave(participant=locked, page=page)
        own = Round.objects.filter(participant=locked, purpose=Purpose.PRACTICE)
        last = own.aggregate(last=Max("attempt"))["last"] or 0
        practice_round(locked, page, number=len(rounds) + 1, attempt=last + 1).save()


def practice_leave(*, participant: Participant, page: PracticePage) -> None:
    """Go on to what comes after practice.

    Raises StudyError (`state`) if the page is not due, (`practice`) if something is missing that may not be skipped.
    """
    with transaction.atomic():
        locked = lock_due(participant, page)
        if not practice_of(participant=locked, page=page).may_go_on:
            raise StudyError("practice", "Please try everything that is listed first.")
        rounds_leave(participant=locked, page=page)
        now = timezone.now()
        PageVisit.objects.create(
            participant=locked, page_key=page.key, visit_id=secrets.token_urlsafe(16), submitted_at=now
        )
        step = version_document(locked.version).pages.index(page) + 1
        Participant.objects.filter(pk=locked.pk).update(last_seen_at=now, step=step)


def lock_due(participant: Participant, page: PracticePage) -> Participant:
    locked = Participant.objects.select_for_update(of=("self",)).select_related("version").get(pk=participant.pk)
    due = step_due(locked)
    if locked.status != Status.ACTIVE or due.kind != "practice" or due.page != page:
        raise StudyError("state", "This practice is over.")
    return locked


def rounds_leave(*, participant: Participant, page: PracticePage) -> None:
    """A move that is on its way finds no open round: its fence fails. What nobody began is void."""
    rounds = Round.objects.filter(participant=participant, purpose=Purpose.PRACTICE, key=page.key)
    rounds.filter(state=RoundState.OPEN).update(state=RoundState.DONE, reason=EndReason.LEFT, ended_at=timezone.now())
    rounds.filter(state=RoundState.PLANNED).update(state=RoundState.VOID)
