"""The one pass over a study's data: a lot of participants at a time, every table at once, each round replayed once."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from engine.game import Game, get_game
from engine.level import Level
from playtest.studies.choices import (
    OUTCOME_NAMES,
    AttemptReason,
    Cause,
    Decision,
    EndReason,
    EventKind,
    InputMode,
    MoveFlag,
    MoveKind,
    Purpose,
    RoundState,
    Status,
    Use,
)
from playtest.studies.document import StudyDocument
from playtest.studies.export.answers import write_pages
from playtest.studies.export.people import KINDS, Person, names_of
from playtest.studies.export.replay import Replay, replay_round
from playtest.studies.export.sheets import Sheet
from playtest.studies.export.wide import ROUND_COLUMNS, round_column_name, wide_row
from playtest.studies.models import Consent, Participant, Round
from playtest.studies.selectors import exports as reads
from playtest.studies.selectors.annotations import NONE_DECIDED, Decided
from playtest.studies.selectors.documents import round_level
from playtest.studies.selectors.exports import AttemptRow, MoveRow

LOT_PARTICIPANTS = 10
"""One may have 2,000 events of 1 kB."""
LOT_MOVES = 2_000


STATUSES = names_of(Status)
CAUSES = names_of(Cause)
DECISIONS = names_of(Decision)
PURPOSES = names_of(Purpose)
ROUND_STATES = names_of(RoundState)
END_REASONS = names_of(EndReason)
MOVE_KINDS = names_of(MoveKind)
INPUTS = names_of(InputMode)
ATTEMPT_REASONS = names_of(AttemptReason)
EVENTS = names_of(EventKind)
USES = names_of(Use)
FLAGS = [(flag.value, str(flag.label)) for flag in MoveFlag]


class Pass:
    """`sheets` by the names of their tables; `documents` by the keys of the versions."""

    def __init__(self, sheets: Mapping[str, Sheet], documents: Mapping[int, StudyDocument], *, anonymous: bool) -> None:
        self.sheets = sheets
        self.documents = documents
        self.anonymous = anonymous

    def run(self, keys: Sequence[int]) -> Iterator[int]:
        """Write the rows of these participants; gives after each lot how many are done.

        Anonymised, they come in a random order, so that places tell nothing.
        """
        order = list(keys)
        if self.anonymous:
            secrets.SystemRandom().shuffle(order)
        for first in range(0, len(order), LOT_PARTICIPANTS):
            lot = order[first : first + LOT_PARTICIPANTS]
            self.write_lot(lot)
            yield first + len(lot)

    def write_lot(self, keys: Sequence[int]) -> None:
        decided = reads.decisions_of(keys=keys)
        people = {
            row.pk: Person(row, self.name_of(row), self.documents[row.version_id], decided.get(row.pk, NONE_DECIDED))
            for row in reads.participants_read(keys=keys)
        }
        rounds = reads.rounds_read(keys=keys)
        played = {(row.participant_id, row.position): row.key for row in rounds if row.purpose == Purpose.SCORED}
        answers = write_pages(self.sheets, people, played, anonymous=self.anonymous)
        wide = self.write_rounds(people, rounds)
        self.write_events(people, {row.pk: round_name(people[row.participant_id], row) for row in rounds})
        self.write_steps(people)
        done = [row.participant_id for row in rounds if row.purpose == Purpose.SCORED and row.state == RoundState.DONE]
        for key, person in people.items():
            values = participant_values(person, done.count(key))
            self.sheets["participants"].add(values, person.start)
            sheet = self.sheets["wide"]
            sheet.add(wide_row(sheet.table, values, answers[key], wide[key]), person.start)

    def name_of(self, row: Participant) -> str:
        """The participant's code, which staff pages show too, or a random id of 64 bits."""
        return secrets.token_hex(8) if self.anonymous else row.code or row.public_id

    def write_rounds(self, people: Mapping[int, Person], rounds: Sequence[Round]) -> dict[int, dict[str, Any]]:
        """Rounds with their moves and attempts; gives what the wide table says of them, by participant."""
        wide: dict[int, dict[str, Any]] = {key: {} for key in people}
        for some in lots_by_moves(rounds):
            moves = reads.moves_read(round_keys=[row.pk for row in some if row.seq])
            attempts = reads.attempts_read(round_keys=[row.pk for row in some if row.attempts])
            for row in some:
                person = people[row.participant_id]
                values = self.write_round(person, row, moves.get(row.pk, []), attempts.get(row.pk, []))
                if row.purpose == Purpose.SCORED:
                    wide[row.participant_id] |= {
                        round_column_name(values["page"], row.key, column.name): values[column.name]
                        for column in ROUND_COLUMNS
                    }
        return wide

    def write_round(
        self, person: Person, row: Round, moves: Sequence[MoveRow], attempts: Sequence[AttemptRow]
    ) -> dict[str, Any]:
        name = round_name(person, row)
        level = round_level(row)
        replay = replay_round(level, moves, score=row.score, game_version=row.game_version)
        rules = get_game(level.game)
        values = round_values(person, row, name, replay, moves)
        self.sheets["rounds"].add(values, person.start)
        for move in moves:
            self.sheets["moves"].add(move_values(person, name, level, rules, move, replay), person.start)
        for attempt in attempts:
            self.sheets["attempts"].add(attempt_values(person, name, attempt), person.start)
        return values

    def write_events(self, people: Mapping[int, Person], round_names: Mapping[int, str]) -> None:
        events = reads.events_read(keys=people)
        for key, person in people.items():
            for event in events.get(key, ()):
                values = {
                    "participant": person.name,
                    "round": None if event.round_id is None else round_names[event.round_id],
                    "event": EVENTS[event.kind],
                    "client_ms": event.client_ms,
                    "connection": event.conn,
                    "data": event.data,
                    "received_at": event.received_at,
                }
                self.sheets["events"].add(values, person.start)

    def write_steps(self, people: Mapping[int, Person]) -> None:
        """States that were reached, and decisions about taking part."""
        transitions = reads.transitions_read(keys=people)
        consents = reads.consents_read(keys=people)
        for key, person in people.items():
            for step in transitions.get(key, ()):
                values = {
                    "participant": person.name,
                    "number": step.number,
                    "from": STATUSES[step.from_status],
                    "to": STATUSES[step.to_status],
                    "cause": CAUSES[step.cause],
                    "at": step.at,
                }
                self.sheets["transitions"].add(values, person.start)
            for consent in consents.get(key, ()):
                number = person.row.version.number
                self.sheets["consents"].add(consent_values(consent, number, person.name), person.start)

    def write_withdrawn(self, numbers: Mapping[int, int]) -> None:
        """The decisions of those who withdrew; `numbers` of versions by their keys."""
        for consent in reads.consents_of_withdrawn(version_keys=numbers):
            self.sheets["consents"].add(consent_values(consent, numbers[consent.version_id], None))


