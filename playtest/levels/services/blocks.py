"""A worker's part of a playtest: claim a block of games, play it outside any transaction, store it once.

Several blocks end at the same moment on several workers. Each raises the counters of its entry and its report with
`UPDATE`s, which lock the rows in that order; so whoever brings an entry to its last block sees all the others and
writes the figures, once. Counting finished blocks instead would let the last two miss each other.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from engine.level import LevelError
from personas.agent import AgentError, agent_from_document
from personas.persona import PersonaError
from personas.report import game_seed, summarise
from playtest.leases import Claim, claimable, lease_claim_next, lease_fail, lease_finish, lease_renew
from playtest.levels.boards import report_boards, report_horizons
from playtest.levels.digest import engine_digest
from playtest.levels.models import PlaytestEntry, PlaytestReport, ReportState, TraceBlock
from playtest.levels.services.playtests import UNFINISHED, blocks_of_this_code, report_fail, report_hint, workers_tell
from playtest.levels.styles import block_style
from playtest.levels.traces import GameTrace, TraceFormatError, block_digest, block_figures, encode_block

logger = logging.getLogger(__name__)

LEASE_SECONDS = 60.0
RENEW_SECONDS = 15.0
SEARCHING = frozenset({"mcts", "formula"})


def block_work_next(*, worker: str) -> bool:
    """Claim one block, play it and store it. False: there was nothing to do.

    Says again that there is work if more waits, so that one message is enough to keep a worker busy.
    """
    claimed = lease_claim_next(
        blocks_of_this_code().select_related("entry__report__level_version", "entry__agent_spec"),
        worker=worker,
        seconds=LEASE_SECONDS,
    )
    if claimed is None:
        return False
    block, claim = claimed
    _report_begin(block.entry.report_id)
    started = time.monotonic()
    try:
        games = _play(block, _renewer(claim))
        data = encode_block(games)
        style = block_style(block, games)
    except (AgentError, PersonaError, LevelError, TraceFormatError) as error:
        logger.warning("A playtest cannot be played: %s", error)
        if lease_fail(TraceBlock, claim, error=str(error), final=True):
            report_fail(report_id=block.entry.report_id, error=str(error))
    else:
        block_store(block_id=block.pk, data=data, seconds=time.monotonic() - started, worker=worker, style=style)
    if claimable(blocks_of_this_code()).exists():
        workers_tell(1)
    return True


def block_store(
    *, block_id: int, data: bytes, seconds: float, worker: str = "", style: dict[str, Any] | None = None
) -> bool:
    """Store a block's games with what they show, and its agent's figures if it was the last one. False: done before.

    Nothing is stored for a report of another code or one that is over: its figures would mix two kinds of games.
    """
    with transaction.atomic():
        values = {"data": data, "sha256": block_digest(data), "style": style}
        if not lease_finish(TraceBlock, block_id, seconds=seconds, worker=worker, values=values):
            return False
        entry_id, report_id = TraceBlock.objects.values_list("entry_id", "entry__report_id").get(pk=block_id)
        PlaytestEntry.objects.filter(pk=entry_id).update(blocks_done=F("blocks_done") + 1)
        entry = PlaytestEntry.objects.get(pk=entry_id)
        if entry.blocks_done == entry.blocks_total:
            _figures_write(entry)
        own = PlaytestReport.objects.filter(pk=report_id, state__in=UNFINISHED, engine_digest=engine_digest())
        if not own.update(blocks_done=F("blocks_done") + 1, state=ReportState.RUNNING, rev=F("rev") + 1):
            transaction.set_rollback(True)
            return False
        PlaytestReport.objects.filter(pk=report_id, blocks_done=F("blocks_total")).update(
            state=ReportState.DONE, finished_at=timezone.now()
        )
        report_hint(report_id)
    return True


@dataclass
class _Renewal:
    claim: Claim
    last: float


def _renewer(claim: Claim) -> Callable[[int], None]:
    """What is called after every game: it holds the lease of a block whose games are long."""
    renewal = _Renewal(claim, time.monotonic())

    def renew(_games: int) -> None:
        if time.monotonic() - renewal.last >= RENEW_SECONDS:
            renewal.last = time.monotonic()
            lease_renew(TraceBlock, renewal.claim, seconds=LEASE_SECONDS)

    return renew


def _report_begin(report_id: int) -> None:
    with transaction.atomic():
        waiting = PlaytestReport.objects.filter(pk=report_id, state=ReportState.WAITING)
        if waiting.update(state=ReportState.RUNNING, started_at=timezone.now(), rev=F("rev") + 1):
            report_hint(report_id)


def _play(block: TraceBlock, progress: Callable[[int], None]) -> list[GameTrace]:
    """The games of a block. They depend on the report's inputs alone: whoever plays them gets the same."""
    report, spec = block.entry.report, block.entry.agent_spec
    document = dict(spec.spec)
    if document["kind"] in SEARCHING:
        document["search"] = {**document.get("search", {}), "iterations": report.iterations}
    agent = agent_from_document(document)
    numbers = range(block.first_game, block.first_game + block.games)
    traces = agent.play_games(
        report_boards(report, numbers), [game_seed(report.seed, game) for game in numbers], progress=progress
    )
    return [GameTrace(trace.score, tuple(trace.codes), tuple(trace.legal_before)) for trace in traces]


def _figures_write(entry: PlaytestEntry) -> None:
    """Write the figures of an agent whose games are all there."""
    scores: list[int] = []
    legal: list[float] = []
    seconds = 0.0
    for block in entry.blocks.order_by("number"):
        assert block.data is not None
        games = range(block.first_game, block.first_game + block.games)
        block_scores, block_legal = block_figures(block.data, report_horizons(entry.report, games))
        scores += block_scores
        legal += block_legal
        seconds += block.seconds or 0.0
    summary = summarise(scores)
    entry.n = len(scores)
    entry.score_mean, entry.score_sd = summary["mean"], summary["sd"]
    for name in ("min", "q05", "q25", "median", "q75", "q95", "max"):
        setattr(entry, name, summary[name])
    if len(scores) > 1:
        entry.ci_lo, entry.ci_hi = summary["ci95"]
    if legal:
        of_legal = summarise(legal)
        entry.legal_mean = of_legal["mean"]
        if len(legal) > 1:
            entry.legal_lo, entry.legal_hi = of_legal["ci95"]
    entry.seconds = seconds
    entry.save()
