"""Pages of a study's results."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.csv_file import csv_response
from playtest.figure import Figure
from playtest.insights.charts import CAPTION
from playtest.insights.selectors import levels as selectors
from playtest.insights.selectors.answers import answers_shown
from playtest.insights.selectors.levels import LevelShown
from playtest.insights.services.playtests import level_playtest, study_playtest
from playtest.insights.who import Who
from playtest.levels.replays import examples_shown
from playtest.levels.services import PlaytestError
from playtest.studies.access import study_or_refuse
from playtest.studies.models import Study
from playtest.studies.selectors.studies import versions_published


@designer_required
@require_safe
def study_results(request: StaffRequest, pk: int) -> HttpResponseBase:
    study = study_or_refuse(request.user, pk)
    who = _who(request)
    levels = selectors.levels_shown(study=study, who=who)
    context = {
        **_shared(study, who),
        "levels": [(level, _figure(study, who, level)) for level in levels],
        "is_missing_some": any(level.needs_playtest for level in levels),
        "has_results": any(level.results.results for level in levels),
        **_answers(request, study, who),
    }
    return render(request, "insights/study_results.html", context)


@designer_required
@require_safe
def level_results(request: StaffRequest, pk: int, boards: str) -> HttpResponseBase:
    study = study_or_refuse(request.user, pk)
    who = _who(request)
    shown = _level_or_404(study, who, boards)
    context = {
        **_shared(study, who),
        "shown": shown,
        "figure": _figure(study, who, shown),
        "rounds": selectors.results_listed(shown),
        "report": shown.report,
        "examples": examples_shown(shown.report) if shown.report else [],
        "is_alone": True,
    }
    return render(request, "insights/level_results.html", context)


@designer_required
@require_safe
def level_live(request: StaffRequest, pk: int, boards: str) -> HttpResponseBase:
    """The part of a page that shows a level, or 304 if the reader has this revision."""
    study = study_or_refuse(request.user, pk)
    who = _who(request)
    shown = _level_or_404(study, who, boards)
    if request.GET.get("rev") == shown.rev:
        return HttpResponse(status=304)
    is_alone = request.GET.get("alone") == "1"
    context = {**_shared(study, who), "shown": shown, "figure": _figure(study, who, shown), "is_alone": is_alone}
    return render(request, "insights/_level.html", context)


@designer_required
@require_POST
def level_playtest_one(request: StaffRequest, pk: int, boards: str) -> HttpResponseBase:
    """Have the personas play a level, then show it where the button was."""
    study = study_or_refuse(request.user, pk)
    shown = _level_or_404(study, Who.PEOPLE, boards)
    try:
        level_playtest(group=shown.results, by=request.user)
    except PlaytestError as error:
        messages.error(request, str(error))
    query = f"?who={_who(request)}"
    if request.POST.get("alone") == "1":
        return redirect(reverse("insights:level_results", args=[pk, boards]) + query)
    return redirect(f"{reverse('insights:study_results', args=[pk])}{query}#{shown.figure_id}-part")


@designer_required
@require_POST
def study_playtest_all(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Have the personas play every level of the study."""
    study = study_or_refuse(request.user, pk)
    try:
        study_playtest(study=study, by=request.user)
    except PlaytestError as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('insights:study_results', args=[pk])}?who={_who(request)}")


@designer_required
@require_safe
def level_csv(request: StaffRequest, pk: int, boards: str) -> HttpResponseBase:
    """Every value behind a figure, as UTF-8 CSV."""
    study = study_or_refuse(request.user, pk)
    shown = _level_or_404(study, _who(request), boards)
    return csv_response(f"{study.slug}-{slugify(shown.name) or 'level'}-scores", selectors.score_lines(shown))


def _who(request: StaffRequest) -> Who:
    """Whose rounds are asked for, in the address or in the form; people and bots apart if it does not say."""
    value = request.POST.get("who") or request.GET.get("who") or Who.APART
    return Who(value) if value in set(Who) else Who.APART


def _figure(study: Study, who: Who, shown: LevelShown) -> Figure | None:
    """The scores of everybody on a level, if anybody has some."""
    if shown.figure is None:
        return None
    return Figure(
        key=shown.figure_id,
        title=f"Scores on {shown.name} ({study.title})",
        spec=shown.figure,
        caption=CAPTION,
        note=shown.note(who),
        csv=f"{reverse('insights:level_csv', args=[study.pk, shown.boards_hash])}?who={who}",
    )


def _level_or_404(study: Study, who: Who, boards: str) -> LevelShown:
    shown = selectors.level_shown(study=study, who=who, wanted=boards)
    if shown is None:
        raise Http404("This study has no such level.")
    return shown


def _answers(request: StaffRequest, study: Study, who: Who) -> dict[str, Any]:
    """The answers of one version, the newest unless another is asked for."""
    versions = list(versions_published(study=study).defer("document", "game_versions"))
    asked = request.GET.get("version", "")
    version = next((one for one in versions if str(one.number) == asked), versions[0] if versions else None)
    if version is None:
        return {}
    return {
        "questions": answers_shown(version=version, who=who),
        "version": version,
        "versions": versions,
        "is_people": who is Who.APART,
    }


def _shared(study: Study, who: Who) -> dict[str, Any]:
    return {"study": study, "who": who, "whos": list(Who)}
