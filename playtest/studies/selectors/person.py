"""One participant as staff see them: what they did and when, what they answered, what they played."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from playtest.accounts.models import User
from playtest.studies.choices import BEGUN, Cause, EventKind, Missing, Purpose, RoundState, Status
from playtest.studies.document import QuestionnairePage, StudyDocument
from playtest.studies.document.items import ChoiceItem, Item
from playtest.studies.document.pages import key_parts
from playtest.studies.document.scores import score_answers, score_formula
from playtest.studies.models import Annotation, Answer, Event, PageVisit, Participant, Round, Study, Transition
from playtest.studies.selectors.annotations import NONE_DECIDED, Decided, annotations_of, decisions_read
from playtest.studies.selectors.documents import round_name, version_document
from playtest.studies.selectors.flags import Flag, Seen, flags, seen_of

EVENT_WORDS = {
    EventKind.HIDDEN: "Page hidden",
    EventKind.VISIBLE: "Page shown again",
    EventKind.OFFLINE: "Browser offline",
    EventKind.ONLINE: "Browser online again",
    EventKind.SETTINGS: "Settings changed",
    EventKind.HINT_SHOWN: "Hint shown",
    EventKind.LIMIT_SHOWN: "Warned of the time limit",
    EventKind.MORE_TIME: "Asked for more time and got it",
    EventKind.CONNECT: "Connected",
    EventKind.TAKEOVER: "Taken over by another tab or device",
    EventKind.RESUME: "Connected again",
    EventKind.INCOMPLETE: "Came to the end, and something was missing",
    EventKind.DROPPED: "Events were dropped: too many came at once",
}
"""Events that stand in the timeline; of the others only the number is told."""


CAUSE_WORDS = {Cause.PARTICIPANT: "by the participant", Cause.SYSTEM: "by the program", Cause.STAFF: "by staff"}


@dataclass(frozen=True)
class Entry:
    """A line of the timeline. `round_id` says which round it belongs to, if it does."""

    at: datetime
    kind: str
    words: str
    detail: str = ""
    round_id: int | None = None


@dataclass(frozen=True)
class AnswerShown:
    words: str
    answer: str
    missing: str


@dataclass(frozen=True)
class ScoreShown:
    """A score with its value as text, or why there is none."""

    words: str
    value: str
    missing: str
    formula: str


@dataclass(frozen=True)
class PageShown:
    title: str
    shown_ms: int | None
    hidden_ms: int | None
    submitted_at: datetime
    answers: list[AnswerShown]
    scores: list[ScoreShown]


@dataclass(frozen=True)
class RoundShown:
    """A round of the participant. Think time is the median of its moves in milliseconds."""

    row: Round
    name: str
    think_ms: float | None
    decided: Decided
    own: Decided
    is_last: bool
    """Whether there is no later attempt at it."""

    @property
    def is_played(self) -> bool:
        return self.row.seq > 0 or self.row.attempts > 0

    @property
    def is_void(self) -> bool:
        return self.row.state == RoundState.VOID

    @property
    def may_be_void(self) -> bool:
        return self.row.purpose == Purpose.SCORED and self.row.state in BEGUN

    @property
    def may_be_again(self) -> bool:
        """Whether a new attempt can be granted, if the participant is under way."""
        return self.row.purpose == Purpose.SCORED and self.is_void and self.is_last


@dataclass(frozen=True)
class Person:
    participant: Participant
    timeline: list[Entry]
    other_events: list[tuple[str, int]]
    pages: list[PageShown]
    rounds: list[RoundShown]
    flags: list[Flag]
    decided: Decided
    history: list[Annotation]


def recruiter_is_visible(user: User) -> bool:
    """Who sees which person of a recruiting service a participant is: admins."""
    return user.is_admin


def participant_of(*, study: Study, pk: int) -> Participant | None:
    """A participant of the study, with version and link."""
    rows = Participant.objects.filter(study=study).select_related("version", "link")
    return rows.defer("version__document", "version__game_versions", "token_hash").filter(pk=pk).first()


def round_of(*, participant: Participant, pk: int) -> Round | None:
    """A round of the participant, with its level."""
    return Round.objects.filter(participant=participant).select_related("level_version").filter(pk=pk).first()


def person_shown(participant: Participant) -> Person:
    """All of one participant, in a fixed number of queries. Of who withdrew only the states are left."""
    document = version_document(participant.version)
    rounds = list(
        Round.objects.filter(participant=participant).defer("level").order_by("purpose", "position", "attempt")
    )
    seen = seen_of(participants=[participant])[participant.pk]
    decisions = decisions_read(participant_ids=[participant.pk]).get(participant.pk, NONE_DECIDED)
    visits = list(PageVisit.objects.filter(participant=participant).order_by("pk"))
    events = list(Event.objects.filter(participant=participant).order_by("pk"))
    transitions = Transition.objects.filter(participant=participant).select_related("by").order_by("number")
    lines = [
        *transition_entries(list(transitions)),
        *visit_entries(document, visits),
        *round_entries(document, rounds),
        *event_entries(events),
    ]
    last = {(row.purpose, row.position): row.pk for row in rounds}
    told = Counter(EventKind(event.kind).label for event in events if event.kind not in EVENT_WORDS)
    return Person(
        participant=participant,
        timeline=sorted(lines, key=lambda entry: entry.at),
        other_events=[(str(label).replace("_", " "), number) for label, number in told.most_common()],
        pages=pages_shown(document, visits, list(Answer.objects.filter(participant=participant).order_by("pk"))),
        rounds=[
            RoundShown(
                row=row,
                name=round_title(document, row),
                think_ms=think_median(seen, row),
                decided=decisions.of_round(row.pk),
                own=decisions.rounds.get(row.pk, NONE_DECIDED.participant),
                is_last=last[row.purpose, row.position] == row.pk,
            )
            for row in rounds
        ],
        flags=flags(seen),
        decided=decisions.participant,
        history=annotations_of(participant=participant),
    )


def round_title(document: StudyDocument, row: Round) -> str:
    """What is played, with the round's key where that is another word."""
    name = round_name(document, position=row.position, key=row.key, level_hash=row.level_hash)
    return name if name == row.key else f"{name} ({row.key})"


