"""Jobs for the writer, made as the socket makes them."""

from datetime import UTC, datetime

from engine.round import Round as EngineRound
from playtest.studies.choices import EndReason
from playtest.studies.models import Round
from playtest.studies.selectors.documents import round_level
from playtest.studies.services.moves import MoveJob


def first_move(row: Round, *, epoch: int, client_id: str = "other-process", choice: int = 0) -> MoveJob:
    """The first move of a round: its legal action number `choice`, counted round and round."""
    return move_after(row, [], epoch=epoch, client_id=client_id, choice=choice)


def move_after(row: Round, codes: list[int], *, epoch: int, client_id: str, choice: int = 0) -> MoveJob:
    """The move after those of the codes."""
    game = EngineRound.replay(round_level(row), codes)
    legal = game.legal_actions()
    outcome = game.play(legal[choice % len(legal)])
    return MoveJob(
        round_id=row.pk,
        study_id=row.participant.study_id,
        epoch=epoch,
        seq=len(codes) + 1,
        client_id=client_id,
        action=outcome.code,
        reversed=outcome.reversed,
        gained=outcome.gained,
        score=outcome.score,
        moves_used=game.moves_used,
        steps=outcome.steps,
        cleared=outcome.cleared,
        legal_before=outcome.legal_before,
        reshuffles=0,
        check_hex=game.check(),
        over=EndReason[outcome.over.upper()] if outcome.over else None,
        received_at=datetime.now(UTC),
    )