def lots_by_moves(rounds: Sequence[Round]) -> Iterator[list[Round]]:
    """The rounds in order, together while they have no more than some thousand moves and attempts."""
    some: list[Round] = []
    count = 0
    for row in rounds:
        size = row.seq + row.attempts
        if some and count + size > LOT_MOVES:
            yield some
            some, count = [], 0
        some.append(row)
        count += size
    if some:
        yield some


def round_name(person: Person, row: Round) -> str:
    return f"{person.name}-{row.label}"


def page_key(document: StudyDocument, row: Round) -> str:
    """The page on which a round is played."""
    return document.round_page(position=row.position, key=row.key).key


def participant_values(person: Person, rounds_done: int) -> dict[str, Any]:
    row = person.row
    return {
        "participant": person.name,
        "kind": KINDS[row.kind],
        "version": row.version.number,
        "status": STATUSES[row.status],
        **use_values(person.decisions.participant),
        "outcome": OUTCOME_NAMES.get(Status(row.status)),
        "outcome_code": row.outcome_code,
        "language": row.language,
        "rounds_done": rounds_done,
        "assignment": row.assignment,
        "recruiter": row.recruiter,
        "recruiter_id": row.recruiter_id,
        "link_label": row.link.label if row.link else None,
        "link_comment": (row.link.comment or None) if row.link else None,
        "query": row.query,
        "seed": row.seed,
        "started_at": row.started_at,
        "last_seen_at": row.last_seen_at,
        "finished_at": row.finished_at,
        "ends_at": row.ends_at,
        "extensions": row.extensions,
        "given_minutes": row.given_minutes,
    }


