"""Pages of the level library. Every member of the staff may see all levels, add some and have them played."""

import json
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.game import games
from engine.level import shipped_levels
from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.levels import selectors
from playtest.levels.figures import level_report_context
from playtest.levels.forms import LevelUploadForm, PlaytestForm, SearchForm
from playtest.levels.models import Level, LevelVersion
from playtest.levels.par import par_context
from playtest.levels.services import PlaytestError, level_create, level_try, playtest_request
from playtest.levels.thumbnails import board_svg
from playtest.levels.views.messages import say_errors
from playtest.levels.what_ifs import what_if_compared, what_ifs_of


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def level_upload(request: StaffRequest) -> HttpResponseBase:
    form = LevelUploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        return _uploaded(request, form)
    example = next(iter(shipped_levels("match3").values()), None)
    context = {
        "form": form,
        "games": [game.info for game in games().values()],
        "example": file_text(example.to_document()) if example else "",
    }
    return render(request, "levels/upload.html", context, status=422 if form.errors else 200)


def _uploaded(request: StaffRequest, form: LevelUploadForm) -> HttpResponse:
    """Add what is new of the levels of a form, let it be playtested, and say what became of each."""
    added: list[LevelVersion] = []
    known: Level | None = None
    for level in form.levels:
        known = selectors.level_with_hash(content_hash=level.content_hash())
        if known is not None:
            messages.warning(request, f"This level is in the library already, as “{known.name}”. Nothing was added.")
            continue
        name = form.cleaned_data["name"] if len(form.levels) == 1 else ""
        version = level_create(owner=request.user, level=level, name=name)
        level_try(level_version=version, by=request.user)
        added.append(version)
    if len(added) > 1:
        messages.success(request, f"{len(added)} levels are in the library. Their first playtests have begun.")
        return redirect("levels:list")
    if added:
        messages.success(request, f"“{added[0].level.name}” is in the library. Its first playtest has begun.")
        return redirect("levels:detail", pk=added[0].level_id)
    if len(form.levels) == 1 and known is not None:
        return redirect("levels:detail", pk=known.pk)
    return redirect("levels:list")


@designer_required
@require_safe
def level_detail(request: StaffRequest, pk: int) -> HttpResponseBase:
    level = get_object_or_404(Level.objects.select_related("current", "owner"), pk=pk, current__isnull=False)
    version = level.current
    assert version is not None
    reports = list(selectors.reports_shown(boards_hash=version.hash))
    shown = selectors.report_wanted(reports, request.GET.get("report", ""))
    info = games()[version.game].info
    following = max((report.seed for report in reports), default=0) + 1
    report_shown = level_report_context(shown, version)
    context: dict[str, Any] = {
        "level": level,
        "version": version,
        "may_edit": selectors.may_edit(request.user, level),
        "game_title": selectors.game_title(version.game),
        "pieces_fall_in": info.chance != "none",
        "gesture": info.gesture,
        "reports": reports,
        "what_ifs": [(one, what_if_compared(one).sentence) for one in what_ifs_of(version=version)],
        "form": PlaytestForm(initial={"seed": following if following < 2**53 else 1}),
        "search_form": SearchForm(),
        **report_shown,
        **par_context(version, shown, report_shown.get("entries", ())),
    }
    return render(request, "levels/detail.html", context)


@designer_required
@require_POST
def level_playtest(request: StaffRequest, pk: int) -> HttpResponseBase:
    level = get_object_or_404(Level.objects.select_related("current"), pk=pk, current__isnull=False)
    assert level.current is not None
    form = PlaytestForm(request.POST)
    if not form.is_valid():
        say_errors(request, form)
        return redirect("levels:detail", pk=pk)
    try:
        report = playtest_request(level_version=level.current, requested_by=request.user, **form.cleaned_data)
    except PlaytestError as error:
        messages.error(request, str(error))
        return redirect("levels:detail", pk=pk)
    return redirect(f"{reverse('levels:detail', args=[pk])}?report={report.pk}#report")


@designer_required
@require_safe
def level_file(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The level file of the newest version, for download."""
    level = get_object_or_404(Level.objects.select_related("current"), pk=pk, current__isnull=False)
    assert level.current is not None
    response = HttpResponse(file_text(level.current.document), content_type="application/json")
    name = slugify(level.name) or f"level-{level.pk}"
    response["Content-Disposition"] = f'attachment; filename="{name}-v{level.current.number}.json"'
    return response


@designer_required
@require_safe
def board_picture(request: StaffRequest, content_hash: str) -> HttpResponseBase:
    """The start board of the level of that content; it never changes, so a browser need not ask twice."""
    version = selectors.version_with_hash(content_hash=content_hash)
    if version is None:
        raise Http404("There is no such board.")
    response = HttpResponse(board_svg(version.document["board"]), content_type="image/svg+xml")
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def file_text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
