"""Playtests: a question is a row, the same question the same row; blocks of games wait in it for workers."""

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from engine.game import get_game
from engine.level import Level, LevelError, draw_level
from playtest.accounts.models import User
from playtest.celery import app
from playtest.leases import LeaseState, claimable, lease_give_up
from playtest.levels.digest import engine_digest
from playtest.levels.models import (
    AgentSpec,
    LevelVersion,
    PlaytestEntry,
    PlaytestReport,
    ReportState,
    TraceBlock,
    Trigger,
)
from playtest.levels.services.agents import default_specs, document_hash
from playtest.live import hint

logger = logging.getLogger(__name__)

BLOCK_GAMES = 25
FIRST_BLOCK_GAMES = 5
"""The first block of every agent is short: the first picture is there when all agents have played theirs."""
MOST_GAMES = 1_000
MOST_ITERATIONS = 100_000
MOST_AGENTS = 40
UNFINISHED = (ReportState.WAITING, ReportState.RUNNING)

WORK_TASK = "playtest.levels.tasks.playtest_work"
MOST_MESSAGES = 8
"""Messages that announce work. More than there are workers help nobody: a worker that finds work announces again."""
MESSAGE_SECONDS = 120
"""A message says only that there is work; an old one says nothing, the reconciler has sent newer ones."""

GIVEN_UP = "These games were begun several times and never finished: they seem to stop the worker that plays them."
OTHER_CODE = "The program was updated before this playtest ended. Run it again."


class PlaytestError(ValueError):
    """A question that makes no sense, in a sentence for the person who asked it."""


@dataclass(frozen=True)
class DrawnBoards:
    """Boards that are drawn for each game from the report's seed, as the random rounds of a study are."""

    game: str
    rows: int
    cols: int
    colours: int
    moves: int | None = None

    @property
    def hash(self) -> str:
        return document_hash(asdict(self))


def playtest_request(
    *,
    level_version: LevelVersion,
    agent_specs: Sequence[AgentSpec] | None = None,
    games: int = 100,
    seed: int = 1,
    iterations: int = 250,
    trigger: Trigger = Trigger.STAFF,
    requested_by: User | None = None,
) -> PlaytestReport:
    """The report that answers how these agents (default: the game's) score on this level; workers are told.

    The same question gives the same row, whoever asks and under whatever name the level goes; a failed one is tried
    again. Raises PlaytestError.
    """
    return _request(
        game=level_version.game,
        boards={"level_version": level_version, "boards_hash": level_version.hash},
        agent_specs=agent_specs,
        numbers=_Numbers(games, seed, iterations),
        trigger=trigger,
        requested_by=requested_by,
    )


def playtest_request_drawn(
    *,
    drawn: DrawnBoards,
    agent_specs: Sequence[AgentSpec] | None = None,
    games: int = 100,
    seed: int = 1,
    iterations: int = 250,
    trigger: Trigger = Trigger.STAFF,
    requested_by: User | None = None,
) -> PlaytestReport:
    """As `playtest_request`, with another board in every game: game i is on the same one for all agents."""
    try:
        draw_level(**asdict(drawn), seed=seed)
    except LevelError as error:
        raise PlaytestError(str(error)) from error
    return _request(
        game=drawn.game,
        boards={"drawn": asdict(drawn), "boards_hash": drawn.hash},
        agent_specs=agent_specs,
        numbers=_Numbers(games, seed, iterations),
        trigger=trigger,
        requested_by=requested_by,
    )


def playtest_request_file(
    *, level: Level, games: int = 100, seed: int = 1, iterations: int = 250, requested_by: User | None = None
) -> PlaytestReport:
    """As `playtest_request` by the default agents, of a level that need not be in the library and is not added to it.

    Once it is saved as a version of a level, the report is that version's (`levels.py`).
    """
    content = level.content_hash()
    version = LevelVersion.objects.filter(hash=content).order_by("id").first()
    boards = {"level_version": version} if version else {"document": level.to_document()}
    return _request(
        game=level.game,
        boards={**boards, "boards_hash": content},
        agent_specs=None,
        numbers=_Numbers(games, seed, iterations),
        trigger=Trigger.STAFF,
        requested_by=requested_by,
    )


def playtest_reconcile() -> int:
    """Bring playtests on whose workers died or were never told. Gives the number of blocks that wait for a worker.

    Safe to call at any time and from several processes: it changes only what is wrong, and else only sends messages.
    """
    _other_code_fail()
    _given_up_fail()
    waiting = claimable(blocks_of_this_code()).count()
    if waiting:
        workers_tell(waiting)
    return waiting


def blocks_of_this_code() -> QuerySet[TraceBlock]:
    """Blocks that a worker of this code may play, in the order in which they should be.

    First blocks come first, of all agents and all reports: every report shows something early, none waits for another.
    """
    reports = {"entry__report__engine_digest": engine_digest(), "entry__report__state__in": UNFINISHED}
    return TraceBlock.objects.filter(**reports).order_by("number", "entry__report_id", "entry__position", "id")


def report_fail(*, report_id: int, error: str) -> None:
    """Mark an unfinished report as failed."""
    with transaction.atomic():
        unfinished = PlaytestReport.objects.filter(pk=report_id, state__in=UNFINISHED)
        if unfinished.update(state=ReportState.FAILED, error=error, finished_at=timezone.now(), rev=F("rev") + 1):
            report_hint(report_id)


def report_hint(report_id: int) -> None:
    """Tell the pages that show the report, after the commit, that there is something newer."""
    rev = PlaytestReport.objects.values_list("rev", flat=True).get(pk=report_id)
    hint(f"report:{report_id}", rev)


