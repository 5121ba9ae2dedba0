"""A participant's round as it can be watched again."""

from datetime import datetime

from playtest.replay import Entry, Replay, StepKind, replay_game
from playtest.studies.choices import InputMode, MoveKind
from playtest.studies.models import Attempt, Move, Round
from playtest.studies.selectors.documents import round_level


def round_replay(row: Round) -> Replay:
    """The round played again from its stored moves, with the attempts where they were made. Two queries."""
    return replay_game(round_level(row), round_entries(row), game_version=row.game_version)


def round_entries(row: Round) -> list[Entry]:
    """Moves, undos and attempts in the order in which they were made."""
    tries: dict[int, list[Entry]] = {}
    for attempt in Attempt.objects.filter(round=row).order_by("pk"):
        tries.setdefault(attempt.before_seq, []).append(attempt_entry(row, attempt))
    entries: list[Entry] = []
    for move in Move.objects.filter(round=row).order_by("seq"):
        entries += tries.pop(move.seq, [])
        entries.append(move_entry(row, move))
    # What was tried after the last move, in a round that was left or ran out of time.
    return entries + [entry for left in tries.values() for entry in left]


def move_entry(row: Round, move: Move) -> Entry:
    return Entry(
        kind=StepKind.UNDO if move.kind == MoveKind.UNDO else StepKind.MOVE,
        seq=move.seq,
        code=move.action,
        reversed=move.reversed,
        score_after=move.score_after,
        check=move.check_hex,
        think_ms=move.think_ms,
        hidden_ms=move.hidden_ms,
        at_ms=since_start(row, move.received_at),
        input=input_name(move.input),
    )


def attempt_entry(row: Round, attempt: Attempt) -> Entry:
    return Entry(
        kind=StepKind.ATTEMPT,
        seq=attempt.before_seq,
        action=attempt.action,
        think_ms=attempt.think_ms,
        at_ms=since_start(row, attempt.received_at),
        input=input_name(attempt.input),
    )


def since_start(row: Round, at: datetime) -> int | None:
    """Milliseconds since the round was opened, by the server's clock: to find one's way, not to analyse."""
    if row.started_at is None:
        return None
    return max(0, round((at - row.started_at).total_seconds() * 1_000))


def input_name(value: int | None) -> str | None:
    return None if value is None else str(InputMode(value).label)
