"""Starting, agreeing or declining, and leaving with everything."""

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from engine.rng import SEED_LIMIT
from playtest.studies.choices import Cause, Decision, Kind, SlotState, Status, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.identity import code_draw, public_id_draw, token_draw, token_hash
from playtest.studies.models import (
    Annotation,
    Answer,
    Attempt,
    Consent,
    Event,
    Link,
    Move,
    PageVisit,
    Participant,
    Round,
    Slot,
    Study,
    StudyVersion,
    Transition,
)
from playtest.studies.recruiting import Recruited, query_text
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.links import arrival, plain_refusal
from playtest.studies.services.assignment import participant_assign, slot_finish
from playtest.studies.services.dropouts import participant_come_back
from playtest.studies.services.guesses import guess_allowed
from playtest.studies.services.link_uses import LINK_SAYS, NoUseLeftError, link_give_back, link_take
from playtest.studies.services.total_time import time_begin
from playtest.studies.services.transitions import hint_study, status_change
from playtest.studies.services.withdrawal import day_of, withdrawal_settle

CODE_TRIES = 8
SEEN_LOT = 500
TWICE_WITHIN = timedelta(minutes=10)

BLANK: dict[str, object] = {
    "recruiter": None,
    "recruiter_id": None,
    "token_hash": None,
    "query": None,
    "language": None,
    "seed": None,
    "link": None,
    "code": None,
    "assignment": None,
    "outcome_code": None,
    "ends_at": None,
    "extensions": 0,
    "given_minutes": 0,
    "step": 0,
}
"""What is left of a participant who withdrew: study, version, kind, state, and the days of start and end."""


@dataclass(frozen=True)
class Started:
    """A new participant, and the only copy of the token for the cookie."""

    participant: Participant
    token: str


def participant_start(
    *,
    study: Study,
    kind: Kind,
    language: str = "en",
    query: Mapping[str, Sequence[str]] | None = None,
    recruited: Recruited | None = None,
    link: Link | None = None,
    token: str | None = None,
) -> Started:
    """Begin, or go on as whom the link or the recruiter's id stands for. `query` are parameters, kept as they came.

    `token` is that of a form which may come twice: see `start_token`. Nobody but a person has a recruiter. Raises
    StudyError if somebody new comes and the study or the link is not open.
    """
    again = participant_again(study=study, token=token)
    if again is not None:
        return again
    by = recruited if kind == Kind.PERSON and recruited is not None and recruited.id is not None else None
    resumed = participant_resume(study=study, recruited=by, link=link)
    if resumed is not None:
        return resumed
    if study.published is None or study.state == StudyState.DRAFT:
        raise StudyError("draft", "This study is not open yet.")
    if study.state != StudyState.OPEN:
        raise StudyError("not_open", "This study takes no new participants at the moment.")
    refusal = plain_refusal(study) if kind == Kind.PERSON and link is None else None
    if refusal is not None:
        raise StudyError(refusal.value, LINK_SAYS[refusal])
    return participant_insert(
        study=study,
        version=study.published,
        kind=kind,
        language=language,
        query=query,
        recruited=by,
        link=link,
        token=token,
    )


def participant_again(*, study: Study, token: str | None) -> Started | None:
    """Who began by the same form a moment ago: a button was pressed twice. Later it may be somebody else."""
    if token is None:
        return None
    lately = Participant.objects.select_related("study", "version").filter(
        study=study, token_hash=token_hash(token), started_at__gte=timezone.now() - TWICE_WITHIN
    )
    known = lately.exclude(status=Status.WITHDRAWN).first()
    return None if known is None else Started(known, token)


def participant_resume(*, study: Study, recruited: Recruited | None, link: Link | None = None) -> Started | None:
    """Whom the link or the recruiter's id stands for, with a new token; that of the earlier device is worth nothing.

    None if somebody new comes. Raises StudyError if the link lets nobody new in, and `guesses` if too many came by ids.
    """
    found = arrival(study=study, link=link, recruited=recruited)
    if found.refusal is not None:
        raise StudyError(found.refusal.value, LINK_SAYS[found.refusal])
    if found.known is None:
        return None
    if found.by_id is not None and not guess_allowed(study=study, recruited=found.by_id):
        raise StudyError("guesses", "Too many people go on by their ids at the moment.")
    token = token_draw()
    # Who withdraws at this moment gets no token.
    own = Participant.objects.filter(pk=found.known.pk).exclude(status=Status.WITHDRAWN)
    if not own.update(token_hash=token_hash(token)):
        return None
    found.known.token_hash = token_hash(token)
    if study.state != StudyState.CLOSED:
        participant_come_back(participant=found.known)
    return Started(found.known, token)