def think_median(seen: Seen, row: Round) -> float | None:
    times = [move.think_ms for move in seen.moves.get(row.pk, ()) if move.think_ms is not None]
    return median(times) if times else None


def transition_entries(transitions: Sequence[Transition]) -> Iterator[Entry]:
    for step in transitions:
        who = f"by {step.by.get_username()}" if step.by else CAUSE_WORDS[Cause(step.cause)]
        state = str(Status(step.to_status).label).replace("_", " ")
        yield Entry(step.at, "state", state.capitalize(), who)


def visit_entries(document: StudyDocument, visits: Sequence[PageVisit]) -> Iterator[Entry]:
    for visit in visits:
        parts = [f"shown for {duration(visit.shown_ms)}"] if visit.shown_ms is not None else []
        parts += [f"hidden for {duration(visit.hidden_ms)} of it"] if visit.hidden_ms else []
        yield Entry(visit.submitted_at, "page", f"Sent in “{page_title(document, visit.page_key)}”", ", ".join(parts))


def round_entries(document: StudyDocument, rounds: Sequence[Round]) -> Iterator[Entry]:
    for row in rounds:
        name = f"round {row.position}" if row.attempt == 1 else f"round {row.position}, attempt {row.attempt}"
        if row.purpose == Purpose.PRACTICE:
            name = f"practice {row.attempt}"
        if row.started_at is not None:
            yield Entry(row.started_at, "round", f"Began {name}", round_title(document, row), row.pk)
        if row.ended_at is not None:
            verb = "Voided" if row.state == RoundState.VOID else "Ended"
            yield Entry(
                row.ended_at, "round", f"{verb} {name}", f"{row.score:,} points, {row.moves_used} moves", row.pk
            )