def workers_tell(parts: int, *, task: str = WORK_TASK) -> None:
    """Send "there is work" for that many parts. A silent broker is logged, and the reconciler tries again."""
    if not settings.REDIS_URL:
        return
    try:
        for _ in range(min(parts, MOST_MESSAGES)):
            app.send_task(task, queue="playtests", expires=MESSAGE_SECONDS, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("Workers could not be told of their work: %s", error)


@dataclass(frozen=True)
class _Numbers:
    games: int
    seed: int
    iterations: int

    def check(self) -> None:
        if not 1 <= self.games <= MOST_GAMES:
            raise PlaytestError(f"The number of games must be from 1 to {MOST_GAMES:,}, not {self.games:,}.")
        if not 1 <= self.iterations <= MOST_ITERATIONS:
            raise PlaytestError(
                f"The number of iterations must be from 1 to {MOST_ITERATIONS:,}, not {self.iterations:,}."
            )
        if not 0 <= self.seed < 2**53:
            raise PlaytestError("The seed must be a whole number from 0 to 2^53 - 1.")


def _request(
    *,
    game: str,
    boards: dict[str, Any],
    agent_specs: Sequence[AgentSpec] | None,
    numbers: _Numbers,
    trigger: Trigger,
    requested_by: User | None,
) -> PlaytestReport:
    numbers.check()
    specs = default_specs(game=game) if agent_specs is None else list(dict.fromkeys(agent_specs))
    if not specs:
        raise PlaytestError("Nobody is to play: choose at least one agent.")
    if len(specs) > MOST_AGENTS:
        raise PlaytestError(f"At most {MOST_AGENTS} agents can play in one report.")
    for spec in specs:
        if spec.game not in ("", game):
            titles = get_game(spec.game).info.title, get_game(game).info.title
            raise PlaytestError(f"{spec.name} plays {titles[0]}, these boards are of {titles[1]}.")
    game_version = get_game(game).info.version
    inputs = {
        "boards": boards["boards_hash"],
        "agents": sorted(spec.hash for spec in specs),
        "games": numbers.games,
        "seed": numbers.seed,
        "iterations": numbers.iterations,
        "game_version": game_version,
        "engine": engine_digest(),
    }
    question = document_hash(inputs)
    found = PlaytestReport.objects.filter(hash=question).first()
    if found is not None:
        return _tried_again(found) if found.state == ReportState.FAILED else found
    report = PlaytestReport(
        **boards,
        seed=numbers.seed,
        games=numbers.games,
        iterations=numbers.iterations,
        game_version=game_version,
        engine_digest=inputs["engine"],
        trigger=trigger,
        hash=question,
        blocks_total=len(specs) * len(block_starts(numbers.games)),
        requested_by=requested_by,
    )
    try:
        with transaction.atomic():
            report.save(force_insert=True)
            _work_add(report, specs)
            transaction.on_commit(partial(workers_tell, report.blocks_total), robust=True)
    except IntegrityError:
        # Somebody asked the same at the same moment; any other conflict shows in the next line.
        return PlaytestReport.objects.get(hash=question)
    return report


def block_starts(games: int) -> list[int]:
    """The first game of each block of so many games."""
    return [0, *range(FIRST_BLOCK_GAMES, games, BLOCK_GAMES)]


def _work_add(report: PlaytestReport, specs: Sequence[AgentSpec]) -> None:
    starts = block_starts(report.games)
    entries = PlaytestEntry.objects.bulk_create(
        PlaytestEntry(report=report, agent_spec=spec, position=position, blocks_total=len(starts))
        for position, spec in enumerate(specs)
    )
    TraceBlock.objects.bulk_create(
        TraceBlock(entry=entry, number=number, first_game=start, games=end - start)
        for entry in entries
        for number, (start, end) in enumerate(pairwise([*starts, report.games]))
    )


def _tried_again(report: PlaytestReport) -> PlaytestReport:
    """Let a failed report wait for workers again. What was played of it stays."""
    with transaction.atomic():
        # Blocks before the report, as everywhere: two orders of locking would be a deadlock some day.
        TraceBlock.objects.filter(entry__report=report).exclude(state=LeaseState.DONE).update(
            state=LeaseState.WAITING, lease_until=None, worker="", attempts=0, error=""
        )
        failed = PlaytestReport.objects.filter(pk=report.pk, state=ReportState.FAILED)
        if failed.update(state=ReportState.WAITING, error="", finished_at=None, rev=F("rev") + 1):
            report_hint(report.pk)
            transaction.on_commit(partial(workers_tell, report.blocks_total), robust=True)
        else:
            transaction.set_rollback(True)
    report.refresh_from_db()
    return report


def _other_code_fail() -> None:
    """Fail reports that no worker of this code may finish, once no worker of theirs is at it any more."""
    others = PlaytestReport.objects.filter(state__in=UNFINISHED).exclude(engine_digest=engine_digest())
    for report_id in list(others.values_list("pk", flat=True)):
        held = TraceBlock.objects.filter(entry__report_id=report_id, state=LeaseState.LEASED)
        if held.count() == claimable(held).count():
            report_fail(report_id=report_id, error=OTHER_CODE)


def _given_up_fail() -> None:
    """Fail reports with blocks that ran out of tries."""
    lease_give_up(TraceBlock.objects.filter(entry__report__state__in=UNFINISHED), error=GIVEN_UP)
    failed = TraceBlock.objects.filter(state=LeaseState.FAILED, entry__report__state__in=UNFINISHED)
    for report_id, error in failed.values_list("entry__report_id", "error").order_by("entry__report_id", "-id"):
        report_fail(report_id=report_id, error=error)