def participant_insert(
    *,
    study: Study,
    version: StudyVersion,
    kind: Kind,
    language: str,
    query: Mapping[str, Sequence[str]] | None,
    recruited: Recruited | None = None,
    link: Link | None = None,
    token: str | None = None,
) -> Started:
    """A new participant on a version, with a use of the link. Whether anybody may start is for the caller to know.

    If a form, the link of one person or the recruiter's id arrives twice at once, both get the one participant.
    """
    form_token, token = token, token or token_draw()
    for _ in range(CODE_TRIES):
        now = timezone.now()
        try:
            with transaction.atomic():
                # The first write: whoever comes by the same link waits here, and sees whether a use is left.
                if link is not None:
                    link_take(link)
                participant = Participant.objects.create(
                    public_id=public_id_draw(),
                    study=study,
                    version=version,
                    link=link,
                    kind=kind,
                    code=code_draw(),
                    token_hash=token_hash(token),
                    seed=secrets.randbelow(SEED_LIMIT),
                    language=language[:16],
                    recruiter=recruited.recruiter if recruited else None,
                    recruiter_id=recruited.id if recruited else None,
                    query=query_text(query or {}),
                    started_at=now,
                    last_seen_at=now,
                )
                Transition.objects.create(
                    participant=participant,
                    number=1,
                    from_status=None,
                    to_status=Status.STARTED,
                    at=now,
                    cause=Cause.PARTICIPANT,
                )
                hint_study(study.pk)
        except (IntegrityError, NoUseLeftError):
            if link is not None:
                link.refresh_from_db()
            again = participant_again(study=study, token=form_token)
            if again is not None:
                return again
            # Somebody with the same id or link was faster, or the link is over: then this raises, and says why.
            resumed = participant_resume(study=study, recruited=recruited, link=link)
            if resumed is not None:
                return resumed
            # The short code was taken, about once in 10^8 starts, or the form is an old one: draw both anew.
            token = token_draw()
            continue
        return Started(participant, token)
    raise StudyError("busy", "No free code was found. Please try again.")


def participants_seen(*, participant_ids: Collection[int], at: datetime) -> None:
    """Note when these were last heard of; for the monitor only. In lots, so that no player waits for it."""
    keys = sorted(participant_ids)
    for start in range(0, len(keys), SEEN_LOT):
        own = Participant.objects.filter(pk__in=keys[start : start + SEEN_LOT])
        own.exclude(status=Status.WITHDRAWN).update(last_seen_at=at)


def consent_decide(*, participant: Participant, agree: bool) -> None:
    """Record the decision; who agrees gets a slot and all rounds. A second click finds the first decision."""
    status = Status(participant.status)
    if status == Status.ACTIVE and agree:
        return
    if status == Status.DECLINED and not agree:
        return
    if status not in {Status.STARTED, Status.DECLINED}:
        raise StudyError("state", "This was decided before.")
    page = version_document(participant.version).consent
    words = json.dumps([page.title, page.text, page.agree])
    with transaction.atomic():
        target = Status.CONSENTED if agree else Status.DECLINED
        also = {"step": 1} if agree else None
        status_change(participant=participant, to=target, cause=Cause.PARTICIPANT, also=also)
        Consent.objects.create(
            version=participant.version,
            version_hash=participant.version.hash,
            text_hash=hashlib.sha256(words.encode()).hexdigest(),
            language=participant.language or "en",
            decision=Decision.AGREED if agree else Decision.DECLINED,
            at=timezone.now(),
            participant=participant,
        )
        if agree:
            participant_assign(participant=participant)
            status_change(participant=participant, to=Status.ACTIVE, cause=Cause.SYSTEM)
            time_begin(participant=participant)


def participant_withdraw(*, participant: Participant) -> None:
    """Stop and delete: everything that was played, answered or logged goes, an empty row stays for the count.

    The change of state comes first. A move on its way then finds no open round, so its fence fails.
    """
    now = timezone.now()
    link_id = participant.link_id
    with transaction.atomic():
        status_change(participant=participant, to=Status.WITHDRAWN, cause=Cause.PARTICIPANT, also=BLANK)
        link_give_back(link_id)
        own = {"participant": participant}
        rounds = Round.objects.filter(**own)
        # Waits for moves that are just being written; whoever comes later waits for this and finds no round.
        list(rounds.select_for_update().values_list("pk"))
        Move.objects.filter(round__in=rounds).delete()
        Attempt.objects.filter(round__in=rounds).delete()
        Event.objects.filter(**own).delete()
        Answer.objects.filter(**own).delete()
        PageVisit.objects.filter(**own).delete()
        Annotation.objects.filter(**own).delete()
        rounds.delete()
        slot_finish(participant=participant, state=SlotState.LOST)
        Slot.objects.filter(**own).update(participant=None)
        for consent in Consent.objects.filter(**own):
            blank = Consent.blanking().filter(pk=consent.pk)
            blank.update(at=day_of(consent.at), withdrawn_at=day_of(now), participant=None)
        states = list(Transition.objects.filter(**own).order_by("number"))
        for step in states:
            Transition.blanking().filter(pk=step.pk).update(at=day_of(step.at))
        Participant.objects.filter(pk=participant.pk).update(
            started_at=day_of(participant.started_at), last_seen_at=day_of(now), finished_at=None
        )
        withdrawal_settle(participant=participant, states=states)
    participant.refresh_from_db()
