"""Opinions of personas about people's moves: asked for by staff, taken by workers, one row a round and persona.

A row is claimed, computed outside any transaction and stored once (`playtest/leases.py`). It is a pure function of
stored rows and code, so it matters to nobody who does it, or that two do.
"""

import logging
import time
from collections.abc import Callable, Sequence

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from kombu.exceptions import OperationalError

from engine.game import get_game
from engine.level import LevelError
from engine.round import ActionRefused
from personas.agent import AgentError, agent_from_document
from personas.persona import PersonaError
from playtest.accounts.models import User
from playtest.accounts.services.audit import audit_record
from playtest.celery import app
from playtest.insights.models import Opinion
from playtest.insights.opinions import OpinionError, Opinions, encode_opinions, opinions_of
from playtest.leases import (
    Claim,
    LeaseState,
    claimable,
    lease_claim_next,
    lease_fail,
    lease_finish,
    lease_give_up,
    lease_renew,
)
from playtest.levels.digest import engine_digest
from playtest.levels.services.agents import default_specs
from playtest.live import hint
from playtest.studies.choices import Kind, MoveKind, Purpose, RoundState
from playtest.studies.models import Move, Round, Study
from playtest.studies.selectors.documents import round_level

logger = logging.getLogger(__name__)

TASK = "playtest.insights.tasks.opinions_work_next"
PIECE_SECONDS = 1.0
"""How long a worker takes opinions before it looks whether something else waits for it."""
MESSAGES = 2
MESSAGE_SECONDS = 120
LEASE_SECONDS = 60.0
RENEW_SECONDS = 15.0
LOT = 500
GIVEN_UP = "It was begun several times and never finished."


def opinions_request(*, study: Study, by: User | None, level_hashes: Sequence[str] | None = None) -> int:
    """Let the default agents look at every finished round of people and bots, or of these levels.

    Gives how many opinions are newly waited for. Those that are there are not taken again; failed ones are.
    """
    rounds = rounds_judged(study)
    if level_hashes is not None:
        rounds = rounds.filter(level_hash__in=level_hashes)
    added = sum(_missing_add(rounds.filter(game=game), game) for game in _games(rounds))
    failed = Opinion.objects.filter(
        round__in=rounds.values("pk"), engine_digest=engine_digest(), state=LeaseState.FAILED
    )
    with transaction.atomic():
        added += failed.update(state=LeaseState.WAITING, lease_until=None, worker="", attempts=0, error="")
        audit_record(actor=by, action="study.opinions", target=study, after={"opinions": added})
        transaction.on_commit(workers_tell, robust=True)
    return added


def opinions_work(*, worker: str, seconds: float = PIECE_SECONDS) -> int:
    """Take opinions for so long, at least one if any waits; gives how many. Says again that there is work if so."""
    until = time.monotonic() + seconds
    studies: dict[int, int] = {}
    taken = 0
    while taken == 0 or time.monotonic() < until:
        rows = opinions_of_this_code().select_related("round__level_version", "round__participant", "agent_spec")
        claimed = lease_claim_next(rows, worker=worker, seconds=LEASE_SECONDS)
        if claimed is None:
            break
        opinion, claim = claimed
        _opinion_take(opinion, claim, worker)
        study_id = opinion.round.participant.study_id
        studies[study_id] = studies.get(study_id, 0) + 1
        taken += 1
    for study_id in studies:
        hint(f"opinions:{study_id}", opinions_done(study_id))
    if taken and claimable(opinions_of_this_code()).exists():
        workers_tell(1)
    return taken


def opinions_reconcile() -> int:
    """Tell workers of opinions that wait for nobody knows what. Gives how many there are."""
    lease_give_up(opinions_of_this_code(), error=GIVEN_UP)
    waiting = claimable(opinions_of_this_code()).count()
    if waiting:
        workers_tell()
    return waiting


def workers_tell(messages: int = MESSAGES) -> None:
    """Say that there is work. A silent broker is logged, and the reconciler tries again."""
    if not settings.REDIS_URL:
        return
    try:
        for _ in range(messages):
            app.send_task(TASK, queue="playtests", expires=MESSAGE_SECONDS, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("Workers could not be told of opinions: %s", error)


def rounds_judged(study: Study) -> QuerySet[Round]:
    """Finished scored rounds of people and bots."""
    return Round.objects.filter(
        participant__study=study,
        kind__in=(Kind.PERSON, Kind.BOT),
        purpose=Purpose.SCORED,
        state=RoundState.DONE,
        moves_used__gt=0,
    )


def opinions_of_this_code() -> QuerySet[Opinion]:
    """Opinions that a worker of this code may take. First those of one persona about all, then of the next."""
    return Opinion.objects.filter(engine_digest=engine_digest()).order_by("id")


def opinions_done(study_id: int) -> int:
    return Opinion.objects.filter(
        round__participant__study=study_id, engine_digest=engine_digest(), state=LeaseState.DONE
    ).count()


def _games(rounds: QuerySet[Round]) -> list[str]:
    return sorted(set(rounds.order_by().values_list("game", flat=True)))


def _missing_add(rounds: QuerySet[Round], game: str) -> int:
    """Rows for what nobody asked yet. Two who ask at once: the second finds the rows of the first."""
    digest = engine_digest()
    added = 0
    for spec in default_specs(game=game):
        for _ in range(3):
            there = Opinion.objects.filter(agent_spec=spec, engine_digest=digest)
            missing = list(rounds.exclude(pk__in=there.values("round")).order_by("pk").values_list("pk", flat=True))
            try:
                for start in range(0, len(missing), LOT):
                    lot = missing[start : start + LOT]
                    with transaction.atomic():
                        Opinion.objects.bulk_create(
                            Opinion(round_id=pk, agent_spec=spec, engine_digest=digest) for pk in lot
                        )
                    added += len(lot)
                break
            except IntegrityError:
                logger.info("Opinions were asked for twice at once, or a round was withdrawn meanwhile")
    return added


def _opinion_take(opinion: Opinion, claim: Claim, worker: str) -> None:
    started = last = time.monotonic()

    def progress() -> None:
        nonlocal last
        if time.monotonic() - last >= RENEW_SECONDS:
            last = time.monotonic()
            lease_renew(Opinion, claim, seconds=LEASE_SECONDS)

    try:
        data = encode_opinions(_opinions(opinion, progress))
    except (AgentError, PersonaError, LevelError, OpinionError) as error:
        logger.warning("There is no opinion: %s", error)
        lease_fail(Opinion, claim, error=str(error), final=True)
        return
    # The round may be gone by now, and its opinion with it: then nothing is stored.
    lease_finish(Opinion, opinion.pk, seconds=time.monotonic() - started, worker=worker, values={"data": data})


def _opinions(opinion: Opinion, progress: Callable[[], None]) -> Opinions:
    row = opinion.round
    info = get_game(row.game).info
    if info.version != row.game_version:
        raise OpinionError(
            f"The round was played by version {row.game_version} of the rules of {info.title}, "
            f"the program has version {info.version} now."
        )
    moves = Move.objects.filter(round=row).order_by("seq").values_list("kind", "action")
    codes = [None if kind == MoveKind.UNDO else action for kind, action in moves]
    agent = agent_from_document(opinion.agent_spec.spec)
    try:
        return opinions_of(agent, round_level(row), codes, seed=row.seed, progress=progress)
    except ActionRefused as refused:
        raise OpinionError(f"A stored move is not legal when it is played again ({refused.reason}).") from refused