def event_entries(events: Sequence[Event]) -> Iterator[Entry]:
    """What stands in the timeline; hidden and shown again become one line where their clock is the same."""
    hidden: Event | None = None
    for event in events:
        if event.kind == EventKind.VISIBLE and hidden is not None:
            away = (event.client_ms or 0) - (hidden.client_ms or 0)
            if away >= 0 and hidden.conn == event.conn:
                yield Entry(hidden.received_at, "event", "Page hidden", f"for {duration(away)}", hidden.round_id)
                hidden = None
                continue
        if hidden is not None:
            yield Entry(hidden.received_at, "event", EVENT_WORDS[EventKind.HIDDEN], "", hidden.round_id)
            hidden = None
        if event.kind == EventKind.HIDDEN:
            hidden = event
        elif event.kind in EVENT_WORDS:
            yield Entry(event.received_at, "event", event_words(event), faults_of(event), event.round_id)
    if hidden is not None:
        yield Entry(hidden.received_at, "event", EVENT_WORDS[EventKind.HIDDEN], "not shown again", hidden.round_id)


def event_words(event: Event) -> str:
    """What happened; of more time also for what, and who gave it."""
    words = EVENT_WORDS[EventKind(event.kind)]
    if event.kind != EventKind.MORE_TIME or event.round_id is not None:
        return words
    data = json.loads(event.data)
    return f"Staff gave {data['seconds'] // 60} minutes more" if "by" in data else f"{words}, for the study"


def faults_of(event: Event) -> str:
    """What was missing at the end, in the words of the check."""
    if event.kind != EventKind.INCOMPLETE:
        return ""
    data = json.loads(event.data)
    return " ".join(str(fault) for fault in data.get("faults", ())) if isinstance(data, dict) else ""


def pages_shown(document: StudyDocument, visits: Sequence[PageVisit], answers: Sequence[Answer]) -> list[PageShown]:
    asked = {page.key: page for page in document.asked}
    items = {(page.key, item.key): item for page in asked.values() for item in page.items}
    return [
        PageShown(
            title=page_title(document, visit.page_key),
            shown_ms=visit.shown_ms,
            hidden_ms=visit.hidden_ms,
            submitted_at=visit.submitted_at,
            answers=[
                answer_shown(items.get((one.page_key, one.item_key)), one)
                for one in answers
                if one.visit_id == visit.pk
            ],
            scores=scores_shown(asked.get(visit.page_key), [one for one in answers if one.visit_id == visit.pk]),
        )
        for visit in visits
    ]


def scores_shown(page: QuestionnairePage | None, answers: Sequence[Answer]) -> list[ScoreShown]:
    """The scores of a page that was sent in; none of practice, which has no questions."""
    if page is None:
        return []
    given = {one.item_key: one.number for one in answers}
    shown = []
    for scored in score_answers(page.scores, page.items, given):
        score = scored.score
        answered = f"{scored.answered} of {len(score.items)} answered"
        value = "" if scored.value is None else f"{scored.value:.2f}".rstrip("0").rstrip(".")
        missing = f"No value: {answered}, {score.least} needed" if scored.value is None else ""
        shown.append(ScoreShown(score.label, value, missing, score_formula(score, page.items)))
    return shown


def answer_shown(item: Item | None, answer: Answer) -> AnswerShown:
    words = item.label if item else answer.item_key
    if answer.missing != Missing.NO:
        return AnswerShown(words, "", str(Missing(answer.missing).label).replace("_", " "))
    return AnswerShown(words, value_text(item, json.loads(answer.value)), "")


def value_text(item: Item | None, value: Any) -> str:
    """The answer as the participant saw it: of a choice its words."""
    if isinstance(item, ChoiceItem):
        return next((option.label for option in item.options if option.value == value), str(value))
    return value if isinstance(value, str) else json.dumps(value)


def page_title(document: StudyDocument, key: str) -> str:
    """The heading of a page; with the round, of questions that follow one."""
    name, position = key_parts(key)
    page = document.page(name)
    title = page.title if page else name
    return title if position is None else f"{title}: after round {position}"


def duration(ms: int) -> str:
    """Milliseconds for people."""
    if ms < 60_000:
        return f"{ms / 1_000:.1f} s"
    minutes, left = divmod(ms // 1_000, 60)
    return f"{minutes:,} min {left} s"
