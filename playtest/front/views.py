"""The start page and the dashboard."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.front import selectors


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "home.html", {"open_studies": selectors.open_studies()})


@require_safe
@designer_required
def dashboard(request: StaffRequest) -> HttpResponse:
    counts = selectors.dashboard_counts()
    step = selectors.next_step(counts, is_admin=request.user.is_admin)
    return render(request, "accounts/dashboard.html", {"counts": counts, "step": step})
