"""Two games on the same boards, side by side."""

from functools import partial

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.beside import beside_context
from playtest.insights.selectors.beside import choices_beside, trace_beside
from playtest.studies.access import study_or_refuse


@designer_required
@require_safe
def beside(request: StaffRequest, pk: int, boards: str) -> HttpResponseBase:
    """Games of participants and agents: `?one=round-12&other=game-3-17`."""
    study = study_or_refuse(request.user, pk)
    find = partial(trace_beside, study=study, boards=boards)
    context = beside_context(request.GET, choices_beside(study=study, boards=boards), find)
    one = context["one"]
    context |= {
        "place": (one.replay.level.name if one else "") or "the same boards",
        "crumbs": [
            (reverse("studies_staff:list"), "Studies"),
            (reverse("studies_staff:detail", args=[pk]), study.title),
            (reverse("insights:study_results", args=[pk]), "Results"),
        ],
    }
    return render(request, "beside.html", context)
