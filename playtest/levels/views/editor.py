"""Drawing levels: the editor, and what its page asks the engine while somebody draws."""

import json
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from engine.game import games
from engine.level import LETTERS, LevelError, draw_level, parse_level
from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.levels import selectors
from playtest.levels.drafts import deadlock_risk, draft_check, draft_fill
from playtest.levels.editor_form import LevelEditorForm, initial_values
from playtest.levels.models import Level, LevelVersion
from playtest.levels.services import LevelChangedError, level_create, level_save, level_try

SHAPES = ("circle", "square", "triangle", "diamond", "star", "hexagon", "plus", "crescent", "ring")
NEW_SEED = 1


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def level_draw(request: StaffRequest) -> HttpResponseBase:
    """A new level, or a copy of the one that `?from=` names."""
    copied = _copied(request.GET.get("from", ""))
    if request.method == "POST":
        form = LevelEditorForm(request.POST)
        if form.is_valid():
            version = level_create(
                owner=request.user,
                level=form.level,
                name=form.cleaned_data["name"],
                note=form.cleaned_data["note"],
                tags=form.cleaned_data["tags"],
            )
            return _saved(request, version)
        return _editor(request, form, None)
    if copied is None:
        level = draw_level(seed=NEW_SEED)
        initial = initial_values(level, tags=())
    else:
        level = parse_level(copied.document)
        initial = initial_values(level, tags=copied.level.tags) | {"name": f"{copied.level.name} copy"[:120]}
    return _editor(request, LevelEditorForm(initial=initial), None)


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def level_edit(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The newest version of a level; what is saved becomes a version of its own."""
    level = get_object_or_404(Level.objects.select_related("current", "owner"), pk=pk, current__isnull=False)
    current = level.current
    assert current is not None
    if not selectors.may_edit(request.user, level):
        return redirect(f"{reverse('levels:draw')}?from={current.pk}")
    if request.method == "POST":
        data = request.POST.copy()
        form = LevelEditorForm(data)
        if form.is_valid():
            try:
                version = level_save(
                    level=level,
                    file=form.level,
                    author=request.user,
                    base=form.cleaned_data["base"] or 0,
                    name=form.cleaned_data["name"],
                    tags=form.cleaned_data["tags"],
                    note=form.cleaned_data["note"],
                )
            except LevelChangedError as error:
                data["base"] = str(error.current.number)
                by = error.current.author.get_username() if error.current.author else "Somebody"
                form.add_error(
                    None,
                    f"{by} saved version {error.current.number} while you were drawing. Nothing of yours is lost: "
                    "save again, and your drawing becomes the version after it.",
                )
            else:
                return _saved(request, version)
        return _editor(request, form, level)
    initial = initial_values(parse_level(current.document), tags=level.tags)
    initial |= {"name": level.name, "base": current.number}
    return _editor(request, LevelEditorForm(initial=initial), level)


@designer_required
@require_POST
def draft_checked(request: StaffRequest) -> HttpResponseBase:
    """What the engine says of what stands in the form, as JSON; with `?risk=1` how often random play gets stuck."""
    form = LevelEditorForm(request.POST)
    if not form.is_valid() and form.document is None:
        return JsonResponse({"problem": _first_problem(form), "runs": [], "legal": None, "deadlocked": False})
    check = draft_check(form.document)
    answer: dict[str, Any] = {
        "problem": check.problem,
        "runs": [list(cell) for cell in check.runs],
        "legal": check.legal,
        "deadlocked": check.deadlocked,
    }
    risk = deadlock_risk(check.level) if request.GET.get("risk") and check.level is not None else None
    if risk is not None:
        answer["risk"] = {"stuck": risk.stuck, "games": risk.games}
    return JsonResponse(answer)


@designer_required
@require_POST
def draft_filled(request: StaffRequest) -> HttpResponseBase:
    """A board drawn from the seed in the form, and what the seed lets fall in, as JSON."""
    form = LevelEditorForm(request.POST)
    form.is_valid()
    wanted: dict[str, Any] = {key: form.cleaned_data.get(key) for key in ("game", "rows", "cols", "colours", "seed")}
    if None in wanted.values():
        return JsonResponse({"problem": _first_problem(form, tuple(wanted))}, status=422)
    try:
        return JsonResponse(draft_fill(**wanted))
    except LevelError as error:
        return JsonResponse({"problem": str(error)}, status=422)


def _first_problem(form: LevelEditorForm, names: tuple[str, ...] = ()) -> str:
    """The first thing that is wrong with the fields (of those names)."""
    name, errors = next((name, errors) for name, errors in form.errors.items() if not names or name in names)
    label = form.fields[name].label if name in form.fields else ""
    return f"{label}: {errors[0]}" if label else str(errors[0])


def _copied(pk: str) -> LevelVersion | None:
    if not pk.isdecimal() or len(pk) > 18:
        return None
    version: LevelVersion = get_object_or_404(LevelVersion.objects.select_related("level"), pk=int(pk))
    return version


def _saved(request: StaffRequest, version: LevelVersion) -> HttpResponse:
    level_try(level_version=version, by=request.user)
    messages.success(request, f"“{version.level.name}” is saved as version {version.number}. Its playtest has begun.")
    return redirect("levels:detail", pk=version.level_id)


def _editor(request: StaffRequest, form: LevelEditorForm, level: Level | None) -> HttpResponse:
    context = {**drawing_context(form), "level": level}
    return render(request, "levels/editor.html", context, status=422 if form.errors else 200)


def drawing_context(form: LevelEditorForm) -> dict[str, Any]:
    """What the page of any form with a board to draw on needs."""
    infos = [game.info for game in games().values()]
    limits = {
        info.name: {
            "sizes": info.sizes,
            "colours": info.colours,
            "moves": "moves" in info.level_keys,
            "drops": "drops" in info.level_keys,
            "horizon": "horizon" in info.level_keys,
        }
        for info in infos
    }
    return {
        "form": form,
        "limits": json.dumps(limits),
        "colours": int(colours) if (colours := str(form["colours"].value() or "")).isdecimal() else len(SHAPES),
        "pieces": list(zip(LETTERS, SHAPES, strict=False)),
    }
