"""A game that can be watched again, made from its level and its stored actions alone: of a participant or of an agent.

Nothing but the actions is believed. Boards, points, frames and legal actions come from the engine, and whatever else
was stored of a step (its score, its checksum) is compared with what comes out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from engine.level import Level
from engine.round import ActionRefused, Outcome
from engine.round import Round as Game

SECOND = 1_000


class StepKind(StrEnum):
    MOVE = "move"
    UNDO = "undo"
    ATTEMPT = "attempt"
    """An action that was no move: it changed nothing."""


@dataclass(frozen=True)
class Entry:
    """What is stored of one step. Times are milliseconds; whatever is None is not known, or not there for agents.

    `code` is that of a move, `action` the JSON value of an attempt; `at_ms` counts from the beginning of the round.
    `score_after` and `check` are compared with the replay.
    """

    kind: StepKind
    seq: int
    code: int | None = None
    reversed: bool = False
    action: Any = None
    score_after: int | None = None
    check: str | None = None
    think_ms: int | None = None
    hidden_ms: int | None = None
    at_ms: int | None = None
    input: str | None = None


@dataclass(frozen=True)
class Step:
    """One step as it is shown: what was done, and board, score and legal actions afterwards."""

    kind: StepKind
    seq: int
    anchor: str
    """What names the step in the page's address: `move-7`."""
    cells: str
    """The cells in words, row and column from 1."""
    words: str
    gained: int
    score: int
    legal_before: int
    think_ms: int | None
    hidden_ms: int | None
    at_ms: int | None
    input: str | None
    action: Any
    code: int | None
    """Of a move; None for an undo and an attempt."""
    frames: list[dict[str, Any]]
    board: list[str]
    legal: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """What the page needs to draw the step; the words stand in the page's list."""
        shown = {"kind": self.kind, "anchor": self.anchor, "words": self.words, "score": self.score}
        shown |= {"think": self.think_ms, "action": self.action}
        if self.kind != StepKind.ATTEMPT:
            shown |= {"code": self.code, "frames": self.frames, "board": self.board, "legal": self.legal}
        return shown

    @property
    def think_seconds(self) -> float | None:
        return None if self.think_ms is None else self.think_ms / SECOND

    @property
    def clock(self) -> str:
        """When it was, as minutes and seconds from the beginning."""
        if self.at_ms is None:
            return ""
        minutes, seconds = divmod(self.at_ms // SECOND, 60)
        return f"{minutes}:{seconds:02d}"


@dataclass(frozen=True)
class Replay:
    """`fault` says in a sentence why the replay ends early or does not agree with what is stored; empty: all agrees."""

    level: Level
    gesture: str
    start: dict[str, Any]
    steps: tuple[Step, ...]
    fault: str = ""

    @property
    def moves(self) -> int:
        return sum(step.kind == StepKind.MOVE for step in self.steps)

    @property
    def score(self) -> int:
        """After the last step."""
        return self.steps[-1].score if self.steps else 0

    @property
    def is_timed(self) -> bool:
        """Whether anything is known of when and how steps were made: of people it is, of agents not."""
        return any(step.think_ms is not None or step.at_ms is not None or step.input for step in self.steps)

    @property
    def attempts(self) -> int:
        return sum(step.kind == StepKind.ATTEMPT for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        """The document that `static/js/replay/` plays."""
        level = self.level
        return {
            "level": level.to_document(),
            "game": level.game,
            "gesture": self.gesture,
            "rows": level.rows,
            "cols": level.cols,
            "start": self.start,
            "steps": [step.to_json() for step in self.steps],
        }


def steps_of_codes(codes: Sequence[int], *, score: int | None) -> list[Entry]:
    """Moves of which the codes are known, and the score after the last of them."""
    return [
        Entry(kind=StepKind.MOVE, seq=seq, code=code, score_after=score if seq == len(codes) else None)
        for seq, code in enumerate(codes, start=1)
    ]


def replay_game(level: Level, entries: Iterable[Entry], *, game_version: int | None = None) -> Replay:
    """Play stored steps again. `game_version` is that of the rules by which they were played; None: those of today.

    Where the engine refuses a step, or comes to another score or board, the replay says so and ends there.
    """
    game = Game(level)
    info = game.game.info
    made = Replay(level, info.gesture, position_of(game), ())
    if game_version not in (None, info.version):
        return replace(
            made,
            fault=f"This was played by version {game_version} of the rules of {info.title}. The program has version "
            f"{info.version} now, so it cannot be played back.",
        )
    steps: list[Step] = []
    fault = ""
    for entry in entries:
        try:
            if entry.kind == StepKind.MOVE and entry.code is not None:
                outcome = game.play_code(entry.code, entry.reversed)
                steps.append(move_step(game, entry, outcome))
            elif entry.kind == StepKind.UNDO:
                undone = game.undo()
                steps.append(undo_step(game, entry, gained=undone.gained))
            else:
                number = sum(step.kind == StepKind.ATTEMPT for step in steps) + 1
                steps.append(attempt_step(game, entry, number))
        except ActionRefused as refused:
            fault = (
                f"Move {entry.seq} is not legal when it is played again ({refused.reason}): what is stored is damaged."
            )
            break
        fault = disagreement(game, entry)
        if fault:
            break
    return replace(made, steps=tuple(steps), fault=fault)


def disagreement(game: Game, entry: Entry) -> str:
    """Where the stored step and its replay differ, in a sentence; empty if they agree."""
    if entry.score_after is not None and entry.score_after != game.score:
        stored = f"After move {entry.seq} there are {entry.score_after:,} points stored"
        return f"{stored}; playing it again gives {game.score:,}."
    if entry.check and entry.check != game.check():
        return f"After move {entry.seq} the board is another one than was stored."
    return ""


def position_of(game: Game) -> dict[str, Any]:
    """Board and legal actions as the page draws them."""
    return {"board": game.board, "legal": legal_of(game)}


def legal_of(game: Game) -> dict[str, Any]:
    groups = game.groups()
    shown: dict[str, Any] = {"count": game.legal_count()}
    if groups is None:
        return {**shown, "swaps": game.legal_actions()}
    return {**shown, "groups": groups.numbers, "worth": groups.worth}


def move_step(game: Game, entry: Entry, outcome: Outcome) -> Step:
    cells = cells_text(outcome.action)
    parts = [f"Move {entry.seq}: {cells}, {points_text(outcome.gained)}"]
    if outcome.steps > 1:
        parts.append(f"a cascade of {outcome.steps} steps")
    if outcome.reshuffled is not None:
        parts.append("then the pieces were shuffled")
    return step_of(
        game,
        entry,
        anchor=f"move-{entry.seq}",
        cells=cells,
        words=", ".join(parts) + ".",
        gained=outcome.gained,
        legal_before=outcome.legal_before,
        action=outcome.action,
        frames=outcome.frames,
    )


def undo_step(game: Game, entry: Entry, *, gained: int) -> Step:
    return step_of(
        game,
        entry,
        anchor=f"move-{entry.seq}",
        cells="",
        words=f"Move {entry.seq}: the last move was taken back, {points_text(gained)}.",
        gained=gained,
        legal_before=game.legal_count(),
        action=None,
        frames=[{"f": "set", "board": game.board}],
    )


def attempt_step(game: Game, entry: Entry, number: int) -> Step:
    cells = cells_text(entry.action)
    return step_of(
        game,
        entry,
        anchor=f"attempt-{number}",
        cells=cells,
        words=f"Before move {entry.seq}: {cells} was tried and is no legal move.",
        gained=0,
        legal_before=game.legal_count(),
        action=entry.action,
        frames=[],
    )


def step_of(
    game: Game,
    entry: Entry,
    *,
    anchor: str,
    cells: str,
    words: str,
    gained: int,
    legal_before: int,
    action: Any,
    frames: list[dict[str, Any]],
) -> Step:
    return Step(
        kind=entry.kind,
        seq=entry.seq,
        anchor=anchor,
        cells=cells,
        words=words,
        gained=gained,
        score=game.score,
        legal_before=legal_before,
        think_ms=entry.think_ms,
        hidden_ms=entry.hidden_ms,
        at_ms=entry.at_ms,
        input=entry.input,
        action=action,
        code=entry.code if entry.kind == StepKind.MOVE else None,
        frames=frames,
        board=game.board,
        legal=legal_of(game),
    )


def cells_text(action: Any) -> str:
    """The cells of an action, row and column from 1: `3,4 → 3,5`, or of a group `3,4`."""
    if isinstance(action[0], int):
        return f"{action[0] + 1},{action[1] + 1}"
    return " → ".join(f"{row + 1},{col + 1}" for row, col in action)


def points_text(points: int) -> str:
    sign = "−" if points < 0 else "+"
    return f"{sign}{abs(points):,} {'point' if abs(points) == 1 else 'points'}"
