"""The time of a round: when it ends, more of it on request, and the end itself where nobody makes a move any more.

All of it is by the database's clock and stored with the round, so that it survives a restart of the server. Whether a
move came in time is decided when it arrives, by the process that plays the round (`play/rounds.py`).
"""

import json
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from playtest.clock import database_time_in
from playtest.studies.choices import EndReason, EventKind, RoundState, Status
from playtest.studies.document import RoundLimit
from playtest.studies.models import Event, Participant, Round
from playtest.studies.services.completion import participant_complete_if_due
from playtest.studies.services.transitions import hint_study

GRACE_SECONDS = 5.0
"""How long after the end a round is left to the process that plays it: a move that came in time may be on its way."""

SWEEP_LOT = 200


def round_extend(*, round_id: int, epoch: int, limit: RoundLimit) -> bool:
    """Give the participant more time, once more. False: they had it as often as they may, or the round is over."""
    with transaction.atomic():
        own = Round.objects.filter(
            pk=round_id, play_epoch=epoch, state=RoundState.OPEN, extensions__lt=limit.more_times, ends_at__gt=Now()
        )
        changed = own.update(
            ends_at=F("ends_at") + timedelta(seconds=limit.more_seconds), extensions=F("extensions") + 1
        )
        if not changed:
            return False
        row = Round.objects.only("participant_id", "extensions").get(pk=round_id)
        Event.objects.create(
            participant_id=row.participant_id,
            round_id=round_id,
            kind=EventKind.MORE_TIME,
            received_at=timezone.now(),
            conn=epoch,
            data=json.dumps({"seconds": limit.more_seconds, "times": row.extensions}, separators=(",", ":")),
        )
    return True


def round_time_out(*, round_id: int, grace: float = 0.0) -> bool:
    """End a round whose time is up. False: it is not, or the round is over already."""
    late = Round.objects.filter(pk=round_id, state=RoundState.OPEN, ends_at__lte=database_time_in(-grace))
    if not late.update(state=RoundState.DONE, reason=EndReason.TIME, ended_at=F("ends_at")):
        return False
    for study_id in Participant.objects.filter(rounds=round_id).values_list("study_id", flat=True):
        hint_study(study_id)
    return True


def rounds_time_out() -> int:
    """End the rounds whose time is up and that no process plays any more. Gives how many.

    Who has done everything by that is completed: nothing is left for them to come back for.
    """
    late = Round.objects.filter(
        state=RoundState.OPEN, ends_at__lte=database_time_in(-GRACE_SECONDS), participant__status=Status.ACTIVE
    )
    ended = 0
    for round_id, participant_id in list(late.order_by("ends_at").values_list("pk", "participant_id")[:SWEEP_LOT]):
        if round_time_out(round_id=round_id, grace=GRACE_SECONDS):
            ended += 1
            participant_complete_if_due(participant_id=participant_id)
    return ended
