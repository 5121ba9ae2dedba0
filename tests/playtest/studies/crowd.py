"""Many participants at once, written straight into the tables: every round is really played, none twice the same."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

from engine.level import draw_level
from engine.round import Round as EngineRound
from playtest.studies.choices import EndReason, EventKind, InputMode, Kind, RoundState, Status
from playtest.studies.identity import code_draw, public_id_draw
from playtest.studies.models import Answer, Event, Move, PageVisit, Participant, Round, Study

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ROUNDS = 6
MOVES = 20
LOT = 50
WORDS = "Some went well, “others” less so;\nthe second was =hard, the third 🙂. " * 3


def crowd(study: Study, participants: int) -> None:
    """Participants with answers, six rounds of 20 moves each on a board of its own, and events."""
    seeds = count(1)
    for first in range(0, participants, LOT):
        people = Participant.objects.bulk_create(person(study) for _ in range(first, min(first + LOT, participants)))
        rounds, plays = [], []
        for participant in people:
            for position in range(1, ROUNDS + 1):
                row, play = played_round(participant, position, next(seeds))
                rounds.append(row)
                plays.append(play)
        Round.objects.bulk_create(rounds)
        for row, play in zip(rounds, plays, strict=True):
            # Their scores are known when the moves are.
            Move.objects.bulk_create(moves_of(row, play))
            row.score = play.score
        Round.objects.bulk_update(rounds, ["score"])
        visits = PageVisit.objects.bulk_create(
            PageVisit(participant=one, page_key="profile", visit_id=public_id_draw(), submitted_at=START)
            for one in people
        )
        Answer.objects.bulk_create(
            Answer(visit=visit, participant=visit.participant, page_key="profile", item_key=key, value=value)
            for visit in visits
            for key, value in (("often", '"daily"'), ("words", json.dumps(WORDS)))
        )
        Event.objects.bulk_create(
            Event(participant=one, kind=EventKind.HIDDEN, received_at=START, client_ms=number, data='{"a":1}')
            for one in people
            for number in range(20)
        )


def person(study: Study) -> Participant:
    return Participant(
        public_id=public_id_draw(),
        study=study,
        version=study.published,
        kind=Kind.BOT,
        code=code_draw(),
        token_hash=None,
        status=Status.ACTIVE,
        language="en",
        started_at=START,
        last_seen_at=START,
    )


def played_round(participant: Participant, position: int, seed: int) -> tuple[Round, EngineRound]:
    """The row of a finished round, and the play to which its moves belong."""
    level = draw_level(seed=seed, moves=MOVES)
    play = EngineRound(level)
    row = Round(
        participant=participant,
        kind=participant.kind,
        position=position,
        key=f"drawn-{position}",
        level=level.to_document(),
        level_hash=level.content_hash(),
        game=level.game,
        game_version=play.game.info.version,
        seed=level.seed,
        state=RoundState.DONE,
        reason=EndReason.MOVES,
        seq=MOVES,
        moves_used=MOVES,
        started_at=START,
        ended_at=START,
    )
    return row, play


def moves_of(row: Round, play: EngineRound) -> Iterator[Move]:
    for seq in range(1, MOVES + 1):
        legal = play.legal_codes()
        outcome = play.play_code(legal[seq % len(legal)])
        yield Move(
            round=row,
            seq=seq,
            client_id=f"move-number-{seq}",
            action=outcome.code,
            gained=outcome.gained,
            score_after=outcome.score,
            steps=outcome.steps,
            cleared=outcome.cleared,
            legal_before=outcome.legal_before,
            check_hex=play.check(),
            received_at=START + timedelta(seconds=seq),
            think_ms=1_500 + seq,
            anim_ms=700,
            hidden_ms=0,
            server_ms=2_300,
            rtt_ms=30,
            input=InputMode.BOT,
            conn=1,
        )
