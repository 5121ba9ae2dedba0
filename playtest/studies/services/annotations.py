"""Leaving a participant or a round out of the figures, and taking them in again. Nothing is ever deleted by it."""

from django.db import transaction
from django.utils import timezone

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.choices import RoundState, Status, Use
from playtest.studies.errors import StudyError
from playtest.studies.models import Annotation, Participant, Round
from playtest.studies.services.transitions import hint_study

LIMIT_REASON = 1_000


def use_decide(*, participant: Participant, row: Round | None, use: Use, reason: str, by: User | None) -> Annotation:
    """Decide whether figures count a participant, or one round of theirs. The earlier decision stays as history.

    Raises StudyError without a reason, for a round of somebody else, for who withdrew, and if nothing would change.
    """
    reason = reason_checked(reason)
    if row is not None and row.participant_id != participant.pk:
        raise StudyError("round", "That round was played by somebody else.")
    with transaction.atomic():
        # One decision at a time: whoever comes second sees what the first decided.
        locked = Participant.objects.select_for_update().get(pk=participant.pk)
        if locked.status == Status.WITHDRAWN:
            raise StudyError("withdrawn", "This participant withdrew: nothing is left that figures could count.")
        if row is not None and Round.objects.filter(pk=row.pk, state=RoundState.VOID).exists():
            raise StudyError("void", "This round is void: no figure counts it.")
        before = holding(locked, row)
        if (before.use if before else Use.INCLUDE) == use:
            words = "is left out already" if use == Use.EXCLUDE else "counts already"
            raise StudyError("same", f"The {'participant' if row is None else 'round'} {words}.")
        made = annotation_write(participant=locked, row=row, use=use, reason=reason, by=by)
        # The reason may speak of the person: it goes with their data, while the log stays.
        audit_record(
            actor=by,
            action=f"participant.{use.label}" if row is None else f"round.{use.label}",
            target=locked if row is None else row,
            label=f"Participant {locked.pk}" if row is None else f"Participant {locked.pk}, round {row.label}",
            after={"study": locked.study_id, "annotation": made.pk},
        )
        hint_study(locked.study_id)
    return made


def reason_checked(reason: str) -> str:
    """A reason without blanks around it.

    Raises StudyError `reason` without one, for one that is too long, and for NUL, which PostgreSQL cannot keep.
    """
    reason = reason.strip()
    if not reason:
        raise StudyError("reason", "Please say why, in a few words: whoever reads the figures later will ask.")
    if len(reason) > LIMIT_REASON:
        raise StudyError("reason", f"A reason has at most {LIMIT_REASON:,} characters; this one has {len(reason):,}.")
    if "\0" in reason:
        raise StudyError("reason", "The reason holds a character that cannot be stored.")
    return reason


def holding(participant: Participant, row: Round | None) -> Annotation | None:
    """The decision that holds."""
    return Annotation.objects.filter(participant=participant, round=row, superseded_by__isnull=True).first()


def annotation_write(
    *, participant: Participant, row: Round | None, use: Use, reason: str, by: User | None
) -> Annotation:
    """Note a decision in the place of the one that held. In a transaction that has locked the participant."""
    before = holding(participant, row)
    if before is not None:
        Annotation.superseding().filter(pk=before.pk).update(superseded_by=before.pk)
    made = Annotation.objects.create(
        participant=participant, round=row, use=use, reason=reason, by=by, at=timezone.now()
    )
    if before is not None:
        Annotation.superseding().filter(pk=before.pk).update(superseded_by=made.pk)
    return made
