"""The messages of the server, as JSON values."""

from typing import Any

from engine.game import get_game
from engine.round import Outcome
from playtest.studies.choices import Purpose
from playtest.studies.play import say
from playtest.studies.play.messages import VERSION, Act
from playtest.studies.play.rounds import LiveRound


def next_path(study_public_id: str) -> str:
    return f"/s/{study_public_id}/next"


def state(live: LiveRound, *, owner: bool) -> dict[str, Any]:
    stored, shown = live.stored, live.shown
    level = stored.level
    return {
        "t": "state",
        "v": VERSION,
        "epoch": live.epoch,
        "owner": owner,
        "round": stored.label,
        "n": stored.position,
        "of": stored.count,
        "purpose": "scored" if stored.purpose == Purpose.SCORED else "practice",
        "game": level.game,
        "gesture": get_game(level.game).info.gesture,
        "rows": level.rows,
        "cols": level.cols,
        "colours": level.colours,
        "board": shown.board,
        "seq": shown.seq,
        "last": {"seq": shown.seq, "id": shown.last_id} if shown.last_id else None,
        "score": shown.score,
        "left": shown.left,
        "over": {"reason": shown.over} if shown.over else None,
        "anim": stored.anim.to_document(),
        "limit": None,
        "hint_after": None,
        "undo": False,
        "say": say.say_state(
            position=stored.position,
            count=stored.count,
            left=shown.left,
            score=shown.score,
            over=shown.over is not None,
            language=stored.language,
        ),
    }


def ack(live: LiveRound, act: Act, outcome: Outcome, *, left: int | None, dup: bool) -> dict[str, Any]:
    return {
        "t": "ack",
        "round": live.stored.label,
        "seq": act.seq,
        "id": act.id,
        "dup": dup,
        "gained": outcome.gained,
        "score": outcome.score,
        "left": left,
        "frames": outcome.frames,
        "board": outcome.board,
        "over": {"reason": outcome.over} if outcome.over else None,
        "say": say.say_move(outcome, left=left, language=live.stored.language),
    }


def reject(act: Act, reason: str, *, language: str, retry_ms: int | None = None) -> dict[str, Any]:
    return {
        "t": "reject",
        "round": act.round,
        "seq": act.seq,
        "id": act.id,
        "reason": reason,
        "retry_ms": retry_ms,
        "say": say.say_rejection(reason, language),
    }


def end(live: LiveRound) -> dict[str, Any]:
    return {
        "t": "end",
        "round": live.stored.label,
        "reason": live.shown.over,
        "score": live.shown.score,
        "next": next_path(live.stored.study_public_id),
    }


def taken() -> dict[str, Any]:
    return {"t": "taken", "by": "other_tab"}


def pong(n: int) -> dict[str, Any]:
    return {"t": "pong", "n": n}


def error(code: str, *, language: str, fatal: bool) -> dict[str, Any]:
    return {"t": "error", "code": code, "say": say.say_error(code, language), "fatal": fatal}
