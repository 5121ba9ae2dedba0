"""Pages of the persona library."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from personas.persona import dump_persona
from playtest.accounts.decorators import StaffRequest, admin_required, designer_required
from playtest.evolution.forms import PersonaFileForm
from playtest.evolution.models import Persona
from playtest.evolution.selectors.personas import persona_detail, personas_any_archived, personas_list
from playtest.evolution.selectors.showcase import showcase_report
from playtest.evolution.services import RunError, persona_add, persona_archive, persona_offer
from playtest.evolution.services.showcase import SHOWCASE_GAMES, persona_showcase
from playtest.levels.figures import report_context
from playtest.levels.maps import styles_shown
from playtest.levels.services import PlaytestError


@designer_required
@require_safe
def persona_list(request: StaffRequest) -> HttpResponseBase:
    archived = request.GET.get("archived") == "1"
    context = {
        "lines": personas_list(archived=archived),
        "archived": archived,
        "any_archived": personas_any_archived(),
        "is_admin": request.user.is_admin,
    }
    return render(request, "evolution/personas.html", context)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def persona_new(request: StaffRequest) -> HttpResponseBase:
    """Put a persona file into the library."""
    form = PersonaFileForm(request.POST, request.FILES) if request.method == "POST" else PersonaFileForm()
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"] or form.persona.name
        try:
            version = persona_add(file=form.persona, name=name, owner=request.user)
        except RunError as error:
            form.add_error("name", f"{error} Choose the file again, too.")
        else:
            messages.success(
                request, f"“{version.persona.name}” is in the library. Playtests play it where somebody asks for it."
            )
            return redirect("evolution:persona", pk=version.persona_id)
    status = 422 if request.method == "POST" else 200
    return render(request, "evolution/persona_new.html", {"form": form}, status=status)


@designer_required
@require_safe
def persona_page(request: StaffRequest, pk: int) -> HttpResponseBase:
    return render(request, "evolution/persona.html", _detail_context(request, pk))


@designer_required
@require_safe
def persona_live(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The part of the page that shows how the persona plays, or 304 if the reader has this revision."""
    context = _detail_context(request, pk)
    if context["report"] is not None and request.GET.get("rev") == str(context["report"].rev):
        return HttpResponse(status=304)
    return render(request, "evolution/_showcase.html", context)


def _detail_context(request: StaffRequest, pk: int) -> dict[str, Any]:
    detail = persona_detail(pk=pk)
    if detail is None:
        raise Http404
    report = showcase_report(version=detail.line.version)
    return {
        "detail": detail,
        "line": detail.line,
        "is_admin": request.user.is_admin,
        "games": SHOWCASE_GAMES,
        "styles": styles_shown(report=report) if report else [],
        **report_context(report, None),
    }


@designer_required
@require_POST
def persona_play(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Let the newest version play random boards beside vanilla and random play."""
    detail = persona_detail(pk=pk)
    if detail is None:
        raise Http404
    try:
        persona_showcase(version=detail.line.version, requested_by=request.user)
    except PlaytestError as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('evolution:persona', args=[pk])}#showcase")


@designer_required
@require_safe
def persona_download(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The newest version as a persona file, for the command line."""
    detail = persona_detail(pk=pk)
    if detail is None:
        raise Http404
    response = HttpResponse(dump_persona(detail.file), content_type="application/toml")
    response["Content-Disposition"] = f'attachment; filename="{detail.line.persona.slug}.toml"'
    return response


@admin_required
@require_POST
def persona_offer_view(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Let playtests play the persona, or not, without being asked to."""
    persona = get_object_or_404(Persona, pk=pk)
    try:
        persona_offer(persona=persona, offered=request.POST.get("offered") == "yes", actor=request.user)
    except RunError as error:
        messages.error(request, str(error))
    return redirect("evolution:persona", pk=pk)


@admin_required
@require_POST
def persona_archive_view(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Take the persona out of the library or back into it."""
    persona = get_object_or_404(Persona, pk=pk)
    archived = request.POST.get("archived") == "1"
    persona_archive(persona=persona, archived=archived, actor=request.user)
    words = "is out of the library and of playtests. What it played stays." if archived else "is back in the library."
    messages.success(request, f"“{persona.name}” {words}")
    return redirect("evolution:persona", pk=pk)
