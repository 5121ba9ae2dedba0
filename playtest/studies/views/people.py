"""Staff pages of those who take part: one participant, one round played back, and what figures count.

Owner and admins look; which person of a recruiting service somebody is, admins see alone.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.levels.advice import advisers
from playtest.studies.access import study_or_refuse
from playtest.studies.choices import AWAY, Purpose, RoundState, Status, Use
from playtest.studies.errors import StudyError
from playtest.studies.models import Participant, Round, Study
from playtest.studies.selectors import person as selectors
from playtest.studies.selectors.annotations import NONE_DECIDED, decisions_read
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.outcomes import outcome_of
from playtest.studies.selectors.replays import round_replay
from playtest.studies.services.annotations import LIMIT_REASON, use_decide
from playtest.studies.services.dropouts import participant_give_back
from playtest.studies.services.total_time import MOST_GIVEN, total_give
from playtest.studies.services.voids import round_again, round_void

UNDER_WAY = AWAY | {Status.ACTIVE}
"""Who may still play, or come back to it."""

STATUS_BADGES = {
    Status.ACTIVE: "badge--live",
    Status.COMPLETED: "badge--ok",
    Status.TIMED_OUT: "badge--warn",
    Status.RETURNED: "badge--warn",
    Status.SCREENED_OUT: "badge--warn",
}


@designer_required
@require_safe
def participant_detail(request: StaffRequest, pk: int, one: int) -> HttpResponseBase:
    study = study_opened(request, pk)
    participant = _participant(study, one)
    context = {
        **_shared(study, participant),
        "person": selectors.person_shown(participant),
        "ended": outcome_of(participant),
        "may_see_recruiter": selectors.recruiter_is_visible(request.user),
        "limit_reason": LIMIT_REASON,
    }
    return render(request, "studies/staff/participant.html", context)


@designer_required
@require_POST
def participant_use_post(request: StaffRequest, pk: int, one: int) -> HttpResponseBase:
    """Leave the participant, or one round, out of the figures; or take in again."""
    study = study_opened(request, pk)
    participant = _participant(study, one)
    row = _round(participant, request.POST["round"]) if request.POST.get("round") else None
    use = Use.INCLUDE if request.POST.get("use") == Use.INCLUDE.label else Use.EXCLUDE
    try:
        use_decide(participant=participant, row=row, use=use, reason=request.POST.get("reason", ""), by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        what = "The participant" if row is None else f"Round {row.position}"
        counted = "counts again" if use == Use.INCLUDE else "is left out of the figures; nothing was deleted"
        messages.success(request, f"{what} {counted}.")
    page = reverse("studies_staff:participant", args=[pk, one])
    return redirect(page if row is None else f"{page}#round-{row.pk}")


@designer_required
@require_POST
def participant_returned_post(request: StaffRequest, pk: int, one: int) -> HttpResponseBase:
    """Note that the participant gave their place back: the next one gets it."""
    study = study_opened(request, pk)
    participant = _participant(study, one)
    try:
        participant_give_back(participant=participant, by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, "Their place goes to the next one. What they did is kept, and they may still come back."
        )
    return redirect("studies_staff:participant", pk, one)


@designer_required
@require_POST
def round_void_post(request: StaffRequest, pk: int, one: int, round_pk: int) -> HttpResponseBase:
    """Declare a round void, with a new attempt or without; or grant one at a round that is void already."""
    participant = _participant(study_opened(request, pk), one)
    row = _round(participant, str(round_pk))
    again = bool(request.POST.get("again"))
    try:
        if row.state == RoundState.VOID and again:
            round_again(row=row, by=request.user)
        else:
            round_void(row=row, reason=request.POST.get("reason", ""), again=again, by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        more = "They get a new attempt at it when they come back." if again else "They go on with what comes next."
        messages.success(request, f"Round {row.position} is void; what was played is kept. {more}")
    return redirect(f"{reverse('studies_staff:participant', args=[pk, one])}#round-{row.pk}")


@designer_required
@require_POST
def participant_time_post(request: StaffRequest, pk: int, one: int) -> HttpResponseBase:
    """Give the participant more time for the study."""
    study = study_opened(request, pk)
    participant = _participant(study, one)
    try:
        total_give(participant=participant, minutes=whole_number(request.POST.get("minutes", "")), by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "They have more time now, and may come back if theirs was up.")
    return redirect("studies_staff:participant", pk, one)


@designer_required
@require_safe
def round_replay_page(request: StaffRequest, pk: int, one: int, round_pk: int) -> HttpResponseBase:
    study = study_opened(request, pk)
    participant = _participant(study, one)
    row = _round(participant, str(round_pk))
    replay = round_replay(row)
    context = {
        **_shared(study, participant),
        "row": row,
        "name": selectors.round_title(version_document(participant.version), row),
        "is_practice": row.purpose == Purpose.PRACTICE,
        "state": str(RoundState(row.state).label),
        "decided": decisions_read(participant_ids=[participant.pk]).get(participant.pk, NONE_DECIDED).of_round(row.pk),
        "replay": replay,
        "document": replay.to_json(),
        "advisers": advisers(replay.level.game),
        "neighbours": _neighbours(row),
    }
    return render(request, "studies/staff/replay.html", context)


def study_opened(request: StaffRequest, pk: int) -> Study:
    """The study, for its owner and admins."""
    return study_or_refuse(request.user, pk, Study.objects.defer("draft"))


def status_shown(status: Status) -> dict[str, str]:
    """The word and the badge of a state."""
    words = str(status.label).replace("_", " ").capitalize()
    return {"words": words, "badge": STATUS_BADGES.get(status, "badge--muted")}


def whole_number(text: str) -> int:
    """A number of a form; 0, which none of them allows, for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _participant(study: Study, pk: int) -> Participant:
    participant = selectors.participant_of(study=study, pk=pk)
    if participant is None:
        raise Http404("This study has no such participant.")
    return participant


def _round(participant: Participant, text: str) -> Round:
    row = selectors.round_of(participant=participant, pk=int(text)) if text.isdecimal() and len(text) < 19 else None
    if row is None:
        raise Http404("This participant has no such round.")
    return row


def _shared(study: Study, participant: Participant) -> dict[str, Any]:
    return {
        "study": study,
        "participant": participant,
        "who": participant.code or f"No. {participant.pk}",
        "status": status_shown(Status(participant.status)),
        "is_gone": participant.status == Status.WITHDRAWN,
        "is_under_way": participant.status in UNDER_WAY,
        "may_give_back": participant.status == Status.ACTIVE,
        "may_get_time": participant.ends_at is not None and participant.status in UNDER_WAY,
        "most_minutes": MOST_GIVEN,
    }


def _neighbours(row: Round) -> dict[str, Round | None]:
    """The rounds that were played before and after."""
    rounds = list(
        Round.objects.filter(participant_id=row.participant_id, seq__gt=0)
        .only("pk", "participant_id", "purpose", "position", "attempt")
        .order_by("purpose", "position", "attempt")
    )
    place = next((index for index, one in enumerate(rounds) if one.pk == row.pk), None)
    if place is None:
        return {"before": None, "after": None}
    return {
        "before": rounds[place - 1] if place else None,
        "after": rounds[place + 1] if place + 1 < len(rounds) else None,
    }