def round_values(person: Person, row: Round, name: str, replay: Replay, moves: Sequence[MoveRow]) -> dict[str, Any]:
    legal = [move.legal_before for move in moves if move.kind == MoveKind.MOVE]
    times = [move.think_ms for move in moves if move.think_ms is not None]
    return {
        "round": name,
        "participant": person.name,
        "kind": KINDS[row.kind],
        "version": person.row.version.number,
        "page": page_key(person.document, row),
        "key": row.key,
        "purpose": PURPOSES[row.purpose],
        "position": row.position,
        "attempt": row.attempt,
        "game": row.game,
        "game_version": row.game_version,
        "level": json.dumps(replay.level, ensure_ascii=False),
        "level_hash": row.level_hash,
        "level_name": replay.level.get("name") or None,
        "state": ROUND_STATES[row.state],
        "reason": END_REASONS[row.reason],
        **use_values(person.decisions.of_round(row.pk), is_void=row.state == RoundState.VOID),
        "score": row.score,
        "moves": row.moves_used,
        "entries": len(moves),
        "attempts": row.attempts,
        "legal_mean": fmean(legal) if legal else None,
        "think_ms": sum(times) if times else None,
        "replay_agrees": replay.agrees,
        "check": row.check_hex or None,
        "started_at": row.started_at,
        "last_at": row.last_at,
        "ended_at": row.ended_at,
        "ends_at": row.ends_at,
        "extensions": row.extensions,
    }


def use_values(decided: Decided, *, is_void: bool = False) -> dict[str, Any]:
    """What is void counts in no figure, whoever decided what."""
    return {"use": USES[Use.EXCLUDE if is_void else decided.use], "use_reason": decided.reason or None}


def move_values(person: Person, name: str, level: Level, rules: Game, move: MoveRow, replay: Replay) -> dict[str, Any]:
    return {
        "round": name,
        "seq": move.seq,
        "participant": person.name,
        "kind": MOVE_KINDS[move.kind],
        "action": json.dumps(action_of(level, rules, move)),
        "gained": move.gained,
        "score_after": move.score_after,
        "legal_before": move.legal_before,
        "reshuffled": replay.reshuffled.get(move.seq),
        "think_ms": move.think_ms,
        "input": INPUTS[move.input],
        "steps": move.steps,
        "cleared": move.cleared,
        "anim_ms": move.anim_ms,
        "hidden_ms": move.hidden_ms,
        "server_ms": move.server_ms,
        "rtt_ms": move.rtt_ms,
        "flags": " ".join(label for bit, label in FLAGS if move.flags & bit) or None,
        "connection": move.conn,
        "received_at": move.received_at,
    }


def action_of(level: Level, rules: Game, move: MoveRow) -> Any:
    """The action as a JSON value; the bare number of a damaged row whose level has no such action."""
    if move.action is None:
        return "undo"
    try:
        return rules.decode_action(level, move.action, move.reversed)
    except ValueError:
        return move.action


def attempt_values(person: Person, name: str, attempt: AttemptRow) -> dict[str, Any]:
    return {
        "round": name,
        "participant": person.name,
        "before_seq": attempt.before_seq,
        "action": json.dumps(attempt.action),
        "reason": ATTEMPT_REASONS[attempt.reason],
        "think_ms": attempt.think_ms,
        "input": INPUTS[attempt.input],
        "received_at": attempt.received_at,
    }


def consent_values(consent: Consent, version: int, name: str | None) -> dict[str, Any]:
    return {
        "participant": name,
        "version": version,
        "version_hash": consent.version_hash,
        "text_hash": consent.text_hash,
        "decision": DECISIONS[consent.decision],
        "withdrawn": consent.withdrawn_at is not None,
        "at": consent.at,
    }
