"""Playtests by themselves: the part of a page that shows one, the numbers behind its figures, the report as a file."""

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.csv_file import csv_response
from playtest.drawing import DrawingError
from playtest.levels.figures import level_report_context
from playtest.levels.lines import PLACE_COLUMNS, SCORE_COLUMNS, agent_lines, legal_lines, place_lines
from playtest.levels.models import PlaytestReport
from playtest.levels.reading import report_reading
from playtest.levels.selectors import boards_name, entries_shown, game_title
from playtest.levels.thumbnails import board_svg
from playtest.report_file import figures_drawn, report_response


@designer_required
@require_safe
def report_live(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The part of a page that shows a report, or 304 if the reader has this revision."""
    report = report_or_404(pk)
    if request.GET.get("rev") == str(report.rev):
        return HttpResponse(status=304)
    return render(request, "levels/_report.html", level_report_context(report, report.level_version))


@designer_required
@require_safe
def report_csv(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Every game of the report."""
    report = report_or_404(pk)
    name = boards_name(report)
    return csv_response(f"{slugify(name)}-scores", [SCORE_COLUMNS, *agent_lines(report, name=name)])


@designer_required
@require_safe
def report_legal_csv(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Legal actions before each move, agent by agent."""
    report = report_or_404(pk)
    reading = report_reading(report, report.level_version, entries_shown(report=report))
    return csv_response(f"{slugify(boards_name(report))}-legal-moves", legal_lines(reading))


@designer_required
@require_safe
def report_places_csv(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Where on the board each agent moves: the numbers behind the maps."""
    report = report_or_404(pk)
    reading = report_reading(report, report.level_version, entries_shown(report=report))
    return csv_response(f"{slugify(boards_name(report))}-places", [PLACE_COLUMNS, *place_lines(reading)])


@designer_required
@require_safe
def report_file(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The whole report as one file that needs no site."""
    report = report_or_404(pk)
    version = report.level_version
    context = level_report_context(report, version)
    names = ("figure", "legal_figure")
    try:
        drawn = figures_drawn([context.get(name) for name in names])
    except DrawingError as error:
        messages.error(request, str(error))
        return redirect("levels:detail", pk=version.level_id) if version else redirect("levels:list")
    size = report.level_file or report.drawn or {}
    name = boards_name(report)
    words = {
        "name": name[:1].upper() + name[1:],
        "version": version,
        "game_title": game_title(size["game"]),
        "board": board_svg(size["board"]) if report.level_file is not None else "",
        **{key: size.get(key) for key in ("rows", "cols", "colours", "moves")},
    }
    context |= dict(zip(names, drawn, strict=True))
    return report_response(request, "levels/report_file.html", context | words, name=f"{slugify(name)}-playtest-{pk}")


def report_or_404(pk: int) -> PlaytestReport:
    return get_object_or_404(PlaytestReport.objects.select_related("level_version__level"), pk=pk)
