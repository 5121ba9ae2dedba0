"""Searches for par: begun, watched and stopped on a level's page; the best play as a replay."""

import re

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.levels import selectors
from playtest.levels.forms import SearchForm
from playtest.levels.models import Level, LevelVersion, ParSearch, Restart
from playtest.levels.par import found_words, par_context, par_fact_context, par_rev, restart_replay, search_newest
from playtest.levels.services import SearchError, search_cancel, search_request
from playtest.levels.views.messages import say_errors


@designer_required
@require_POST
def search_begun(request: StaffRequest, pk: int) -> HttpResponseBase:
    level = get_object_or_404(Level.objects.select_related("current"), pk=pk, current__isnull=False)
    assert level.current is not None
    form = SearchForm(request.POST)
    if not form.is_valid():
        say_errors(request, form)
        return redirect(par_address(pk))
    try:
        search_request(level_version=level.current, requested_by=request.user, **form.cleaned_data)
    except SearchError as error:
        messages.error(request, str(error))
    return redirect(par_address(pk))


@designer_required
@require_POST
def search_stopped(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Stop a search; what it found stays.

    The level whose page it was stopped on may be another one with the same board.
    """
    search = get_object_or_404(ParSearch.objects.select_related("level_version"), pk=pk)
    wanted = request.POST.get("level", "")
    level = int(wanted) if re.fullmatch(r"[0-9]{1,18}", wanted) else search.level_version.level_id
    try:
        search_cancel(search=search)
    except SearchError as error:
        messages.warning(request, str(error))
    return redirect(par_address(level))


@designer_required
@require_safe
def par_live(request: StaffRequest, pk: int, number: int) -> HttpResponseBase:
    """The part of a version's page that shows par, or 304 if the reader has this revision.

    The page says which report it shows: the shares of par are of that one.
    """
    versions = LevelVersion.objects.select_related("level")
    version = get_object_or_404(versions, level=pk, number=number)
    reports = selectors.reports_shown(boards_hash=version.hash)
    report = selectors.report_wanted(reports, request.GET.get("report", ""))
    if request.GET.get("rev") == par_rev(search_newest(board_key=version.board_key), report):
        return HttpResponse(status=304)
    entries = selectors.entries_shown(report=report) if report else ()
    context = par_context(version, report, entries)
    context |= {"level": version.level, "version": version, "search_form": SearchForm()}
    return render(request, "levels/_par.html", context)


@designer_required
@require_safe
def par_fact_live(request: StaffRequest, pk: int, number: int) -> HttpResponseBase:
    """Par among the facts of a version's page, or 304 if the reader has this revision."""
    version = get_object_or_404(LevelVersion.objects.select_related("level"), level=pk, number=number)
    context = par_fact_context(version)
    if not context["has_par"]:
        raise Http404("This level has no par.")
    if request.GET.get("rev") == context["par_fact_rev"]:
        return HttpResponse(status=304)
    return render(request, "levels/_par_fact.html", context | {"level": version.level, "version": version})


@designer_required
@require_safe
def search_play(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The best play that a restart found, move by move."""
    restart = get_object_or_404(Restart.objects.select_related("search__level_version__level"), pk=pk)
    replay = restart_replay(restart)
    if replay is None:
        raise Http404("This search has found no play yet.")
    context = {
        "restart": restart,
        "search": restart.search,
        "version": restart.search.level_version,
        "level": restart.search.level_version.level,
        "replay": replay,
        "found": found_words(restart),
        "document": replay.to_json(),
    }
    return render(request, "levels/par_play.html", context)


def par_address(level: int) -> str:
    return reverse("levels:detail", args=[level]) + "#par"
