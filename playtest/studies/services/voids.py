"""Rounds that staff declare void, as after a fault of a machine, and new attempts at them.

What was played stays in the data. A void round counts in no figure and nobody plays on in it; its participant goes on
with the next round, or plays it once more where staff grant that.
"""

from django.db import transaction
from django.db.models import DateTimeField, F, Max, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from engine.game import get_game
from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.choices import AWAY, BEGUN, Purpose, RoundState, Status, Use
from playtest.studies.errors import StudyError
from playtest.studies.models import Participant, Round
from playtest.studies.services.annotations import annotation_write, reason_checked
from playtest.studies.services.completion import participant_complete_if_due
from playtest.studies.services.transitions import hint_study


def round_void(*, row: Round, reason: str, again: bool, by: User) -> Round | None:
    """Declare a round void, and with `again` grant a new attempt at it, which is given back.

    Raises StudyError without a reason, for practice, for a round that nobody began or that is void already, and for a
    new attempt of somebody who came to an end.
    """
    reason = reason_checked(reason)
    with transaction.atomic():
        participant = Participant.objects.select_for_update().get(pk=row.participant_id)
        # A move that is just being written is waited for; one that comes later finds another epoch and no open round.
        locked = Round.objects.select_for_update().filter(pk=row.pk).first()
        if locked is None or locked.purpose != Purpose.SCORED:
            raise StudyError("round", "Only rounds that count can be void.")
        if locked.state not in BEGUN:
            raise StudyError("state", "This round is void already, or nobody began it.")
        now = Value(timezone.now(), output_field=DateTimeField())
        Round.objects.filter(pk=locked.pk).update(
            state=RoundState.VOID, play_epoch=F("play_epoch") + 1, ended_at=Coalesce(F("ended_at"), now)
        )
        made = annotation_write(participant=participant, row=locked, use=Use.EXCLUDE, reason=reason, by=by)
        # As where something is left out, the reason stands with the person's data and not in the log.
        audit_record(
            actor=by,
            action="round.void",
            target=locked,
            label=f"Participant {participant.pk}, round {locked.label}",
            after={"study": participant.study_id, "annotation": made.pk},
        )
        locked.state = RoundState.VOID
        new = round_grant(participant=participant, row=locked, by=by) if again else None
        hint_study(participant.study_id)
    # It may have been the last thing that was left to do.
    participant_complete_if_due(participant_id=participant.pk)
    row.refresh_from_db()
    return new


def round_again(*, row: Round, by: User) -> Round:
    """Grant a new attempt at a round that is void. Raises StudyError where that cannot be."""
    with transaction.atomic():
        participant = Participant.objects.select_for_update().get(pk=row.participant_id)
        locked = Round.objects.select_for_update().get(pk=row.pk)
        new = round_grant(participant=participant, row=locked, by=by)
        hint_study(participant.study_id)
    return new


def round_grant(*, participant: Participant, row: Round, by: User) -> Round:
    """Plan the next attempt at a void round: the same level, by the rules of today. The participant is locked."""
    if participant.status != Status.ACTIVE and participant.status not in AWAY:
        raise StudyError("ended", "This participant came to an end, so they cannot play the round once more.")
    own = Round.objects.filter(participant=participant, purpose=Purpose.SCORED, position=row.position)
    last = own.aggregate(last=Max("attempt"))["last"]
    if row.purpose != Purpose.SCORED or row.state != RoundState.VOID or row.attempt != last:
        raise StudyError("state", "A new attempt is for a round that is void, and for its last attempt.")
    new = Round.objects.create(
        participant=participant,
        kind=row.kind,
        purpose=row.purpose,
        position=row.position,
        attempt=row.attempt + 1,
        key=row.key,
        level_version_id=row.level_version_id,
        level=row.level,
        level_hash=row.level_hash,
        game=row.game,
        game_version=get_game(row.game).info.version,
        seed=row.seed,
    )
    audit_record(
        actor=by,
        action="round.again",
        target=new,
        label=f"Participant {participant.pk}, round {new.label}",
        after={"study": participant.study_id, "void": row.label},
    )
    return new
