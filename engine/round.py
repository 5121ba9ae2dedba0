"""One play of one level, action by action: for the site, replays and agents written in Python alike."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.game import Groups, Words, get_game, legal_actions, legal_count
from engine.level import Level, canonical_json


class ActionRefused(ValueError):
    """An action that is not played. `reason` is one word of the protocol."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The action is refused: {reason}.")
        self.reason = reason


@dataclass(frozen=True)
class Outcome:
    """What one action did. `frames` are those of the protocol, `board` is the board afterwards, top row first."""

    action: list[Any]
    code: int
    reversed: bool
    gained: int
    score: int
    steps: int
    matches: int
    cleared: int
    legal_before: int
    reshuffled: list[str] | None
    redrawn: bool
    frames: list[dict[str, Any]]
    board: list[str]
    over: str | None


@dataclass(frozen=True)
class Undone:
    """What taking the last move back did. `gained` is the opposite of what that move gained, its bonus included.

    `code` and `over` are None: no action was played, and who takes a move back can go on.
    """

    gained: int
    score: int
    legal_before: int
    frames: list[dict[str, Any]]
    board: list[str]
    code: None = None
    over: None = None


@dataclass(frozen=True)
class _Before:
    """The round before a move, so far as the move changes it."""

    words: Words
    score: int
    legal_total: int
    bonus: dict[str, Any] | None
    board: list[str]
    legal_count: int


class Round:
    """A play under way. What falls in is the level's own queue, so the same actions always give the same play.

    `state` (engine state) and `queued` (the level's true chance) are for agents; a fair one never looks at `queued`.
    `legal_total` is the sum of the numbers of legal actions before each action so far, if the level has a horizon K
    before the first K. `bonus` is the frame that says what the end of the game added or deducted; None until then, and
    in games without.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self.game = get_game(level.game)
        self.state = self.game.new_state(level)
        self.queued = self.game.queued(level)
        self.score = 0
        self.moves_used = 0
        self.legal_total = 0
        self.bonus: dict[str, Any] | None = None
        self._board = list(level.board)
        self._legal = np.zeros(self.game.code_limit(level), dtype=np.int32)
        self._legal_count = int(legal_count(self.state))
        self._before: list[_Before] = []

    @classmethod
    def replay(cls, level: Level, codes: Iterable[int | None]) -> "Round":
        """The round after stored action codes, None where the last move was taken back.

        Raises ActionRefused at the first that cannot be played.
        """
        played = cls(level)
        for code in codes:
            if code is None:
                played.undo()
            else:
                played.play_code(code)
        return played

    @property
    def board(self) -> list[str]:
        """Rows of letters, top row first."""
        return list(self._board)

    @property
    def moves_left(self) -> int | None:
        """Moves until the limit; None if the level has none."""
        return None if self.level.moves is None else self.level.moves - self.moves_used

    @property
    def over(self) -> str | None:
        """Why the round is over: `moves` (none left), `stuck` (no legal action), or None."""
        if self.level.moves is not None and self.moves_used >= self.level.moves:
            return "moves"
        return None if self._legal_count else "stuck"

    def legal_count(self) -> int:
        """The number of legal actions of the board, whether or not moves are left."""
        return self._legal_count

    def legal_codes(self) -> list[int]:
        """The codes of the legal actions in ascending order."""
        count = legal_actions(self.state, self._legal)
        codes: list[int] = self._legal[:count].tolist()
        return codes

    def legal_actions(self) -> list[list[Any]]:
        """The legal actions as JSON values, in the order of their codes."""
        return [self.game.decode_action(self.level, code) for code in self.legal_codes()]

    def groups(self) -> Groups | None:
        """What a group gesture may choose now; None for games with another gesture."""
        return self.game.groups(self.level, self.state)

    def refusal(self, action: object) -> str | None:
        """Why an action, any JSON value, would not be played now: a word of the protocol, or None."""
        reason = self.game.action_refusal(self.level, action)
        if reason is not None:
            return reason
        return self._code_refusal(self.game.encode_action(self.level, action))

    def play(self, action: object) -> Outcome:
        """Play an action, any JSON value; raises ActionRefused and changes nothing if it cannot be played now."""
        reason = self.game.action_refusal(self.level, action)
        if reason is not None:
            raise ActionRefused(reason)
        return self._play(self.game.encode_action(self.level, action), self.game.is_reversed(action))

    def play_code(self, code: int, reversed: bool = False) -> Outcome:
        """Play a stored action code; raises ActionRefused and changes nothing if it cannot be played now."""
        try:
            self.game.decode_action(self.level, code)
        except (ValueError, TypeError) as error:
            raise ActionRefused("bad_action") from error
        return self._play(int(code), reversed)

    def undo(self) -> Undone:
        """Take the last move back that was not taken back yet; raises ActionRefused (`illegal`) if there is none.

        Everything is as it was before that move: what fell in falls in again, a reshuffle comes out the same, and the
        bonus of the end of the game is gone. Whether a round that is over may go on is for the caller to say.
        """
        if not self._before:
            raise ActionRefused("illegal")
        before = self._before.pop()
        gained, legal_before = before.score - self.score, self._legal_count
        self.state.words[:] = before.words
        self.score, self.legal_total, self.bonus = before.score, before.legal_total, before.bonus
        self.moves_used -= 1
        self._board, self._legal_count = before.board, before.legal_count
        return Undone(
            gained=gained,
            score=self.score,
            legal_before=legal_before,
            frames=[{"f": "set", "board": self.board}],
            board=self.board,
        )

    def drops_fallen(self) -> list[str]:
        """The pieces that fell in so far, one text a column, first to fall first."""
        return self.game.fallen(self.level, self.state)

    def check(self) -> str:
        """16 hex characters over board, score and moves used, by which a stored move checks a replay."""
        seen = canonical_json([self._board, self.score, self.moves_used])
        return hashlib.sha256(seen.encode()).hexdigest()[:16]

    def _code_refusal(self, code: int) -> str | None:
        if self.over is not None:
            return "over"
        return None if self.game.is_legal(self.level, self.state, code) else "illegal"

    def _play(self, code: int, reversed: bool) -> Outcome:
        reason = self._code_refusal(code)
        if reason is not None:
            raise ActionRefused(reason)
        legal_before = self._legal_count
        words = self.state.words.copy()
        played = self.game.play(self.level, self.state, self.queued, code, reversed)
        self._before.append(_Before(words, self.score, self.legal_total, self.bonus, self._board, legal_before))
        self.score += played.gained
        self.moves_used += 1
        if self.level.horizon is None or self.moves_used <= self.level.horizon:
            self.legal_total += legal_before
        self.bonus = next((frame for frame in played.frames if frame["f"] == "bonus"), None)
        self._board = self.game.read_board(self.level, self.state)
        self._legal_count = int(legal_count(self.state))
        return Outcome(
            action=self.game.decode_action(self.level, code, reversed),
            code=code,
            reversed=reversed,
            gained=played.gained,
            score=self.score,
            steps=played.steps,
            matches=played.matches,
            cleared=played.cleared,
            legal_before=legal_before,
            reshuffled=played.reshuffled,
            redrawn=played.redrawn,
            frames=played.frames,
            board=self.board,
            over=self.over,
        )
