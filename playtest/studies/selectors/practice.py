"""What somebody has to have tried before the rounds that count, and how far they are."""

from collections.abc import Collection, Set
from dataclasses import dataclass

from django.db.models import Max, Sum

from engine.game import get_game
from playtest.studies.choices import MoveKind, Purpose, RoundState
from playtest.studies.document import PracticePage
from playtest.studies.models import Move, Participant, Round

CHECKS = {"swap": ("legal", "illegal", "cascade"), "group": ("preview", "legal")}
"""By gesture: a move, a swap that makes no match, a cascade; a group that is looked at, a move.

Nobody removes a group without having seen which one and what it is worth, so the move stands for both.
"""
LUCK = frozenset({"cascade"})
"""What nobody can bring about at will."""
ENOUGH_MOVES = 8
"""Moves on a page of practice after which luck that did not come keeps nobody any longer."""
MOST_PRACTICE = 20
"""Rounds of a page. Who has played so many may go on, whatever is missing."""


@dataclass(frozen=True)
class Practice:
    """`done` of the `checks` of a page.

    is_playable: a round is planned or under way;  is_begun: something was done already
    """

    checks: tuple[str, ...]
    done: frozenset[str]
    is_playable: bool
    is_begun: bool
    may_go_on: bool
    may_repeat: bool

    @property
    def is_complete(self) -> bool:
        return set(self.checks) <= self.done

    @property
    def enough_moves(self) -> int:
        """After how many moves luck is not waited for; 0 where nothing hangs on luck."""
        return ENOUGH_MOVES if LUCK & set(self.checks) else 0


def practice_checks(page: PracticePage) -> tuple[str, ...]:
    return CHECKS[get_game(page.game).info.gesture]


def practice_rounds(*, participant: Participant, page: PracticePage) -> list[Round]:
    """The rounds of a page of practice, in the order in which they are played."""
    rounds = Round.objects.filter(participant=participant, purpose=Purpose.PRACTICE, key=page.key)
    return list(rounds.defer("level").order_by("attempt"))


def practice_done(*, participant: Participant, page: PracticePage) -> frozenset[str]:
    """Which checks were done in any round of the page."""
    rounds = Round.objects.filter(participant=participant, purpose=Purpose.PRACTICE, key=page.key)
    steps = Move.objects.filter(round__in=rounds, kind=MoveKind.MOVE).aggregate(most=Max("steps"))["most"] or 0
    tried = rounds.aggregate(tries=Sum("attempts"))["tries"] or 0
    done = {
        "legal": steps > 0,
        "preview": steps > 0,
        "cascade": steps > 1,
        "illegal": tried > 0,
    }
    return frozenset(check for check in practice_checks(page) if done[check])


def practice_moves(*, participant: Participant, page: PracticePage) -> int:
    """How many moves were made in all rounds of the page."""
    rounds = Round.objects.filter(participant=participant, purpose=Purpose.PRACTICE, key=page.key)
    return Move.objects.filter(round__in=rounds, kind=MoveKind.MOVE).count()


def is_enough(checks: Collection[str], done: Set[str], *, moves: int) -> bool:
    """Whether somebody has tried what they can: all, or after that many moves all that luck does not decide."""
    return set(checks) - (LUCK if moves >= ENOUGH_MOVES else frozenset()) <= done


def practice_of(*, participant: Participant, page: PracticePage) -> Practice:
    rounds = practice_rounds(participant=participant, page=page)
    checks, done = practice_checks(page), practice_done(participant=participant, page=page)
    is_spent = len(rounds) >= MOST_PRACTICE
    moves = practice_moves(participant=participant, page=page)
    return Practice(
        checks=checks,
        done=done,
        is_playable=any(row.state in {RoundState.PLANNED, RoundState.OPEN} for row in rounds),
        is_begun=len(rounds) > 1 or any(row.seq or row.attempts for row in rounds),
        may_go_on=is_enough(checks, done, moves=moves) or page.skip or is_spent,
        may_repeat=not is_spent,
    )
