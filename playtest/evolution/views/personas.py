"""Pages of the persona library."""

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from personas.persona import dump_persona
from playtest.accounts.decorators import StaffRequest, admin_required, designer_required
from playtest.evolution.models import Persona
from playtest.evolution.selectors.personas import persona_detail, personas_list
from playtest.evolution.services import persona_offer


@designer_required
@require_GET
def persona_list(request: StaffRequest) -> HttpResponseBase:
    return render(request, "evolution/personas.html", {"lines": personas_list(), "is_admin": request.user.is_admin})


@designer_required
@require_GET
def persona_page(request: StaffRequest, pk: int) -> HttpResponseBase:
    detail = persona_detail(pk=pk)
    if detail is None:
        raise Http404
    context = {"detail": detail, "line": detail.line, "is_admin": request.user.is_admin}
    return render(request, "evolution/persona.html", context)


@designer_required
@require_GET
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
    persona_offer(persona=persona, offered=request.POST.get("offered") == "yes", actor=request.user)
    return redirect("evolution:persona", pk=pk)
