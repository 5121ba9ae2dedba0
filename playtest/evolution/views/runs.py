"""Pages of evolution runs. Designers see them, admins launch and stop them."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.game import get_game
from personas.evolution.presets import PRESETS, REPLICATION, STANDARD
from playtest.accounts.decorators import StaffRequest, admin_required, designer_required
from playtest.accounts.models import User
from playtest.csv_file import csv_response
from playtest.evolution.charts import RUN_CAPTION, run_figure
from playtest.evolution.forms import SIZES, PriorityForm, RunForm, draw_seed, settings_of
from playtest.evolution.models import EvolutionRun, Objective, Priority, RunState, Wanted
from playtest.evolution.selectors.figures import GOALS, is_graded, outcome_digits, outcome_name, reference_name
from playtest.evolution.selectors.lines import run_lines, run_note
from playtest.evolution.selectors.runs import RunDetail, run_detail, run_name, run_rev, runs_list, runs_page, runs_rev
from playtest.evolution.services import (
    RunError,
    persona_keep,
    run_cancel,
    run_create,
    run_pause,
    run_prioritise,
    run_resume,
)
from playtest.figure import Figure

NOT_MODIFIED = 304


@designer_required
@require_safe
def run_list(request: StaffRequest) -> HttpResponseBase:
    return render(request, "evolution/list.html", _list_context(request))


@designer_required
@require_safe
def run_list_live(request: StaffRequest) -> HttpResponseBase:
    """The table of runs, or 304 if the reader has this revision."""
    if request.GET.get("rev") == runs_rev():
        return HttpResponse(status=NOT_MODIFIED)
    return render(request, "evolution/_list.html", _list_context(request))


def _list_context(request: StaffRequest) -> dict[str, Any]:
    # Before the rows: what changes between the two is then asked for again.
    rev = runs_rev()
    page = runs_page(page=request.GET.get("page"))
    lines = runs_list(list(page))
    moving = [line for line in lines if not line.run.is_over]
    topics = " ".join(f"run:{line.run.pk}" for line in moving[:20])
    return {"lines": lines, "page": page, "rev": rev, "topics": topics}


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_new(request: StaffRequest) -> HttpResponseBase:
    size = request.GET.get("size", "")
    sizes = SIZES.get(size, SIZES[""])
    like = _run_to_repeat(request.GET.get("like", ""))
    if request.method == "POST":
        form = RunForm(request.POST, like=like)
        if form.is_valid():
            try:
                priority = Priority(form.cleaned_data["priority"])
                run = run_create(owner=request.user, config=form.config, priority=priority, cloned_from=like)
            except RunError as error:
                form.add_error(None, str(error))
            else:
                messages.success(request, "The run has begun. You may close this page; it goes on without it.")
                return redirect("evolution:detail", pk=run.pk)
    else:
        preset = REPLICATION.name if size == "replication" else STANDARD.name
        usual = {"persona": "maxs", "game": "match3", "preset": preset, **sizes}
        form = RunForm(initial={**(settings_of(like) if like else usual), "seed": draw_seed()}, like=like)
    context = {
        "form": form,
        "size": size if size in SIZES else "",
        "like": like,
        "like_name": run_name(like) if like else "",
    }
    return render(request, "evolution/new.html", context, status=422 if form.errors else 200)


def _run_to_repeat(text: str) -> EvolutionRun | None:
    """The run with that number, or None for whatever names none."""
    return EvolutionRun.objects.filter(pk=int(text)).first() if re.fullmatch(r"[0-9]{1,18}", text) else None


@designer_required
@require_safe
def run_page(request: StaffRequest, pk: int) -> HttpResponseBase:
    return render(request, "evolution/detail.html", _detail_context(pk, request.user))


@designer_required
@require_safe
def run_live(request: StaffRequest, pk: int) -> HttpResponseBase:
    """What moves on the run's page, or 304 if the reader has this revision."""
    rev = run_rev(pk=pk)
    if rev is None:
        raise Http404
    if request.GET.get("rev") == rev:
        return HttpResponse(status=NOT_MODIFIED)
    return render(request, "evolution/_run.html", _detail_context(pk, request.user))


