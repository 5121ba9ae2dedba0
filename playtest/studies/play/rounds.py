"""A round in memory: a cache of what is on disk, with the engine's board, and the judge of wished actions.

Judging is pure thinking: nothing is sent or stored here. A legal move changes the engine's round at once; what
others are shown (`shown`) changes only when the move is on disk. If it does not get there, the whole object is thrown
away and read anew.
"""

import time
from dataclasses import dataclass, field
from typing import Any

from engine.game import Groups, get_game
from engine.rng import draw_seed
from engine.round import ActionRefused, Outcome, Undone
from engine.round import Round as EngineRound
from playtest.studies.choices import RoundState
from playtest.studies.play.messages import Act
from playtest.studies.selectors.practice import CHECKS, is_enough
from playtest.studies.selectors.rounds import StoredRound

UNDO = "undo"
"""The action that takes the last move back, where the study allows it."""


class DamagedRoundError(Exception):
    """What is stored does not give the stored score when it is played again."""


@dataclass(frozen=True)
class Choices:
    """What may be played now. `left` counts the moves until the limit, in games without one the legal actions.

    `used` is how many moves stand: one that was taken back is not among them.
    """

    left: int
    used: int
    groups: Groups | None

    @classmethod
    def of(cls, game: EngineRound) -> "Choices":
        left = game.legal_count() if game.moves_left is None else game.moves_left
        return cls(left, game.moves_used, game.groups())


@dataclass(frozen=True)
class Shown:
    """The round as of the last move on disk."""

    board: list[str]
    score: int
    choices: Choices
    seq: int
    last_id: str | None
    over: str | None


@dataclass(frozen=True)
class Entry:
    """A stored action by its client id. `illegal` marks an attempt; `seq` is the number that was wished."""

    seq: int
    action_text: str
    illegal: bool


@dataclass(frozen=True)
class Wish:
    """The one action that waits for its commit. `outcome` is None for an attempt."""

    act: Act
    outcome: Outcome | Undone | None


@dataclass(frozen=True)
class Refused:
    """Not played. `state`: the whole state follows; `end`: and that the round is over."""

    reason: str
    state: bool = False
    end: bool = False


@dataclass(frozen=True)
class Again:
    """Stored before, answered again: with what it did, or None for an attempt."""

    outcome: Outcome | Undone | None
    choices: Choices | None = None


@dataclass(frozen=True)
class Underway:
    """The same action while its commit runs: one answer will come."""


@dataclass(frozen=True)
class Illegal:
    """What the rules forbid, such as a swap without a match, to be stored as an attempt."""

    wish: Wish


@dataclass(frozen=True)
class Legal:
    """A move or an undo, to be stored."""

    wish: Wish
    outcome: Outcome | Undone


Verdict = Refused | Again | Underway | Illegal | Legal


