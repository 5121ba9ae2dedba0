"""Who falls silent gives their place up, and gets one again when they come back. Nothing they did is lost.

`timed_out` is the program's doing: an active participant of whom nothing was heard for longer than the study allows,
or whose time for it is up (`total_time.py`); the latter comes back only after staff gave more time.
`returned` is staff's: the person gave the place back, which as a rule the recruiting service says. Both are left by
coming back, which is the participant's own doing: by the button of the entry page, by sending a page in, by a socket.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.clock import database_time_in
from playtest.studies.choices import AWAY, Cause, SlotState, Status, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.models import Participant, StudyVersion
from playtest.studies.selectors.documents import version_document
from playtest.studies.services.assignment import slot_finish, slot_take_again
from playtest.studies.services.transitions import status_change

SWEEP_LOT = 200


def participants_time_out() -> int:
    """Let go of the active participants who are silent for longer than their study allows. Gives how many.

    Bots and previews too: their slots are their kind's own.
    """
    under_way = Participant.objects.filter(status=Status.ACTIVE).exclude(study__state=StudyState.CLOSED)
    versions = StudyVersion.objects.defer("document", "game_versions")
    gone = 0
    for version in versions.filter(pk__in=under_way.order_by().values("version")):
        silence = version_document(version).limits.silence
        if silence is None:
            continue
        minutes = timedelta(minutes=silence).total_seconds()
        silent = Participant.objects.filter(
            version=version, status=Status.ACTIVE, last_seen_at__lt=database_time_in(-minutes)
        )
        for pk in list(silent.order_by("last_seen_at").values_list("pk", flat=True)[:SWEEP_LOT]):
            gone += participant_time_out(participant_id=pk, silence=silence)
    return gone


def participant_time_out(*, participant_id: int, silence: int) -> bool:
    """Let go of one participant if they are still silent. False: they were heard of meanwhile, or are not active."""
    minutes = timedelta(minutes=silence).total_seconds()
    with transaction.atomic():
        still = Participant.objects.select_for_update().filter(
            pk=participant_id, status=Status.ACTIVE, last_seen_at__lt=database_time_in(-minutes)
        )
        participant = still.first()
        if participant is None:
            return False
        # When they were last seen stays what it was.
        also = {"last_seen_at": participant.last_seen_at}
        status_change(participant=participant, to=Status.TIMED_OUT, cause=Cause.SYSTEM, also=also)
        slot_finish(participant=participant, state=SlotState.LOST)
    return True


def participant_give_back(*, participant: Participant, by: User) -> None:
    """Note that a participant gave their place back. Raises StudyError `state` if they are not active."""
    with transaction.atomic():
        also = {"last_seen_at": participant.last_seen_at}
        status_change(participant=participant, to=Status.RETURNED, cause=Cause.STAFF, by=by, also=also)
        slot_finish(participant=participant, state=SlotState.LOST)
        audit_record(
            actor=by,
            action="participant.returned",
            target=participant,
            label=f"Participant {participant.pk}",
            after={"study": participant.study_id},
        )


def participant_come_back(*, participant: Participant) -> bool:
    """Take somebody in again who was away, with their rounds as they left them.

    False: they were not away, or their time for the study is up.
    Changes `participant` in place. Raises StudyError `closed` if the study is closed.
    """
    if participant.status not in AWAY:
        return False
    if participant.study.state == StudyState.CLOSED:
        raise StudyError("closed", "This study is closed.")
    with transaction.atomic():
        locked = Participant.objects.select_for_update().annotate(clock=Now()).get(pk=participant.pk)
        if locked.status not in AWAY:
            participant.status = locked.status
            return False
        if locked.ends_at is not None and locked.ends_at <= locked.clock:
            return False
        slot = slot_take_again(participant=locked)
        also = {"assignment": slot.number, "finished_at": None}
        status_change(participant=participant, to=Status.ACTIVE, cause=Cause.PARTICIPANT, also=also)
    return True
