"""Small studies and participants for tests, made by the services that the site uses."""

from typing import Any

from engine.level import draw_level
from playtest.studies.choices import Kind, RoundState
from playtest.studies.document import QuestionnairePage
from playtest.studies.models import Participant, Round, Study
from playtest.studies.readymade.parts import after_round_items
from playtest.studies.selectors.documents import version_document
from playtest.studies.services import consent_decide, page_submit, participant_start, study_create, study_publish
from playtest.studies.services.moves import play_write
from playtest.studies.services.pages import Shown
from tests.playtest.studies.jobs import move_after

DROPS = ["ABCDEF" * 4, "BCDEFA" * 4, "CDEFAB" * 4, "DEFABC" * 4, "EFABCD" * 4, "FABCDE" * 4, "ABDECF" * 4]


def level_file(*, seed: int = 11, moves: int = 3, drops: list[str] | None = None) -> dict[str, Any]:
    document = draw_level(
        "match3", rows=7, cols=7, colours=6, moves=moves, seed=seed, name=f"Board {seed}"
    ).to_document()
    return document if drops is None else {**document, "drops": drops}


def study_document(
    *, rounds: int = 2, moves: int = 3, order: str = "fixed", questions: bool = False, after_round: bool = False
) -> dict[str, Any]:
    """A consent page, perhaps one of questions, `rounds` rounds of which the last is drawn, an end."""
    fixed = [
        {"key": f"fixed-{number}", "level": level_file(seed=10 + number, moves=moves, drops=DROPS)}
        for number in range(1, rounds)
    ]
    drawn = {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": moves}
    pages: list[dict[str, Any]] = [
        {"key": "consent", "kind": "consent", "title": "Before", "text": "What is kept.", "agree": "I agree."},
        {
            "key": "rounds",
            "kind": "rounds",
            "title": "Rounds",
            "order": order,
            "rounds": [*fixed, {"key": "drawn", "random": drawn}],
        },
        {"key": "end", "kind": "end", "title": "Thanks", "text": "That was all."},
    ]
    if after_round:
        pages[1]["after_round"] = after_round_items()
    if questions:
        pages.insert(1, {"key": "profile", "kind": "questionnaire", "title": "You", "items": question_items()})
    return {"format": 1, "title": "A small study", "pages": pages}


def question_items() -> list[dict[str, Any]]:
    return [
        {
            "key": "often",
            "kind": "choice",
            "label": "How often do you play?",
            "options": [{"value": "never", "label": "Never"}, {"value": "daily", "label": "Daily"}],
        },
        {"key": "age", "kind": "number", "label": "Age", "min": 18, "max": 120, "required": False},
        {"key": "words", "kind": "text", "label": "Anything else?", "max_length": 40, "required": False},
        {"key": "fun", "kind": "scale", "label": "Fun?", "to": 5, "low": "none", "high": "much"},
    ]


def make_study(**kwargs: Any) -> Study:
    study = study_create(owner=None, document=study_document(**kwargs))
    study_publish(study=study)
    return study


def make_participant(study: Study, *, kind: Kind = Kind.PERSON, agree: bool = True) -> tuple[Participant, str]:
    """Somebody who has agreed and answered, with the token of the cookie."""
    started = participant_start(study=study, kind=kind)
    participant = started.participant
    if agree:
        consent_decide(participant=participant, agree=True)
        for page in version_document(participant.version).questionnaires:
            answer_page(participant, page)
    return participant, started.token


def answer_page(participant: Participant, page: QuestionnairePage) -> None:
    answers = {"often": "daily", "age": 40, "words": None, "fun": 4}
    page_submit(participant=participant, page=page, answers=answers, shown=Shown("visit-for-a-test-00000"))


def play_rounds(participant: Participant, *, moves: int = 3, position: int | None = None) -> None:
    """Play every round to its end, or the one at a position, through the writer, or as many moves of it."""
    rounds = Round.objects.filter(participant=participant).order_by("position")
    for row in rounds if position is None else rounds.filter(position=position):
        Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN, play_epoch=1)
        codes: list[int] = []
        while len(codes) < moves:
            job = move_after(row, codes, epoch=1, client_id=f"test-move-{len(codes)}")
            play_write([job])
            codes.append(job.action)
            if job.over:
                break
