"""What tests of searches for par share: boards, workers in this process, and the page of a level."""

from django.test import Client
from django.urls import reverse

from engine.level import Level, draw_level
from engine.solving import solve
from playtest.levels.models import LevelVersion, ParSearch, SearchState
from playtest.levels.services import (
    level_create,
    restart_work_next,
)

LEVEL = draw_level("samegame", rows=6, cols=6, colours=3, seed=4, name="Small groups")


def compile_solvers() -> None:
    """Before anything is timed: what workers do meanwhile would all be done before the search."""
    for name in ("anneal", "idastar", "dbs"):
        solve(LEVEL, name, nodes=1)


def make_board(level: Level = LEVEL) -> LevelVersion:
    return level_create(owner=None, level=level)


def state_of(search: ParSearch) -> SearchState:
    return SearchState(ParSearch.objects.values_list("state", flat=True).get(pk=search.pk))


def run_all(limit: int = 20) -> int:
    for count in range(limit):
        if not restart_work_next(worker="test"):
            return count
    raise AssertionError("There is always one more restart.")


def page_of(client: Client, version: LevelVersion) -> str:
    return client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