def _detail_context(pk: int, user: User) -> dict[str, Any]:
    detail = run_detail(pk=pk)
    if detail is None:
        raise Http404
    run = detail.run
    return {
        "detail": detail,
        "run": run,
        "game": get_game(run.game).info,
        "reference": reference_name(run),
        "progress": detail.progress,
        "aim": GOALS[Objective(run.objective)],
        "outcome": outcome_name(run.objective),
        "form": f"{outcome_digits(run.objective)}g",
        "figure": _figure(detail),
        "is_graded": is_graded(run),
        "is_by_standing": PRESETS[run.get_preset_display()].by_standing,
        "is_admin": user.is_admin,
        **_actions(detail),
    }


def _figure(detail: RunDetail) -> Figure | None:
    """The figure of the run, as soon as a generation is complete."""
    run = detail.run
    spec = run_figure(run, detail.generations)
    if spec is None:
        return None
    return Figure(
        key="run-figure",
        title=f"{outcome_name(run.objective)} by generation: {detail.name}",
        spec=spec,
        caption=RUN_CAPTION,
        note=run_note(run),
        csv=reverse("evolution:csv", args=[run.pk]),
    )


@designer_required
@require_safe
def run_csv(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Every complete generation of the run."""
    detail = run_detail(pk=pk)
    if detail is None:
        raise Http404
    return csv_response(f"run-{pk}-generations", run_lines(detail.run, detail.generations))


def _actions(detail: RunDetail) -> dict[str, Any]:
    """Which buttons the page has."""
    run = detail.run
    is_open = not run.is_over and run.wanted != Wanted.CANCEL
    return {
        "can_pause": is_open and run.wanted == Wanted.RUN,
        "can_resume": is_open and run.wanted == Wanted.PAUSE,
        "can_cancel": is_open,
        "priority": PriorityForm(initial={"priority": run.priority}) if is_open else None,
        "can_keep": run.state == RunState.FINISHED,
    }


@admin_required
@require_POST
def run_pause_view(request: StaffRequest, pk: int) -> HttpResponseBase:
    return _ask(request, pk, run_pause)


@admin_required
@require_POST
def run_resume_view(request: StaffRequest, pk: int) -> HttpResponseBase:
    return _ask(request, pk, run_resume)


@admin_required
@require_POST
def run_cancel_view(request: StaffRequest, pk: int) -> HttpResponseBase:
    return _ask(request, pk, run_cancel)


def _ask(request: StaffRequest, pk: int, service: Callable[..., None]) -> HttpResponseBase:
    run = get_object_or_404(EvolutionRun, pk=pk)
    try:
        service(run=run, actor=request.user)
    except RunError as error:
        messages.warning(request, str(error))
    return redirect("evolution:detail", pk=pk)


@admin_required
@require_POST
def run_priority_view(request: StaffRequest, pk: int) -> HttpResponseBase:
    form = PriorityForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose when the run is to have its turn.")
        return redirect("evolution:detail", pk=pk)
    return _ask(request, pk, partial(run_prioritise, priority=Priority(form.cleaned_data["priority"])))


@admin_required
@require_POST
def run_keep(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Keep one of the last generation of a finished run as a persona: the best one unless another is named."""
    detail = run_detail(pk=pk)
    if detail is None:
        raise Http404
    if detail.run.state != RunState.FINISHED or detail.best is None:
        messages.warning(request, "Only a finished run has a persona to keep.")
        return redirect("evolution:detail", pk=pk)
    best = detail.best.individual
    idx = _idx_named(request.POST.get("idx", str(best.idx)))
    if idx is None or not best.generation.individuals.filter(idx=idx, fitness__isnull=False).exists():
        messages.error(request, "This formula is not one of the last generation.")
        return redirect("evolution:detail", pk=pk)
    try:
        version = persona_keep(
            run=detail.run,
            generation=best.generation.number,
            idx=idx,
            name=request.POST.get("name", "").strip() or detail.name,
            owner=request.user,
        )
    except RunError as error:
        messages.error(request, str(error))
        return redirect("evolution:detail", pk=pk)
    messages.success(request, f"“{version.persona.name}” is in the library. Playtests play it from now on.")
    return redirect("evolution:persona", pk=version.persona_id)


def _idx_named(text: str) -> int | None:
    """The place in the generation that a form names, or None for whatever is none."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None
