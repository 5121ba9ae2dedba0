"""The last pages: what somebody is told and given when it is over, and the way on to where they came from."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from playtest.studies.choices import Kind, StudyState
from playtest.studies.models import Participant, Study
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.outcomes import outcome_of
from playtest.studies.selectors.steps import step_due
from playtest.studies.selectors.time_left import study_time_of
from playtest.studies.services.completion import participant_complete
from playtest.studies.services.total_time import total_extend, total_time_out
from playtest.studies.views.participant import participant_page


@require_safe
@participant_page
def end(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """How it ended, with text, codes and the way on. Shown again it is the same, however often.

    If the last step was not confirmed, which only a fault between two writes leaves, a button does it first.
    """
    step = step_due(participant)
    if step.kind == "end":
        return render(request, "studies/finish.html", {"study": study, "participant": participant, "page": step.page})
    if step.kind not in {"done", "ended", "away"}:
        return redirect("studies:next", study.public_id)
    context = {
        "study": study,
        "participant": participant,
        "page": step.page,
        "ended": outcome_of(participant),
        "may_come_back": step.kind == "away" and study.state != StudyState.CLOSED,
    }
    return render(request, "studies/end.html", context)


@require_POST
@participant_page
def time_left(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """How much time is left for the study, more of it for who asks for that, and the end where it is up.

    For the script of the pages as JSON: milliseconds left, and how often more may be asked for. Null: no time runs.
    """
    limit = version_document(participant.version).limits.total
    is_extended = False
    if limit is not None and "more" in request.POST:
        is_extended = total_extend(participant=participant, limit=limit)
    if total_time_out(participant_id=participant.pk):
        participant.refresh_from_db(fields=["status"])
    if "script" not in request.POST:
        return redirect("studies:next", study.public_id)
    time = study_time_of(participant)
    left = None if time is None else {"left_ms": time.left_ms, "more_left": time.more_left}
    return JsonResponse({"time": left, "extended": is_extended})


@require_POST
@participant_page
def finish(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    if step_due(participant).kind == "end" and participant_complete(participant=participant):
        context = {"study": study, "participant": participant, "failed": True}
        return render(request, "studies/finish.html", context, status=409)
    return redirect("studies:next", study.public_id)


@require_safe
@participant_page
def leave(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """On to the address of the study for this outcome, which is checked once more. Nothing of the request is in it.

    Who has not ended is sent to what is due. Bots and previews stay here: they are shown where people go.
    """
    ended = outcome_of(participant)
    if ended is None or not ended.url:
        return redirect("studies:next", study.public_id)
    if participant.kind != Kind.PERSON:
        return render(request, "studies/left.html", {"study": study, "participant": participant, "ended": ended})
    return HttpResponseRedirect(ended.url)
