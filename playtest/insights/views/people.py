"""The page "People and personas" of a study and of each of its levels."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.csv_file import csv_response
from playtest.drawing import DrawingError
from playtest.figure import Figure
from playtest.insights.report.filters import Filters, Flagged, Outcome
from playtest.insights.selectors.opinions import opinions_shown
from playtest.insights.services.figures import sections_ensure
from playtest.insights.services.opinions import opinions_request
from playtest.insights.who import AS_ONE
from playtest.levels.thumbnails import board_svg
from playtest.report_file import figures_drawn, report_response
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
        "whos": AS_ONE,
        "outcomes": list(Outcome),
        "flags": list(Flagged),
        "boards": boards,
        "file": f"{_address(study, boards)}report.html?{filters.query}",
        "document": document,
        "sections": _with_figures(document, study, filters, boards),
        "opinions": opinions_shown(study=study),
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
    name = "-".join([study.slug, *([slugify(document["title"]) or "level"] if boards else []), key])
    return csv_response(name, section["lines"])


@designer_required
@require_safe
def people_file(request: StaffRequest, pk: int, boards: str | None = None) -> HttpResponseBase:
    """The whole page as one file that needs no site: of a study with all its levels, or of one level."""
    study = study_or_refuse(request.user, pk)
    versions = version_numbers(study=study)
    filters = Filters.read(request.GET, versions)
    document = _document(study, filters, versions, boards)
    pages = [(boards, document)]
    if boards is None:
        pages += [(level["hash"], _document(study, filters, versions, level["hash"])) for level in document["levels"]]
    parts = [_part(study, filters, document, of, is_alone=boards is not None) for of, document in pages]
    try:
        drawn = iter(figures_drawn([figure for part in parts for _, _, figure in part["sections"]]))
    except DrawingError as error:
        messages.error(request, str(error))
        return redirect(f"{_address(study, boards)}?{filters.query}")
    for part in parts:
        part["sections"] = [(section, csv, next(drawn)) for section, csv, _ in part["sections"]]
    context = {
        "study": study,
        "title": document["title"],
        "note": document["note"],
        "is_study": boards is None,
        "parts": parts,
    }
    name = "-".join([study.slug, *([slugify(document["title"]) or "level"] if boards else []), "people-and-personas"])
    return report_response(request, "insights/report_file.html", context, name=name)


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
    if boards is None:
        return reverse("insights:people", args=[study.pk])
    return reverse("insights:level_people", args=[study.pk, boards])


def _part(
    study: Study, filters: Filters, document: dict[str, Any], boards: str | None, *, is_alone: bool
) -> dict[str, Any]:
    """A page's sections with figures, as a part of a file. Where it is not alone its ids have a prefix."""
    prefix = f"level-{boards[:12]}-" if boards and not is_alone else ""
    board = document["levels"][0]["board"] if boards else []
    return {
        "name": document["title"],
        "is_level": boards is not None,
        "prefix": prefix,
        "board": board_svg(board) if board else "",
        "sections": _with_figures(document, study, filters, boards, prefix=prefix),
    }


def _with_figures(
    document: dict[str, Any], study: Study, filters: Filters, boards: str | None, *, prefix: str = ""
) -> list[tuple[dict[str, Any], str, Figure | None]]:
    """Each section with the address of its numbers, and its figure if it has one."""
    whole, one, level = "insights:people_csv", "insights:level_people_csv", [boards] if boards else []
    place = f"{document['title']}, {study.title}" if boards else study.title
    shown = []
    for section in document["sections"]:
        address = reverse(one if boards else whole, args=[study.pk, *level, section["key"]])
        csv = f"{address}?{filters.query}"
        figure = None
        if section["figure"]:
            figure = Figure(
                key=f"{prefix}figure-{section['key']}",
                title=f"{section['title']} ({place})",
                spec=section["figure"],
                caption=section["caption"],
                note=section["note"],
                csv=csv,
            )
        shown.append((section, csv, figure))
    return shown


def _document(study: Study, filters: Filters, versions: list[int], boards: str | None) -> dict[str, Any]:
    document = sections_ensure(study=study, filters=filters, versions=versions, only=boards)
    if document["title"] is None:
        raise Http404("This study has no such level.")
    return document
