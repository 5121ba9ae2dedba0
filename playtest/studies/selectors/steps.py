"""What a participant has to do next. Decided from what is stored, so that reloading and going back do no harm."""

from collections.abc import Iterable, Set
from dataclasses import dataclass

from django.utils import timezone

from playtest.studies.choices import AWAY, Purpose, RoundState, Status
from playtest.studies.document import EndPage, Page, PracticePage, QuestionnairePage, RoundsPage, StudyDocument
from playtest.studies.models import PageVisit, Participant, Round
from playtest.studies.selectors.documents import version_document


@dataclass(frozen=True)
class Step:
    """`kind`: consent, declined, questionnaire, practice, rounds, end, done, away or ended, and `page` if there is one.

    `end` is due when all before it is done but the end was not confirmed yet, `done` after that; `away`: their place
    was given up, and they may come back; `ended` is any other end, also that of the time for the study. `position` is
    that of the round to play, or of the round that questions are about.
    """

    kind: str
    index: int = 0
    page: Page | None = None
    position: int | None = None


@dataclass(frozen=True)
class Positions:
    """Positions of scored rounds by their last attempts: not played to the end, void; and the open one, 0 for none.

    An open round is played to its end first, also where a new attempt at an earlier one was granted meanwhile.
    """

    left: Set[int]
    void: Set[int]
    open: int = 0


NO_ROUNDS = Positions(frozenset(), frozenset())


def step_due(participant: Participant) -> Step:
    document, status = version_document(participant.version), Status(participant.status)
    if status in AWAY and time_is_up(participant):
        return Step("ended", len(document.pages) - 1, document.end)
    if status != Status.ACTIVE:
        return step_of(document, status, visited=set(), rounds=NO_ROUNDS)
    visited = set(PageVisit.objects.filter(participant=participant).values_list("page_key", flat=True))
    return step_of(document, status, visited=visited, rounds=positions_of(participant))


def time_is_up(participant: Participant) -> bool:
    """Whether the participant's time for the study is over. For what is shown: the database's clock decides."""
    return participant.ends_at is not None and participant.ends_at <= timezone.now()


def step_of(document: StudyDocument, status: Status, *, visited: Set[str], rounds: Positions) -> Step:
    """The same from the pages that were sent in and how the rounds stand."""
    if status == Status.STARTED:
        return Step("consent", 0, document.consent)
    if status == Status.DECLINED:
        return Step("declined", 0, document.consent)
    last = len(document.pages) - 1
    if status == Status.COMPLETED:
        return Step("done", last, document.end)
    if status in AWAY:
        return Step("away", last, document.end)
    if status != Status.ACTIVE:
        return Step("ended", last, document.end)
    positions = {page.key: span for page, span in document.rounds_pages()}
    for index, page in enumerate(document.pages):
        if isinstance(page, QuestionnairePage) and page.key not in visited:
            return Step("questionnaire", index, page)
        if isinstance(page, PracticePage) and page.key not in visited:
            return Step("practice", index, page)
        if isinstance(page, RoundsPage):
            for position in positions[page.key]:
                if position < rounds.open:
                    continue
                if position in rounds.left:
                    return Step("rounds", index, page, position)
                questions = page.questions_after(position)
                if questions is not None and questions.key not in visited and position not in rounds.void:
                    return Step("questionnaire", index, questions, position)
        if isinstance(page, EndPage):
            return Step("end", index, page)
    raise AssertionError("a study ends with its end page")


def positions_of(participant: Participant) -> Positions:
    """How the participant's scored rounds stand."""
    rounds = Round.objects.filter(participant=participant, purpose=Purpose.SCORED).order_by("position", "attempt")
    return positions_from(rounds.values_list("position", "state"))


def positions_from(rounds: Iterable[tuple[int, int]]) -> Positions:
    """The same from position and state of each round, in the order of attempts."""
    last = dict(rounds)
    return Positions(
        left={position for position, state in last.items() if state in (RoundState.PLANNED, RoundState.OPEN)},
        void={position for position, state in last.items() if state == RoundState.VOID},
        open=max((position for position, state in last.items() if state == RoundState.OPEN), default=0),
    )


def round_game(*, participant: Participant, position: int) -> tuple[str, bool]:
    """The game of the participant's round at that position, and whether it is the first that counts of that game."""
    rounds = Round.objects.filter(participant=participant, purpose=Purpose.SCORED)
    game = rounds.filter(position=position).order_by("-attempt").values_list("game", flat=True).first()
    assert game is not None
    return game, not rounds.filter(game=game, position__lt=position).exists()
