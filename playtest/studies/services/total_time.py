"""The time of a study as a whole, of one participant: when it ends, more of it, and the end itself, whoever is there.

It begins with the consent and runs on in pauses, and while staff let nobody new in. As that of a round it is stored by
the database's clock. What was played and answered stays; rounds stay as they are, so that staff may give time later.
"""

import json
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.clock import database_time_in
from playtest.studies.choices import AWAY, Cause, EventKind, RoundState, SlotState, Status
from playtest.studies.document import TotalLimit
from playtest.studies.errors import StudyError
from playtest.studies.models import Event, Participant, Round
from playtest.studies.selectors.documents import version_document
from playtest.studies.services.assignment import slot_finish
from playtest.studies.services.clocks import GRACE_SECONDS, SWEEP_LOT
from playtest.studies.services.completion import participant_complete_if_due
from playtest.studies.services.transitions import hint_study, status_change

MOST_GIVEN = 7 * 24 * 60
"""Minutes that staff give at once."""


def time_begin(*, participant: Participant) -> None:
    """From here on the time of the study runs, if it has a limit. Changes `participant` in place."""
    limit = version_document(participant.version).limits.total
    if limit is not None:
        Participant.objects.filter(pk=participant.pk).update(ends_at=database_time_in(limit.minutes * 60))
        participant.refresh_from_db(fields=["ends_at"])


def total_extend(*, participant: Participant, limit: TotalLimit) -> bool:
    """Give the participant more time, once more. False: they had it as often as they may, or it is over."""
    minutes = timedelta(minutes=limit.more_minutes)
    with transaction.atomic():
        own = Participant.objects.filter(
            pk=participant.pk, status=Status.ACTIVE, extensions__lt=limit.more_times, ends_at__gt=Now()
        )
        if not own.update(ends_at=F("ends_at") + minutes, extensions=F("extensions") + 1):
            return False
        participant.refresh_from_db(fields=["ends_at", "extensions"])
        time_note(participant, {"seconds": limit.more_minutes * 60, "times": participant.extensions})
    return True


def total_give(*, participant: Participant, minutes: int, by: User) -> None:
    """Give a participant more time, as staff: from the end of their time, or from now on if that is past.

    Whose time was up may come back then. Raises StudyError for a number of minutes that cannot be, and where no time
    runs.
    """
    if not 1 <= minutes <= MOST_GIVEN:
        raise StudyError("minutes", f"Please give between 1 and {MOST_GIVEN:,} minutes.")
    with transaction.atomic():
        locked = Participant.objects.select_for_update().filter(pk=participant.pk).annotate(clock=Now()).get()
        if locked.ends_at is None:
            raise StudyError("limit", "No time runs for this participant: they may take as long as it takes.")
        if locked.status != Status.ACTIVE and locked.status not in AWAY:
            raise StudyError("state", "This participant came to an end that more time does not change.")
        ends_at = max(locked.ends_at, locked.clock) + timedelta(minutes=minutes)
        Participant.objects.filter(pk=locked.pk).update(ends_at=ends_at, given_minutes=F("given_minutes") + minutes)
        time_note(locked, {"seconds": minutes * 60, "by": "staff"})
        audit_record(
            actor=by,
            action="participant.more_time",
            target=locked,
            label=f"Participant {locked.pk}",
            after={"study": locked.study_id, "minutes": minutes},
        )
        hint_study(locked.study_id)
    participant.refresh_from_db(fields=["ends_at", "given_minutes"])


def time_note(participant: Participant, data: dict[str, object]) -> None:
    Event.objects.create(
        participant=participant,
        kind=EventKind.MORE_TIME,
        received_at=timezone.now(),
        data=json.dumps(data, separators=(",", ":")),
    )


def total_look(*, participant: Participant) -> bool:
    """End the study for a participant whose time is up, a moment of grace apart. True: it is over, in place too.

    Asked where somebody does something, so that nobody gets in between the end and the program's next look.
    """
    if not total_time_out(participant_id=participant.pk, grace=GRACE_SECONDS):
        return False
    participant.refresh_from_db(fields=["status", "finished_at", "assignment", "outcome_code"])
    return True


def total_time_out(*, participant_id: int, grace: float = 0.0) -> bool:
    """End the study for an active participant whose time is up. False: it is not, or they are not active.

    Their place is for the next one. A move on its way finds another epoch than it was judged under.
    """
    with transaction.atomic():
        late = Participant.objects.select_for_update().filter(
            pk=participant_id, status=Status.ACTIVE, ends_at__lte=database_time_in(-grace)
        )
        participant = late.first()
        if participant is None:
            return False
        also = {"last_seen_at": participant.last_seen_at}
        status_change(participant=participant, to=Status.TIMED_OUT, cause=Cause.SYSTEM, also=also)
        own = Round.objects.filter(participant=participant, state=RoundState.OPEN)
        own.update(play_epoch=F("play_epoch") + 1)
        slot_finish(participant=participant, state=SlotState.LOST)
    return True


def totals_time_out() -> int:
    """End the study for everybody whose time is up and for whom no process did. Gives how many.

    Who has done everything by then is completed.
    """
    late = Participant.objects.filter(status=Status.ACTIVE, ends_at__lte=database_time_in(-GRACE_SECONDS))
    ended = 0
    for pk in list(late.order_by("ends_at").values_list("pk", flat=True)[:SWEEP_LOT]):
        if not participant_complete_if_due(participant_id=pk):
            ended += total_time_out(participant_id=pk, grace=GRACE_SECONDS)
    return ended
