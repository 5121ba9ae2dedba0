"""Quality flags: what is stored of a participant that a researcher may want to look at. They decide nothing.

`docs/quality-flags.md` says in words how each is computed. Every flag is a sentence with the numbers that it was
computed from; thresholds stand here and nowhere else.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, cast

from engine.game import get_game
from engine.level import Level
from playtest.studies.choices import Missing, MoveFlag, MoveKind, Purpose, RoundState
from playtest.studies.document.items import ScaleItem
from playtest.studies.models import Answer, Move, PageVisit, Participant, Round
from playtest.studies.selectors.documents import version_document

FAST_MOVE_MS = 400
FAST_MOVE_SHARE = 0.5
FAST_MOVE_LEAST = 10
FAST_QUESTION_MS = 1_000
HIDDEN_MS = 60_000
SAME_LEAST = 10
SAME_ACTION_SHARE = 0.4
CORNER_SHARE = 0.8
CORNER_PART = 3
"""A corner is a third of the rows by a third of the columns, rounded up."""
STRAIGHT_LEAST = 4
CLOCKS_MS = 2_000


class FlagKind(StrEnum):
    FAST_MOVES = "fast_moves"
    FAST_PAGE = "fast_page"
    HIDDEN = "hidden"
    SAME_ACTION = "same_action"
    CORNER = "corner"
    STRAIGHT = "straight"
    ATTENTION = "attention"
    CLOCKS = "clocks"

    @property
    def label(self) -> str:
        return FLAG_LABELS[self]


FLAG_LABELS = {
    FlagKind.FAST_MOVES: "Fast moves",
    FlagKind.FAST_PAGE: "Fast page",
    FlagKind.HIDDEN: "Long hidden",
    FlagKind.SAME_ACTION: "Same move again",
    FlagKind.CORNER: "One corner",
    FlagKind.STRAIGHT: "Straight line",
    FlagKind.ATTENTION: "Attention",
    FlagKind.CLOCKS: "Clocks disagree",
}


@dataclass(frozen=True)
class Flag:
    """`sentence` says what was seen and what the flag takes; `numbers` are what it was computed from."""

    kind: FlagKind
    sentence: str
    numbers: dict[str, int] = field(default_factory=dict)


class MoveSeen(NamedTuple):
    round_id: int
    kind: int
    action: int | None
    think_ms: int | None
    anim_ms: int | None
    hidden_ms: int | None
    server_ms: int | None
    rtt_ms: int | None
    flags: int


class RoundSeen(NamedTuple):
    pk: int
    participant_id: int
    position: int
    game: str
    rows: int
    cols: int


class PageSeen(NamedTuple):
    participant_id: int
    page_key: str
    shown_ms: int | None
    hidden_ms: int | None
    shown_at: datetime | None
    submitted_at: datetime

    @property
    def passed_ms(self) -> int | None:
        """What passed by the server's clock: never less than it was shown."""
        return None if self.shown_at is None else round((self.submitted_at - self.shown_at).total_seconds() * 1_000)


class AnswerSeen(NamedTuple):
    participant_id: int
    page_key: str
    item_key: str
    number: float | None
    value: str


@dataclass
class Seen:
    """All that the flags of one participant are computed from.

    `scales` are the keys of the scales of each page, `expected` the right answers of attention questions by page and
    key. Rounds that are void are not among `rounds`.
    """

    rounds: list[RoundSeen] = field(default_factory=list)
    moves: dict[int, list[MoveSeen]] = field(default_factory=dict)
    pages: list[PageSeen] = field(default_factory=list)
    answers: dict[str, list[AnswerSeen]] = field(default_factory=dict)
    scales: dict[str, frozenset[str]] = field(default_factory=dict)
    expected: dict[tuple[str, str], str | int] = field(default_factory=dict)

    @property
    def every_move(self) -> list[MoveSeen]:
        return [move for row in self.rounds for move in self.moves.get(row.pk, ())]


def flags_of(*, participants: Collection[Participant]) -> dict[int, list[Flag]]:
    """The flags of each of these participants by key, in a fixed number of queries. Their versions must be loaded."""
    return {key: flags(seen) for key, seen in seen_of(participants=participants).items()}


