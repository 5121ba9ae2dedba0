"""A small study with participants who really played: every stored move is one of an agent in the engine."""

from typing import Any

from django.utils import timezone

from engine.level import Level, draw_level
from engine.round import Round as Game
from personas.agent import load_agent
from playtest.accounts.models import User
from playtest.studies.choices import Cause, EndReason, Kind, RoundState, Status
from playtest.studies.models import Move, Participant, Round, Study
from playtest.studies.selectors.documents import round_level
from playtest.studies.services.participants import consent_decide, participant_start
from playtest.studies.services.studies import study_create, study_publish
from playtest.studies.services.transitions import status_change

RANDOM_BOARD = {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": 20}


def preset_levels() -> list[Level]:
    """Two levels that are the same for everybody."""
    names = ("Stepping stones", "Quarry")
    return [draw_level(seed=seed, name=name) for seed, name in enumerate(names, start=11)]


def study_document(levels: list[Level], *, drawn: int = 2, title: str = "How do you play?") -> dict[str, Any]:
    """A study of these levels and of some boards that are drawn for each participant."""
    rounds = [{"key": f"preset-{n}", "level": level.to_document()} for n, level in enumerate(levels, start=1)]
    rounds += [{"key": f"random-{n}", "random": dict(RANDOM_BOARD)} for n in range(1, drawn + 1)]
    return {
        "format": 1,
        "title": title,
        "pages": [
            {"key": "consent", "kind": "consent", "title": "Before you start", "text": "Take part?", "agree": "Yes."},
            {"key": "rounds", "kind": "rounds", "title": "Rounds", "order": "shuffle", "rounds": rounds},
            {"key": "end", "kind": "end", "title": "Thank you"},
        ],
    }


def make_study(*, owner: User | None = None, levels: list[Level] | None = None, drawn: int = 2) -> Study:
    """A published, open study."""
    document = study_document(preset_levels() if levels is None else levels, drawn=drawn)
    study = study_create(owner=owner, document=document)
    study_publish(study=study, by=owner)
    study.refresh_from_db()
    return study


def make_participant(study: Study, kind: Kind) -> Participant:
    """Somebody who agreed to take part and has all rounds before them."""
    participant = participant_start(study=study, kind=kind).participant
    consent_decide(participant=participant, agree=True)
    return participant


def play_rounds(participant: Participant, *, agent: str = "random", seed: int = 1, rounds: int = 100) -> list[int]:
    """Play the next rounds to their end as the agent would; gives the scores in the order played."""
    scores = []
    for row in Round.objects.filter(participant=participant, state=RoundState.PLANNED).order_by("position")[:rounds]:
        scores.append(play_round(row, agent=agent, seed=seed))
    if not Round.objects.filter(participant=participant, state=RoundState.PLANNED).exists():
        status_change(participant=participant, to=Status.COMPLETED, cause=Cause.SYSTEM)
    return scores


def play_round(row: Round, *, agent: str, seed: int) -> int:
    level = round_level(row)
    (trace,) = load_agent(agent).play_games([level], [seed])
    game, now = Game(level), timezone.now()
    for seq, code in enumerate(trace.codes, start=1):
        outcome = game.play_code(code)
        Move.objects.create(
            round=row,
            seq=seq,
            client_id=f"move-{seq:04d}",
            action=code,
            gained=outcome.gained,
            score_after=outcome.score,
            steps=outcome.steps,
            cleared=outcome.cleared,
            legal_before=outcome.legal_before,
            check_hex=game.check(),
            received_at=now,
            conn=1,
        )
    Round.objects.filter(pk=row.pk).update(
        state=RoundState.DONE,
        reason=EndReason.MOVES,
        seq=len(trace.codes),
        score=game.score,
        moves_used=game.moves_used,
        check_hex=game.check(),
        started_at=now,
        last_at=now,
        ended_at=now,
    )
    return game.score
