"""A worker's part of a search for par: claim a restart, run its solver outside any transaction, keep its best play.

A restart takes up to two minutes, that of a solver which has only one up to an hour, and a designer who asks for
something meanwhile is to wait for seconds: while the solver's thread searches, the worker does whatever else comes into
its queue, a piece at a time, and looks after the restart between them.
"""

import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from engine.level import LevelError, parse_level
from engine.solver import Budget, SolverError
from engine.solving import BestPlay, Progress, SolveRun, get_solver
from playtest.leases import (
    Claim,
    LeaseState,
    claimable,
    lease_claim_next,
    lease_fail,
    lease_finish,
    lease_release,
    lease_renew,
)
from playtest.levels.models import UNFINISHED_SEARCH, ParSearch, Restart, SearchState
from playtest.levels.services.blocks import block_work_next
from playtest.levels.services.playtests import workers_tell
from playtest.levels.services.searches import (
    LONG_RESTART_SECONDS,
    WORK_TASK,
    restarts_to_run,
    search_done,
    search_fail,
    search_hint,
    search_touch,
)
from playtest.levels.short_work import ShortWork, short_work

logger = logging.getLogger(__name__)

LEASE_SECONDS = 60.0
LOOK_SECONDS = 1.0
"""How often a running restart looks whether it is still wanted, and writes down how far it is."""


def restart_work_next(*, worker: str, beside: "_Watched | None" = None) -> bool:
    """Claim one restart, run it and store what it found. False: there was nothing to do.

    Says again that there is work if more waits, so that one message is enough to keep a worker busy.

    beside: a long one that this worker holds already and looks after meanwhile; then only those that are not long
    """
    waiting = restarts_to_run().select_related("search__level_version")
    if beside is not None:
        waiting = waiting.filter(limit__lte=LONG_RESTART_SECONDS)
    claimed = lease_claim_next(waiting, worker=worker, seconds=LEASE_SECONDS)
    if claimed is None:
        return False
    restart, claim = claimed
    _search_begin(restart.search_id)
    try:
        _Watched(restart, claim, worker, beside).run()
    except (SolverError, LevelError) as error:
        logger.warning("A search cannot be run: %s", error)
        if lease_fail(Restart, claim, error=str(error), final=True):
            search_fail(search_id=restart.search_id, error=str(error))
    if claimable(restarts_to_run()).exists():
        workers_tell(1, task=WORK_TASK)
    return True


@dataclass(frozen=True)
class Found:
    """A play, and after how many seconds of search it was found."""

    play: BestPlay
    after: float


def restart_note(claim: Claim, *, spent: float, nodes: int, found: Found | None) -> None:
    """Write down how far a running restart is, and what it found if that is better than what is stored."""
    held = Restart.objects.filter(pk=claim.pk, lease_epoch=claim.epoch, state=LeaseState.LEASED)
    with transaction.atomic():
        held.update(spent=spent, nodes=nodes)
        if found is not None:
            _found_keep(claim.pk, found)
        search_touch(Restart.objects.values_list("search_id", flat=True).get(pk=claim.pk))


def restart_store(*, restart_id: int, found: Found, nodes: int, seconds: float, worker: str, is_last: bool) -> bool:
    """Store what a restart found, and end its search with the last one. False: it was done before.

    is_last: nothing is left to search, so that no other restart can find more
    """
    with transaction.atomic():
        values = {"nodes": nodes, "spent": 1.0}
        if not lease_finish(Restart, restart_id, seconds=seconds, worker=worker, values=values):
            return False
        _found_keep(restart_id, found)
        search_id = Restart.objects.values_list("search_id", flat=True).get(pk=restart_id)
        ParSearch.objects.filter(pk=search_id).update(restarts_done=F("restarts_done") + 1)
        search = search_touch(search_id)
        if is_last or search.restarts_done == search.restarts_total:
            search_done(search_id=search_id)
    return True


def _found_keep(restart_id: int, found: Found) -> None:
    """An earlier worker of the same restart may have found more before it died."""
    play = found.play
    worse = Restart.objects.filter(Q(score__isnull=True) | Q(score__lt=play.score), pk=restart_id)
    worse.update(score=play.score, codes=list(play.codes), cleared=play.cleared, found_after=round(found.after, 2))


def _search_begin(search_id: int) -> None:
    with transaction.atomic():
        waiting = ParSearch.objects.filter(pk=search_id, state=SearchState.WAITING)
        if waiting.update(state=SearchState.RUNNING, started_at=timezone.now(), rev=F("rev") + 1):
            search_hint(search_id)


