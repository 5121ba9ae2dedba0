"""The page "People and personas" of a study and of each of its levels."""

import csv
import io
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.insights.report.filters import Filters, Flagged, Outcome, Who
from playtest.insights.selectors.opinions import opinions_shown
from playtest.insights.services.figures import sections_ensure
from playtest.insights.services.opinions import opinions_request
from playtest.studies.access import study_or_refuse
from playtest.studies.models import Study
from playtest.studies.selectors.studies import version_numbers


@designer_required
@require_safe
def people(request: StaffRequest, pk: int, boards: str | None = None) -> HttpResponseBase:
    """Every section, of the whole study or of one level."""
    study = study_or_refuse(request.user, pk)
    versions = version_numbers(study=study)
    filters = Filters.read(request.GET, versions)
    document = _document(study, filters, versions, boards)
    context = {
        "study": study,
        "filters": filters,
        "versions": versions,
        "whos": list(Who),
        "outcomes": list(Outcome),
        "flags": list(Flagged),
        "boards": boards,
        "document": document,
        "opinions": opinions_shown(study=study),
        "csv_base": _address(study, boards),
    }
    return render(request, "insights/people.html", context)


@designer_required
@require_safe
def section_csv(request: StaffRequest, pk: int, key: str, boards: str | None = None) -> HttpResponseBase:
    """The numbers of one section with every digit, as UTF-8 CSV."""
    study = study_or_refuse(request.user, pk)
    versions = version_numbers(study=study)
    document = _document(study, Filters.read(request.GET, versions), versions, boards)
    section = next((one for one in document["sections"] if one["key"] == key), None)
    if section is None:
        raise Http404("This page has no such part.")
    text = io.StringIO(newline="")
    csv.writer(text).writerows(section["lines"])
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    name = "-".join([study.slug, *([slugify(document["title"]) or "level"] if boards else []), key])
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@designer_required
@require_safe
def opinions_live(request: StaffRequest, pk: int) -> HttpResponseBase:
    """How far the opinions are, or 304 if the reader has this revision."""
    study = study_or_refuse(request.user, pk)
    shown = opinions_shown(study=study)
    if request.GET.get("rev") == shown.rev:
        return HttpResponse(status=304)
    return render(request, "insights/_opinions.html", {"study": study, "opinions": shown, "next": _next(request)})


@designer_required
@require_POST
def opinions_ask(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Have the personas look at every finished round that they have not looked at yet."""
    study = study_or_refuse(request.user, pk)
    opinions_request(study=study, by=request.user)
    return redirect(_next(request) or reverse("insights:people", args=[pk]))


def _next(request: HttpRequest) -> str:
    """Where the reader came from: a page of this kind, nothing else."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    return wanted if wanted.startswith("/staff/studies/") and "\\" not in wanted and wanted.isprintable() else ""


def _address(study: Study, boards: str | None) -> str:
    return (
        reverse("insights:people", args=[study.pk])
        if boards is None
        else reverse("insights:level_people", args=[study.pk, boards])
    )


def _document(study: Study, filters: Filters, versions: list[int], boards: str | None) -> dict[str, Any]:
    document = sections_ensure(study=study, filters=filters, versions=versions, only=boards)
    if document["title"] is None:
        raise Http404("This study has no such level.")
    return document
