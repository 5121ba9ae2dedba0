"""What if a level were a little different? Asked by drawing, answered game by game while workers play."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.level import parse_level
from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.csv_file import csv_response
from playtest.levels import selectors
from playtest.levels.editor_form import WhatIfForm, initial_values
from playtest.levels.models import Level, WhatIf
from playtest.levels.services import (
    LevelChangedError,
    PlaytestError,
    what_if_copy,
    what_if_keep,
    what_if_request,
)
from playtest.levels.views.editor import drawing_context
from playtest.levels.what_ifs import change_lines, what_if_compared, what_if_context, what_if_rev


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def what_if_ask(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The level to change; `?from=` names a question to go on from."""
    level = get_object_or_404(Level.objects.select_related("current__level", "owner"), pk=pk, current__isnull=False)
    version = level.current
    assert version is not None
    if request.method == "POST":
        form = WhatIfForm(request.POST)
        if form.is_valid():
            like = selectors.report_newest(boards_hash=version.hash)
            try:
                asked = what_if_request(level_version=version, changed=form.level, like=like, requested_by=request.user)
            except PlaytestError as error:
                form.add_error(None, str(error))
            else:
                return redirect("levels:what_if", pk, asked.pk)
    else:
        wanted = request.GET.get("from", "")
        before = _what_if(pk, int(wanted)) if wanted.isdecimal() and len(wanted) < 18 else None
        document = before.document if before else version.document
        form = WhatIfForm(initial=initial_values(parse_level(document), tags=()))
    context = {**drawing_context(form), "level": level, "version": version}
    return render(request, "levels/what_if_ask.html", context, status=422 if form.errors else 200)


@designer_required
@require_safe
def what_if_shown(request: StaffRequest, pk: int, question: int) -> HttpResponseBase:
    what_if = _what_if(pk, question)
    level = what_if.level_version.level
    context = {
        **what_if_context(what_if),
        "level": level,
        "comparison": what_if_compared(what_if),
        "may_keep": level.current_id == what_if.level_version_id and selectors.may_edit(request.user, level),
        "kept": selectors.version_with_hash(content_hash=what_if.report.boards_hash),
    }
    return render(request, "levels/what_if.html", context)


@designer_required
@require_safe
def what_if_live(request: StaffRequest, pk: int, question: int) -> HttpResponseBase:
    """The part of the page that changes while games come in, or 304 if the reader has this revision."""
    what_if = _what_if(pk, question)
    if request.GET.get("rev") == what_if_rev(what_if):
        return HttpResponse(status=304)
    return render(request, "levels/_what_if.html", what_if_context(what_if))


@designer_required
@require_safe
def what_if_csv(request: StaffRequest, pk: int, question: int) -> HttpResponseBase:
    """Every pair of games behind the figure."""
    return csv_response(f"what-if-{question}", change_lines(_what_if(pk, question)))


@designer_required
@require_POST
def what_if_kept(request: StaffRequest, pk: int, question: int) -> HttpResponseBase:
    """Save the changed level: as the newest version of its own, or with `as=copy` as a level of its own."""
    what_if = _what_if(pk, question)
    level = what_if.level_version.level
    if request.POST.get("as") == "copy":
        version = what_if_copy(what_if=what_if, by=request.user)
        messages.success(request, f"“{version.level.name}” is in the library, with its playtest.")
        return redirect("levels:detail", version.level_id)
    if not selectors.may_edit(request.user, level):
        raise PermissionDenied
    try:
        version = what_if_keep(what_if=what_if, by=request.user)
    except LevelChangedError as error:
        messages.error(
            request,
            f"Version {error.current.number} was saved since this was asked, so nothing was kept. "
            "Keep it as a copy, or ask again from the newest version.",
        )
        return redirect("levels:what_if", pk, question)
    messages.success(request, f"Kept as version {version.number} of “{level.name}”, with its playtest.")
    return redirect("levels:detail", pk)


def _what_if(level: int, question: int) -> WhatIf:
    found = WhatIf.objects.select_related("level_version__level__owner", "base", "report__level_version")
    what_if: WhatIf = get_object_or_404(found, pk=question, level_version__level=level)
    return what_if
