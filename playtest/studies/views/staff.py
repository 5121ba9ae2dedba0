"""Staff pages of studies: the list, and a study with how far its participants came. For its owner and admins."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.studies.access import study_or_refuse
from playtest.studies.choices import Kind, RoundState, Status, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.models import Study
from playtest.studies.selectors import staff as selectors
from playtest.studies.selectors.participants import ParticipantRow, participants_listed, participants_with_scores
from playtest.studies.services.studies import study_set_state

PAGE_SIZE = 50
STATUS_BADGES = {
    Status.ACTIVE: "badge--live",
    Status.COMPLETED: "badge--ok",
    Status.TIMED_OUT: "badge--warn",
    Status.RETURNED: "badge--warn",
    Status.SCREENED_OUT: "badge--warn",
}
STATE_BADGES = {StudyState.OPEN: "badge--ok", StudyState.PAUSED: "badge--warn"}
NEXT_STATES = {
    StudyState.OPEN: [(StudyState.PAUSED, "Pause recruiting")],
    StudyState.PAUSED: [(StudyState.OPEN, "Open again")],
}
"""What a button offers; closing is for ever and waits for the page that explains it."""


@designer_required
@require_safe
def study_list(request: StaffRequest) -> HttpResponseBase:
    rows = [
        {"row": row, "state": _state(row.study), "entry": _entry_url(request, row.study)}
        for row in selectors.studies_listed(user=request.user)
    ]
    return render(request, "studies/staff/list.html", {"rows": rows})


@designer_required
@require_safe
def study_detail(request: StaffRequest, pk: int) -> HttpResponseBase:
    study = _study(request, pk)
    return render(request, "studies/staff/detail.html", _detail_context(request, study))


@designer_required
@require_safe
def study_live(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The part of the page that shows participants, or 304 if the reader has this revision."""
    study = _study(request, pk)
    if request.GET.get("rev") == selectors.study_rev(study=study):
        return HttpResponse(status=304)
    return render(request, "studies/staff/_participants.html", _detail_context(request, study))


@designer_required
@require_POST
def study_state_post(request: StaffRequest, pk: int) -> HttpResponseBase:
    study = study_or_refuse(request.user, pk)
    allowed = {str(state.label): state for state, _ in NEXT_STATES.get(StudyState(study.state), [])}
    wanted = allowed.get(request.POST.get("state", ""))
    if wanted is None:
        messages.error(request, "Meanwhile the study was changed in another window. Nothing was done.")
        return redirect("studies_staff:detail", pk=pk)
    try:
        study_set_state(study=study, state=wanted, by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        said = {
            StudyState.PAUSED: "The study is paused: nobody new can start. Who is under way can finish.",
            StudyState.OPEN: "The study is open.",
        }
        messages.success(request, said[wanted])
    return redirect("studies_staff:detail", pk=pk)


def _study(request: StaffRequest, pk: int) -> Study:
    studies = Study.objects.select_related("published", "owner")
    unread = ("draft", "removed", "published__document", "published__game_versions")
    return study_or_refuse(request.user, pk, studies.defer(*unread))


def _detail_context(request: StaffRequest, study: Study) -> dict[str, Any]:
    everybody = participants_listed(study=study, kinds=tuple(Kind))
    page = Paginator(everybody, PAGE_SIZE).get_page(request.GET.get("page"))
    return {
        "study": study,
        "state": _state(study),
        "entry": _entry_url(request, study),
        "origin": request.build_absolute_uri("/").rstrip("/"),
        "next_states": NEXT_STATES.get(StudyState(study.state), []),
        "versions": selectors.versions_listed(study=study),
        "funnels": selectors.funnels(study=study),
        "page": page,
        "participants": [_participant(row) for row in participants_with_scores(page)],
        "rev": selectors.study_rev(study=study),
        "is_watched": study.state in (StudyState.OPEN, StudyState.PAUSED),
    }


def _state(study: Study) -> dict[str, str]:
    state = StudyState(study.state)
    return {"label": str(state.label).capitalize(), "badge": STATE_BADGES.get(state, "badge--muted")}


def _participant(row: ParticipantRow) -> dict[str, Any]:
    """A participant as a row of the table shows them."""
    last_attempts = {one.position: one for one in row.rounds}
    return {
        "row": row,
        "is_bot": row.kind == Kind.BOT,
        "is_preview": row.kind == Kind.PREVIEW,
        "is_withdrawn": row.status == Status.WITHDRAWN,
        "status": str(row.status.label).replace("_", " "),
        "badge": STATUS_BADGES.get(row.status, "badge--muted"),
        "done": sum(one.state == RoundState.DONE for one in last_attempts.values()),
        "of": len(last_attempts),
        "rounds": [
            {
                "name": one.level_name,
                "score": one.score if one.state in (RoundState.DONE, RoundState.OPEN) else None,
                "is_open": one.state == RoundState.OPEN,
            }
            for one in last_attempts.values()
        ],
    }


def _entry_url(request: StaffRequest, study: Study) -> str:
    """The address that participants are given, or nothing before the first version."""
    if study.published_id is None:
        return ""
    return request.build_absolute_uri(reverse("studies:entry", args=[study.public_id]))
