"""The messages of the server, as JSON values."""

import json
from collections.abc import Sequence
from typing import Any

from engine.game import get_game
from engine.round import Outcome, Undone
from playtest.studies.choices import Purpose
from playtest.studies.play import say
from playtest.studies.play.messages import VERSION, Act
from playtest.studies.play.rounds import UNDO, Choices, LiveRound

FRAMES_LIMIT = 48 * 1024
"""Bytes for the frames of one acknowledgement: no message of the server reaches 64 KiB."""


def drawable(frames: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The frames from the first on that fit, and the shuffle at the end, if there was one.

    A cascade over prepared queues can go on for thousands of steps. Whoever draws shows the board of the message last,
    so what is left out is missed by nobody who could have watched it.
    """
    if _size(frames) <= FRAMES_LIMIT:
        return list(frames)
    shuffle = [frame for frame in frames[-1:] if frame["f"] == "shuffle"]
    room = FRAMES_LIMIT - sum(map(_size, shuffle))
    kept: list[dict[str, Any]] = []
    for frame in frames[: len(frames) - len(shuffle)]:
        room -= _size(frame)
        if room < 0:
            break
        kept.append(frame)
    return kept + shuffle


def _size(part: object) -> int:
    """Bytes of a frame among others, or of all of them together."""
    return len(json.dumps(part)) + 2


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
        "gesture": gesture_of(live),
        "rows": level.rows,
        "cols": level.cols,
        "colours": level.colours,
        "horizon": level.horizon,
        "board": shown.board,
        **groups_of(shown.choices),
        "seq": shown.seq,
        "last": {"seq": shown.seq, "id": shown.last_id} if shown.last_id else None,
        "score": shown.score,
        "left": shown.choices.left,
        "used": shown.choices.used,
        "over": {"reason": shown.over} if shown.over else None,
        "anim": stored.anim.to_document(),
        "limit": limit_of(live),
        "hint_after": stored.hint_after,
        "undo": stored.undo,
        **checks_of(live),
        "say": say.say_state(
            position=stored.position,
            count=stored.count,
            left=shown.choices.left,
            score=shown.score,
            over=shown.over is not None,
            by_time=shown.over == "time",
            is_practice=stored.purpose == Purpose.PRACTICE,
            gesture=gesture_of(live),
            language=stored.language,
            time_left_ms=None if live.deadline is None else live.left_ms,
        ),
    }


def limit_of(live: LiveRound) -> dict[str, Any] | None:
    """How the round stands with its time: what is left, when a warning comes, what more can be had and how often."""
    limit = live.stored.limit
    if limit is None or live.shown.over is not None:
        return None
    return {
        "left_ms": live.left_ms,
        "warn_ms": limit.warn * 1000,
        "more_ms": limit.more_seconds * 1000 if live.more_left else 0,
        "more_left": live.more_left,
    }


def limit(live: LiveRound, *, was_extended: bool = False) -> dict[str, Any]:
    """The same as a message of its own: as a warning, or since it changed."""
    shown = limit_of(live) or {"left_ms": 0, "more_ms": 0}
    text = say.say_limit(
        left_ms=shown["left_ms"], more_ms=shown["more_ms"], was_extended=was_extended, language=live.stored.language
    )
    return {"t": "limit", "round": live.stored.label, **shown, "say": text}


def gesture_of(live: LiveRound) -> str:
    """How a person says what to play: `swap` or `group`."""
    return get_game(live.stored.level.game).info.gesture


def groups_of(choices: Choices) -> dict[str, Any]:
    """What a group gesture may choose, so that the page can show it without knowing any rule."""
    groups = choices.groups
    return {} if groups is None else {"groups": groups.numbers, "worth": groups.worth}


def checks_of(live: LiveRound) -> dict[str, Any]:
    """In practice, what was tried so far, and whether that is enough to go on."""
    return {} if live.stored.checks is None else {"checks": sorted(live.checks), "go_on": live.may_leave_practice}


def ack(live: LiveRound, act: Act, outcome: Outcome | Undone, *, choices: Choices, dup: bool) -> dict[str, Any]:
    return {
        "t": "ack",
        "round": live.stored.label,
        "seq": act.seq,
        "id": act.id,
        "dup": dup,
        "gained": outcome.gained,
        "score": outcome.score,
        "left": choices.left,
        "used": choices.used,
        "frames": drawable(outcome.frames),
        "board": outcome.board,
        **groups_of(choices),
        **checks_of(live),
        "over": {"reason": outcome.over} if outcome.over else None,
        "say": say_outcome(outcome, left=choices.left, gesture=gesture_of(live), language=live.stored.language),
    }


def say_outcome(outcome: Outcome | Undone, *, left: int, gesture: str, language: str) -> str:
    if isinstance(outcome, Undone):
        return say.say_undo(outcome, left=left, gesture=gesture, language=language)
    return say.say_move(outcome, left=left, gesture=gesture, language=language)


def reject(
    live: LiveRound | None, act: Act, reason: str, *, language: str, retry_ms: int | None = None
) -> dict[str, Any]:
    return {
        "t": "reject",
        "round": act.round,
        "seq": act.seq,
        "id": act.id,
        "reason": reason,
        "retry_ms": retry_ms,
        **(checks_of(live) if live else {}),
        "say": say.say_rejection(
            reason, language, gesture=gesture_of(live) if live else "swap", undo=act.action == UNDO
        ),
    }


def end(live: LiveRound) -> dict[str, Any]:
    return {
        "t": "end",
        "round": live.stored.label,
        "reason": live.shown.over,
        "score": live.shown.score,
        "bonus": bonus_of(live),
        "next": next_path(live.stored.study_public_id),
    }


def bonus_of(live: LiveRound) -> dict[str, Any] | None:
    """What the end of the game added or deducted, as its frame says it; None in games without."""
    if live.game.bonus is None:
        return None
    return {key: value for key, value in live.game.bonus.items() if key != "f"}


def hint(live: LiveRound, cells: list[list[int]]) -> dict[str, Any]:
    """A move of the board that stands now. The page shows it when nobody touched the board for `hint_after`."""
    return {
        "t": "hint",
        "round": live.stored.label,
        "seq": live.shown.seq,
        "cells": cells,
        "say": say.say_hint(cells, gesture=gesture_of(live), language=live.stored.language),
    }


def taken() -> dict[str, Any]:
    return {"t": "taken", "by": "other_tab"}


def pong(n: int) -> dict[str, Any]:
    return {"t": "pong", "n": n}


def error(code: str, *, language: str, fatal: bool) -> dict[str, Any]:
    return {"t": "error", "code": code, "say": say.say_error(code, language), "fatal": fatal}