@dataclass
class LiveRound:
    """Made from what is stored, under the epoch that the socket holds. `codes` has None for an undo."""

    stored: StoredRound
    epoch: int
    game: EngineRound = field(init=False)
    shown: Shown = field(init=False)
    entries: dict[str, Entry] = field(init=False)
    codes: list[int | None] = field(init=False)
    checks: set[str] = field(init=False)
    practised: int = field(init=False)
    wish: Wish | None = None
    deadline: float | None = field(init=False)
    """When its time is up, by the monotonic clock; None: it has no limit."""
    study_deadline: float | None = field(init=False)
    """When the participant's time for the whole study is up."""
    extensions: int = field(init=False)

    def __post_init__(self) -> None:
        stored = self.stored
        self.deadline, self.extensions = stored.deadline, stored.extensions
        self.study_deadline = stored.study_deadline
        self.checks = set(stored.checks or ())
        self.practised = stored.practised
        self.codes = [move.action for move in stored.moves]
        try:
            self.game = EngineRound.replay(stored.level, self.codes)
        except ActionRefused as refused:
            raise DamagedRoundError(f"Round {stored.pk}: {refused.reason}") from refused
        if self.game.score != stored.score or len(stored.moves) != stored.seq:
            raise DamagedRoundError(f"Round {stored.pk}: {self.game.score} points, stored {stored.score}")
        if stored.check_hex and self.game.check() != stored.check_hex:
            raise DamagedRoundError(f"Round {stored.pk}: another board")
        rules = get_game(stored.level.game)
        self.entries = {}
        for move in stored.moves:
            code = move.action
            action = UNDO if code is None else rules.decode_action(stored.level, code, move.reversed)
            self.entries[move.client_id] = Entry(move.seq, action_text(action), illegal=False)
        for attempt in stored.attempts:
            self.entries[attempt.client_id] = Entry(attempt.before_seq, action_text(attempt.action), illegal=True)
        self.shown = self.look(stored.moves[-1].client_id if stored.moves else None)

    @property
    def over(self) -> str | None:
        return self.shown.over

    @property
    def left_ms(self) -> int:
        """Milliseconds that are left of its time."""
        return 0 if self.deadline is None else max(0, round((self.deadline - time.monotonic()) * 1000))

    @property
    def ends(self) -> float | None:
        """When nothing is played any more: its time is up or that of the study, whichever comes first."""
        return min((one for one in (self.deadline, self.study_deadline) if one is not None), default=None)

    @property
    def is_up(self) -> bool:
        """Whether its time is up and nothing ended it yet."""
        return self.ends is not None and self.shown.over is None and time.monotonic() >= self.ends

    @property
    def study_is_up(self) -> bool:
        """Whether the participant's time for the whole study is up."""
        return self.study_deadline is not None and time.monotonic() >= self.study_deadline

    @property
    def more_left(self) -> int:
        """How often more time may still be asked for."""
        limit = self.stored.limit
        return 0 if limit is None else max(0, limit.more_times - self.extensions)

    def is_late(self, act: Act, arrived: float) -> bool:
        """Whether an action came after the time was up. What is stored, or on its way to be, was not late."""
        if self.ends is None or arrived < self.ends or self.shown.over is not None:
            return False
        return act.id not in self.entries and self.wish is None

    def look(self, last_id: str | None) -> Shown:
        """The engine's round as it is now."""
        over = self.game.over
        if over is None and self.stored.state == RoundState.DONE and self.stored.reason is not None:
            over = self.stored.reason.label
        return Shown(
            board=self.game.board,
            score=self.game.score,
            choices=Choices.of(self.game),
            seq=len(self.codes),
            last_id=last_id,
            over=over,
        )

    def judge(self, act: Act) -> Verdict:
        """What an action is worth. Only a legal or an illegal one becomes the open wish."""
        if act.round != self.stored.label:
            return Refused("stale_round", state=True)
        known = self.entries.get(act.id)
        if known is not None:
            return self.judge_known(act, known)
        if self.wish is not None:
            if act.id != self.wish.act.id:
                return Refused("busy")
            same = act.seq == self.wish.act.seq and act.action_text == self.wish.act.action_text
            return Underway() if same else Refused("conflict", state=True)
        if self.shown.over is not None:
            return Refused("over", state=True, end=True)
        if act.seq != self.shown.seq + 1:
            return Refused("gap" if act.seq > self.shown.seq else "stale_seq", state=True)
        return self.judge_new(act)

    def judge_known(self, act: Act, known: Entry) -> Verdict:
        if act.seq != known.seq or act.action_text != known.action_text:
            return Refused("conflict", state=True)
        if known.illegal:
            return Again(None)
        before = EngineRound.replay(self.stored.level, self.codes[: known.seq - 1])
        outcome = before.undo() if act.action == UNDO else before.play(act.action)
        return Again(outcome, Choices.of(before))

    def judge_new(self, act: Act) -> Verdict:
        if act.action == UNDO:
            return self.judge_undo(act)
        reason = self.game.refusal(act.action)
        if reason == "illegal":
            self.wish = Wish(act, None)
            return Illegal(self.wish)
        if reason is not None:
            return Refused(reason)
        outcome = self.game.play(act.action)
        self.wish = Wish(act, outcome)
        return Legal(self.wish, outcome)

    def judge_undo(self, act: Act) -> Verdict:
        """Refused as `bad_action`, and so not stored, where the study has no undo or no move stands."""
        if not self.stored.undo or not self.game.moves_used:
            return Refused("bad_action")
        undone = self.game.undo()
        self.wish = Wish(act, undone)
        return Legal(self.wish, undone)

    def hint(self) -> list[list[int]] | None:
        """The cells of a legal action, for a study that shows one; None where it does not, or the round is over.

        Which one depends on the level's seed and on how many moves stand, and on nothing else: on one board everybody
        is shown the same, and no part of the board is shown more often than its moves are there.
        """
        if self.stored.hint_after is None or self.shown.over is not None:
            return None
        codes = self.game.legal_codes()
        code = codes[draw_seed(self.stored.level.seed, "hint", self.game.moves_used) % len(codes)]
        groups = self.game.groups()
        action = self.game.game.decode_action(self.stored.level, code)
        if groups is None:
            return action
        number = groups.numbers[action[0]][action[1]]
        return [[row, col] for row, line in enumerate(groups.numbers) for col, one in enumerate(line) if one == number]

    @property
    def may_leave_practice(self) -> bool:
        """Whether somebody who practises has tried enough to go on."""
        return is_enough(CHECKS[self.game.game.info.gesture], self.checks, moves=self.practised)

    def settle(self) -> None:
        """The open wish is on disk."""
        wish = self.wish
        assert wish is not None
        act = wish.act
        self.entries[act.id] = Entry(act.seq, act.action_text, illegal=wish.outcome is None)
        if self.stored.checks is not None:
            self.checks |= checks_of(wish.outcome) & set(CHECKS[self.game.game.info.gesture])
            self.practised += isinstance(wish.outcome, Outcome)
        if wish.outcome is not None:
            self.codes.append(wish.outcome.code)
            self.shown = self.look(act.id)
        self.wish = None


def checks_of(outcome: Outcome | Undone | None) -> set[str]:
    """What somebody who practises has tried with that, in the words of `selectors/practice.py`."""
    if outcome is None:
        return {"illegal"}
    if isinstance(outcome, Undone):
        return set()
    return {"legal", "preview"} | ({"cascade"} if outcome.steps > 1 else set())


def action_text(action: Any) -> str:
    """The same spelling as `Act.action_text`."""
    return Act("", 0, "", action, None, None, None, None, False).action_text