def _solve_run(restart: Restart, budget: Budget) -> SolveRun:
    search, solver = restart.search, get_solver(restart.search.solver)
    # They may have been settled by another version of the program, which had others.
    settings = solver.settle(None, search.parameters)
    return SolveRun(
        parse_level(search.level_version.document), solver, settings, budget, seed=search.seed + restart.number
    )


class _Watched:
    """A restart at work: how far it is goes to its row, other work is done meanwhile, a stop is heard."""

    def __init__(self, restart: Restart, claim: Claim, worker: str, beside: "_Watched | None" = None) -> None:
        self.restart, self.claim, self.worker, self.beside = restart, claim, worker, beside
        self.solve = _solve_run(restart, Budget(seconds=restart.limit))
        self.looked = time.monotonic()
        self.best: int | None = None
        self.found_after = 0.0
        self.noted: int | None = None
        self.is_wanted = True
        is_long = restart.limit > LONG_RESTART_SECONDS
        others: list[ShortWork] = [block_work_next, *short_work(beside_long=is_long)]
        if is_long:
            # Who asks for a short search is not to wait for an hour.
            others.append(self._run_beside)
        self.others = deque(others)

    def run(self) -> None:
        if not self._prepare():
            lease_release(Restart, self.claim)
            return
        solution = self.solve.run(self.look, stop=lambda: not self.is_wanted)
        if solution.score != self.best:
            self.found_after = solution.seconds
        restart_store(
            restart_id=self.restart.pk,
            found=Found(BestPlay(solution.score, solution.codes, solution.cleared), self.found_after),
            nodes=solution.nodes,
            seconds=solution.seconds,
            worker=self.worker,
            is_last=solution.exhausted,
        )

    def look(self, progress: Progress) -> None:
        """Called about twenty times a second while the solver's thread searches."""
        self._see(progress)
        if time.monotonic() - self.looked >= LOOK_SECONDS:
            self._tend(is_over=lambda: self.solve.progress.spent >= 1)

    def _prepare(self) -> bool:
        """Have a thread load what the solver needs, and compile it after a first start, which takes minutes.

        False: the search was stopped meanwhile. Nobody can stop the compiler, it ends by itself.
        """
        loading = _solve_run(self.restart, Budget(nodes=1))
        pool = ThreadPoolExecutor(1)
        try:
            loaded = pool.submit(loading.run)
            while not wait([loaded], LOOK_SECONDS).done:
                self._tend(is_over=loaded.done)
                if not self.is_wanted:
                    loading.cancel()
                    return False
            loaded.result()
        finally:
            pool.shutdown(wait=False)
        return True

    def _tend(self, *, is_over: Callable[[], bool]) -> None:
        """Look after the restart, do what waits in the queue, and look again after every piece of it.

        Each kind has its turn, as their messages have in the queue: whoever was served announces its next piece last.
        """
        self._note()
        without = 0
        while without < len(self.others) and self.is_wanted and not is_over():
            work = self.others[0]
            self.others.rotate(-1)
            if work(worker=self.worker):
                without = 0
                self._note()
            else:
                without += 1
        self.looked = time.monotonic()

    def _run_beside(self, *, worker: str) -> bool:
        return restart_work_next(worker=worker, beside=self)

    def _note(self) -> None:
        """Hold the restart, write down how far it is, and hear whether it is still wanted."""
        progress = self.solve.progress
        self._see(progress)
        lease_renew(Restart, self.claim, seconds=LEASE_SECONDS)
        restart_note(self.claim, spent=progress.spent, nodes=progress.nodes, found=self._better())
        self.is_wanted = ParSearch.objects.filter(pk=self.restart.search_id, state__in=UNFINISHED_SEARCH).exists()
        if self.beside is not None:
            self.beside._note()
            if not self.beside.is_wanted:
                # Nobody else tells it before this restart has ended.
                self.beside.solve.cancel()

    def _see(self, progress: Progress) -> None:
        if progress.score != self.best:
            self.best, self.found_after = progress.score, progress.spent * self.restart.limit

    def _better(self) -> Found | None:
        """The best play so far if it is better than the one that was noted last."""
        play = self.solve.best_so_far()
        if play is None or play.score == self.noted:
            return None
        self.noted = play.score
        return Found(play, self.found_after)
