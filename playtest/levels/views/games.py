"""Games of a playtest, watched again."""

import json
import re
from functools import partial

from django.http import Http404, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from engine.level import LevelError, parse_level
from engine.round import ActionRefused
from personas.agent import AgentError
from personas.persona import PersonaError
from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.beside import beside_context
from playtest.levels.advice import MOST_CODES, advice, advisers
from playtest.levels.models import PlaytestEntry, PlaytestReport
from playtest.levels.replays import (
    GamePlayed,
    example_choices,
    examples_shown,
    game_key,
    game_replay,
    game_trace,
    games_on_board,
)
from playtest.levels.selectors import agent_label, agent_role, boards_name

NO_POSITION = "The page did not say which position it shows."


@designer_required
@require_safe
def game_page(request: StaffRequest, pk: int, entry: int, number: int) -> HttpResponseBase:
    """One game of an agent, move by move."""
    rows = PlaytestEntry.objects.select_related("report__level_version__level", "agent_spec")
    row = get_object_or_404(rows, pk=entry, report=pk)
    replay = game_replay(row, number)
    if replay is None:
        raise Http404("The playtest has no such game.")
    version = row.report.level_version
    label = agent_label(row.agent_spec)
    context = {
        "report": row.report,
        "entry": row,
        "number": number,
        "key": game_key(GamePlayed(row.pk, number, replay.score)),
        "label": label,
        "role": agent_role(row.agent_spec),
        "name": boards_name(row.report),
        "level": version.level if version is not None else None,
        "examples": next((one for one in examples_shown(row.report) if one.best.entry_id == row.pk), None),
        "replay": replay,
        "document": replay.to_json(),
        "advisers": advisers(replay.level.game),
    }
    return render(request, "levels/game.html", context)


@designer_required
@require_safe
def games_beside(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Two games of a playtest side by side: `?one=game-3-17&other=game-4-17`."""
    report = get_object_or_404(PlaytestReport.objects.select_related("level_version__level"), pk=pk)
    find = partial(game_trace, boards_hash=report.boards_hash)
    if report.drawn is None:
        choices = example_choices(report)
    else:
        # Each game has a board of its own, the same for all agents.
        number = re.fullmatch(r"game-[0-9]+-([0-9]{1,9})", request.GET.get("one", ""))
        choices = games_on_board(report, int(number[1]) if number else 0)
    version = report.level_version
    crumbs = [(reverse("levels:list"), "Levels")]
    if version is not None:
        crumbs.append((f"{reverse('levels:detail', args=[version.level_id])}?report={pk}", version.level.name))
    context = beside_context(request.GET, choices, find) | {"place": boards_name(report), "crumbs": crumbs}
    return render(request, "beside.html", context)


@designer_required
@require_POST
def advice_asked(request: StaffRequest) -> HttpResponseBase:
    """What one agent would do at a position, as JSON: `level`, `codes` and `agent` of the form say where and who."""
    try:
        level = parse_level(json.loads(request.POST.get("level", "")))
        codes = json.loads(request.POST.get("codes", ""))
    except (LevelError, ValueError, RecursionError) as error:
        return JsonResponse({"problem": str(error) if isinstance(error, LevelError) else NO_POSITION}, status=422)
    is_list = isinstance(codes, list) and len(codes) <= MOST_CODES
    if not is_list or not all(code is None or type(code) is int for code in codes):
        return JsonResponse({"problem": NO_POSITION}, status=422)
    adviser = next((one for one in advisers(level.game) if one.slug == request.POST.get("agent")), None)
    if adviser is None:
        return JsonResponse({"problem": "There is no such agent."}, status=422)
    try:
        return JsonResponse(advice(adviser, level, codes))
    except ActionRefused as refused:
        return JsonResponse({"problem": f"These moves cannot be played ({refused.reason})."}, status=422)
    except (AgentError, PersonaError) as error:
        return JsonResponse({"problem": str(error)}, status=422)
