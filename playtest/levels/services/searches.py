"""Searches for par: a designer asks how much a board can give, solvers look for it restart by restart.

Par is the best play that any restart on a board has found (`playtest/levels/par.py`). Nothing is lost of a search that
is stopped or whose worker dies: the best play so far is stored while the solver runs.
"""

from functools import partial

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from engine.game import get_game
from engine.level import parse_level
from engine.solver import Solver, SolverError
from engine.solving import get_solver
from playtest.accounts.models import User
from playtest.leases import LeaseState, claimable, lease_give_up
from playtest.levels.models import SEED_LIMIT, UNFINISHED_SEARCH, LevelVersion, ParSearch, Restart, SearchState
from playtest.levels.par import has_par
from playtest.levels.services.playtests import workers_tell
from playtest.live import hint

WORK_TASK = "playtest.levels.tasks.search_work"

MOST_SECONDS = 3_600
RESTART_SECONDS = 30
"""Restarts are what workers share, and what is searched again where one dies."""
SHORT_SEARCH_SECONDS = 120
LONG_RESTART_SECONDS = 120
"""Of a search that is longer than a short one: in one go a solver finds more than when it begins again."""
LEAST_RESTARTS = 2
"""So that a short search, too, has two cores."""
GIVEN_UP = "This search was begun several times and never finished: it seems to stop the worker that runs it."


class SearchError(ValueError):
    """A search that cannot be begun or stopped, in a sentence for the person who asked."""


def search_request(
    *,
    level_version: LevelVersion,
    solver: str = "anneal",
    seconds: int = 10,
    seed: int | None = None,
    requested_by: User | None = None,
) -> ParSearch:
    """Begin a search for the best play of a board; workers are told. Raises SearchError.

    seconds: of search in all, shared out among restarts (`restarts_of`)
    seed: of the first restart, the others count on; None: one that no search on this board has used
    """
    if not 1 <= seconds <= MOST_SECONDS:
        raise SearchError(f"A search takes from 1 to {MOST_SECONDS:,} seconds, not {seconds:,}.")
    if not has_par(level_version.game):
        title = get_game(level_version.game).info.title
        raise SearchError(f"{title} has no par: what falls in is hidden, so there is no best play to look for.")
    try:
        way = get_solver(solver)
        refusal = way.refusal(parse_level(level_version.document))
        parameters = way.settle()
    except SolverError as error:
        raise SearchError(str(error)) from error
    if refusal is not None:
        raise SearchError(refusal)
    restarts = restarts_of(seconds, way)
    with transaction.atomic():
        # Of two who ask at the same moment one waits here for the other.
        LevelVersion.objects.select_for_update().get(pk=level_version.pk)
        others = ParSearch.objects.filter(boards_hash=level_version.board_key)
        if others.filter(state__in=UNFINISHED_SEARCH).exists():
            raise SearchError("A search on this board is under way. Stop it or let it end first.")
        if seed is None:
            seed = max((one.seed + one.restarts_total for one in others.only("seed", "restarts_total")), default=1)
        if not 0 <= seed <= SEED_LIMIT - restarts:
            raise SearchError("The seed must be a whole number from 0 to 2^53 - 1.")
        search = ParSearch.objects.create(
            level_version=level_version,
            boards_hash=level_version.board_key,
            game_version=get_game(level_version.game).info.version,
            solver=way.name,
            parameters=parameters,
            seconds=seconds,
            seed=seed,
            restarts_total=restarts,
            requested_by=requested_by,
        )
        Restart.objects.bulk_create(
            Restart(search=search, number=number, limit=seconds / restarts) for number in range(restarts)
        )
        transaction.on_commit(partial(workers_tell, restarts, task=WORK_TASK), robust=True)
    return search


def restarts_of(seconds: int, way: Solver) -> int:
    """Into how many restarts a search of that length is cut: the more time there is, the deeper each of them goes.

    One where another seed changes nothing, so that each would do again what the first has done.
    """
    if not way.gains_by_threads:
        return 1
    longest = RESTART_SECONDS if seconds <= SHORT_SEARCH_SECONDS else LONG_RESTART_SECONDS
    return max(LEAST_RESTARTS, -(-seconds // longest))


def search_cancel(*, search: ParSearch) -> None:
    """Stop a search; what it has found stays. Workers see it within a second. Raises SearchError if it is over."""
    if not _search_end(search.pk, SearchState.CANCELLED):
        raise SearchError("This search is over already.")


def search_fail(*, search_id: int, error: str) -> None:
    """Mark an unfinished search as failed."""
    _search_end(search_id, SearchState.FAILED, error)


def search_done(*, search_id: int) -> None:
    """Mark an unfinished search as done."""
    _search_end(search_id, SearchState.DONE)


def searches_reconcile() -> int:
    """Bring searches on whose workers died or were never told. Gives the number of restarts that wait for a worker."""
    lease_give_up(Restart.objects.filter(search__state__in=UNFINISHED_SEARCH), error=GIVEN_UP)
    failed = Restart.objects.filter(state=LeaseState.FAILED, search__state__in=UNFINISHED_SEARCH)
    for search_id, error in failed.values_list("search_id", "error").order_by("search_id", "-id"):
        search_fail(search_id=search_id, error=error)
    waiting = claimable(restarts_to_run()).count()
    if waiting:
        workers_tell(waiting, task=WORK_TASK)
    return waiting


def restarts_to_run() -> QuerySet[Restart]:
    """Restarts of unfinished searches, in the order in which they should run: every search gets its first one soon."""
    return Restart.objects.filter(search__state__in=UNFINISHED_SEARCH).order_by("number", "search_id")


def search_hint(search_id: int) -> None:
    """Tell the pages that show the search, after the commit, that there is something newer."""
    hint(f"search:{search_id}", ParSearch.objects.values_list("rev", flat=True).get(pk=search_id))


def search_touch(search_id: int) -> ParSearch:
    """Note that there is something newer of the search, and tell its pages; gives it as it is now."""
    ParSearch.objects.filter(pk=search_id).update(rev=F("rev") + 1)
    search = ParSearch.objects.get(pk=search_id)
    hint(f"search:{search_id}", search.rev)
    return search


def _search_end(search_id: int, state: SearchState, error: str = "") -> bool:
    with transaction.atomic():
        unfinished = ParSearch.objects.filter(pk=search_id, state__in=UNFINISHED_SEARCH)
        if not unfinished.update(state=state, error=error, finished_at=timezone.now(), rev=F("rev") + 1):
            return False
        search_hint(search_id)
    return True