def seen_of(*, participants: Collection[Participant]) -> dict[int, Seen]:
    """What the flags are computed from, in four queries."""
    found = {one.pk: Seen(scales=scales_of(one), expected=expected_of(one)) for one in participants}
    owners: dict[int, int] = {}
    scored = Round.objects.filter(participant_id__in=found, purpose=Purpose.SCORED)
    rounds = scored.order_by("position", "attempt")
    for pk, owner, position, game, level, rows, cols, state in rounds.values_list(
        "pk", "participant_id", "position", "game", "level", "level_version__rows", "level_version__cols", "state"
    ):
        owners[pk] = owner
        if state == RoundState.VOID:
            continue
        if level is not None:
            rows, cols = level["rows"], level["cols"]
        found[owner].rounds.append(RoundSeen(pk, owner, position, game, rows, cols))
    moves = Move.objects.filter(round__participant_id__in=found, round__purpose=Purpose.SCORED).order_by(
        "round_id", "seq"
    )
    for values in moves.values_list(*MoveSeen._fields).iterator():
        move = MoveSeen._make(values)
        found[owners[move.round_id]].moves.setdefault(move.round_id, []).append(move)
    for values in PageVisit.objects.filter(participant_id__in=found).order_by("pk").values_list(*PageSeen._fields):
        found[values[0]].pages.append(PageSeen._make(values))
    given = Answer.objects.filter(participant_id__in=found, missing=Missing.NO).order_by("pk")
    for values in given.values_list(*AnswerSeen._fields):
        answer = AnswerSeen._make(values)
        found[answer.participant_id].answers.setdefault(answer.page_key, []).append(answer)
    return found


def scales_of(participant: Participant) -> dict[str, frozenset[str]]:
    pages = version_document(participant.version).asked
    return {page.key: frozenset(item.key for item in page.items if isinstance(item, ScaleItem)) for page in pages}


def expected_of(participant: Participant) -> dict[tuple[str, str], str | int]:
    """The right answers of attention questions by page and key."""
    pages = version_document(participant.version).asked
    return {
        (page.key, item.key): item.right_answer
        for page in pages
        for item in page.items
        if item.right_answer is not None
    }


def flags(seen: Seen) -> list[Flag]:
    """Every flag of one participant, in the order of the kinds."""
    every = seen.every_move
    return [
        *fast_moves(every),
        *fast_pages(seen),
        *long_hidden(every, seen.pages),
        *same_actions(seen),
        *corners(seen),
        *straight_lines(seen),
        *attention(seen),
        *clocks(every),
    ]


def fast_moves(moves: Sequence[MoveSeen]) -> Iterator[Flag]:
    times = [move.think_ms for move in moves if move.kind == MoveKind.MOVE and move.think_ms is not None]
    fast = sum(time < FAST_MOVE_MS for time in times)
    if len(times) >= FAST_MOVE_LEAST and fast >= FAST_MOVE_SHARE * len(times):
        yield Flag(
            FlagKind.FAST_MOVES,
            f"{fast} of {len(times)} moves came less than {FAST_MOVE_MS} ms after the board was open for input.",
            {"fast": fast, "moves": len(times)},
        )


def fast_pages(seen: Seen) -> Iterator[Flag]:
    """By the browser's clock, or, where it sent no time, by the server's."""
    for page in seen.pages:
        questions = len(seen.answers.get(page.page_key, ()))
        took = page.passed_ms if page.shown_ms is None else page.shown_ms
        if not questions or took is None or took >= FAST_QUESTION_MS * questions:
            continue
        clock = " by the server's clock, since the browser sent no time" if page.shown_ms is None else ""
        yield Flag(
            FlagKind.FAST_PAGE,
            f"Page “{page.page_key}”: {counted(questions, 'answer')} in {took / 1_000:.1f} s{clock}, "
            f"less than {FAST_QUESTION_MS / 1_000:.0f} s each.",
            {"answers": questions, "passed_ms" if page.shown_ms is None else "shown_ms": took},
        )


def long_hidden(moves: Iterable[MoveSeen], pages: Iterable[PageSeen]) -> Iterator[Flag]:
    playing = sum(move.hidden_ms or 0 for move in moves)
    asking = sum(page.hidden_ms or 0 for page in pages)
    if playing + asking >= HIDDEN_MS:
        yield Flag(
            FlagKind.HIDDEN,
            f"The page was hidden for {seconds(playing + asking)}: {seconds(playing)} during moves, {seconds(asking)} "
            "during questions.",
            {"moves_ms": playing, "pages_ms": asking},
        )


