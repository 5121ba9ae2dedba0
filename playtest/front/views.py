"""The start page, the dashboard, and the audit log of the whole site."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.front import audit, selectors
from playtest.studies.selectors.studies import studies_on_start_page

LOG_PAGE = 50


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "home.html", {"studies": studies_on_start_page()})


@require_safe
@designer_required
def dashboard(request: StaffRequest) -> HttpResponse:
    counts = selectors.dashboard_counts()
    step = selectors.next_step(counts, is_admin=request.user.is_admin)
    return render(request, "accounts/dashboard.html", {"counts": counts, "step": step})


@require_safe
@designer_required
def audit_log(request: StaffRequest) -> HttpResponse:
    """What staff did: admins read all, designers what is about their studies; `kind` and `object` narrow it down."""
    kind, one = request.GET.get("kind", ""), request.GET.get("object", "")
    kind = kind if kind in audit.KINDS else ""
    one = one if kind and one.isdecimal() and len(one) < 19 else ""
    lines = audit.lines_visible(request.user)
    if kind:
        lines = lines.filter(object_type=kind)
    if one:
        lines = lines.filter(object_id=int(one))
    page = Paginator(lines, LOG_PAGE).get_page(request.GET.get("page"))
    shown = audit.lines_shown(list(page))
    asked = {name: value for name, value in (("kind", kind), ("object", one)) if value}
    context = {
        "page": page,
        "lines": shown,
        "kinds": list(audit.KINDS.items()) if request.user.is_admin else list(audit.KINDS.items())[:3],
        "kind": kind,
        "one": one,
        "about": shown[0].about if one and shown else "",
        "query": urlencode(asked),
    }
    return render(request, "accounts/log.html", context)