def same_actions(seen: Seen) -> Iterator[Flag]:
    for row in seen.rounds:
        actions = actions_of(seen, row)
        if len(actions) < SAME_LEAST:
            continue
        action, times = Counter(actions).most_common(1)[0]
        if times >= SAME_ACTION_SHARE * len(actions):
            cells = " and ".join(f"{r + 1},{c + 1}" for r, c in cells_of(row, action))
            yield Flag(
                FlagKind.SAME_ACTION,
                f"Round {row.position}: the same place ({cells}) was played in {times} of {len(actions)} moves.",
                {"round": row.position, "times": times, "moves": len(actions)},
            )


def corners(seen: Seen) -> Iterator[Flag]:
    for row in seen.rounds:
        actions = actions_of(seen, row)
        if len(actions) < SAME_LEAST:
            continue
        inside: Counter[str] = Counter()
        for action in actions:
            inside.update(corner for corner in [corner_of(row, action)] if corner)
        for corner, times in inside.most_common(1):
            if times >= CORNER_SHARE * len(actions):
                yield Flag(
                    FlagKind.CORNER,
                    f"Round {row.position}: {times} of {len(actions)} moves lie in the {corner} corner of the board, "
                    "a third of its rows by a third of its columns.",
                    {"round": row.position, "times": times, "moves": len(actions)},
                )


def straight_lines(seen: Seen) -> Iterator[Flag]:
    for page, scales in seen.scales.items():
        values = [one.number for one in seen.answers.get(page, ()) if one.item_key in scales and one.number is not None]
        if len(values) >= STRAIGHT_LEAST and len(set(values)) == 1:
            yield Flag(
                FlagKind.STRAIGHT,
                f"Page “{page}”: all {len(values)} scales were answered with {values[0]:g}.",
                {"scales": len(values), "value": int(values[0])},
            )


def attention(seen: Seen) -> Iterator[Flag]:
    for (page, key), expected in seen.expected.items():
        for one in seen.answers.get(page, ()):
            answer = json.loads(one.value)
            if one.item_key == key and answer != expected:
                yield Flag(
                    FlagKind.ATTENTION,
                    f"Page “{page}”, question “{key}”: the answer is {answer}, the one asked for is {expected}.",
                )


def clocks(moves: Sequence[MoveSeen]) -> Iterator[Flag]:
    """The rule of the protocol: the server waited over two seconds longer than the browser accounts for."""
    late = [
        move.server_ms - client_ms(move)
        for move in moves
        if move.server_ms is not None and move.server_ms > client_ms(move) + CLOCKS_MS
    ]
    odd = sum(bool(move.flags & MoveFlag.CLIENT_TIME) for move in moves)
    if late or odd:
        parts = []
        if late:
            parts.append(
                f"Before {len(late)} of {counted(len(moves), 'move')} the server waited over {CLOCKS_MS // 1_000} s "
                f"longer than the browser accounts for, by {seconds(max(late))} at most."
            )
        if odd:
            parts.append(f"With {counted(odd, 'move')} the browser sent a time that cannot be; it is not stored.")
        numbers = {"late": len(late), "most_ms": max(late, default=0), "odd": odd, "moves": len(moves)}
        yield Flag(FlagKind.CLOCKS, " ".join(parts), numbers)


def client_ms(move: MoveSeen) -> int:
    return (move.think_ms or 0) + (move.anim_ms or 0) + (move.rtt_ms or 0)


def actions_of(seen: Seen, row: RoundSeen) -> list[int]:
    return [move.action for move in seen.moves.get(row.pk, ()) if move.action is not None]


def cells_of(row: RoundSeen, action: int) -> list[tuple[int, int]]:
    """The cells of an action code, whatever the game."""
    # Decoding asks a level for its size alone, so the level itself need not be read.
    decoded = get_game(row.game).decode_action(cast(Level, row), action)
    return [(decoded[0], decoded[1])] if isinstance(decoded[0], int) else [(r, c) for r, c in decoded]


def corner_of(row: RoundSeen, action: int) -> str:
    """The corner that holds all cells of an action; empty if none does."""
    high, wide = -(-row.rows // CORNER_PART), -(-row.cols // CORNER_PART)
    cells = cells_of(row, action)
    for name, top, left in (
        ("top left", 0, 0),
        ("top right", 0, row.cols - wide),
        ("bottom left", row.rows - high, 0),
        ("bottom right", row.rows - high, row.cols - wide),
    ):
        if all(top <= r < top + high and left <= c < left + wide for r, c in cells):
            return name
    return ""


def seconds(ms: int) -> str:
    return f"{ms / 1_000:,.0f} s" if ms < 600_000 else f"{ms / 60_000:,.0f} min"


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
