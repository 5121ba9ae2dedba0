"""The document of a study, format 1: everything that participants see, as JSON, frozen at publication.

`parse_study` turns decoded JSON into a `StudyDocument` or refuses it in a sentence that names the place;
`StudyDocument.to_document` gives the canonical form back, with every default written out. A stored document is never
changed: when the form changes, `format` rises and the reader of this one stays.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from playtest.studies.document.limits import RoundLimit, StudyLimits, TotalLimit, parse_study_limits
from playtest.studies.document.pages import (
    MOST_CELLS,
    ConsentPage,
    EndPage,
    FixedRound,
    Page,
    PracticePage,
    QuestionnairePage,
    RandomRound,
    RoundPlan,
    RoundQuestions,
    RoundsPage,
    parse_page,
    plan_game,
    refuse_double,
)
from playtest.studies.document.reader import Reader, refuse
from playtest.studies.languages import known_languages
from playtest.studies.williams import williams_orders

__all__ = [
    "ConsentPage",
    "EndPage",
    "FixedRound",
    "Page",
    "PracticePage",
    "QuestionnairePage",
    "RandomRound",
    "RoundLimit",
    "RoundPlan",
    "RoundQuestions",
    "RoundsPage",
    "StudyDocument",
    "StudyLimits",
    "TotalLimit",
    "parse_study",
]

FORMAT = 1
MOST_PAGES = 50


@dataclass(frozen=True)
class StudyDocument:
    """A consent page first, an end page last, questionnaires and rounds between them."""

    title: str
    summary: str
    languages: tuple[str, ...]
    pages: tuple[Page, ...]
    limits: StudyLimits = field(default_factory=StudyLimits)

    @property
    def consent(self) -> ConsentPage:
        page = self.pages[0]
        assert isinstance(page, ConsentPage)
        return page

    @property
    def end(self) -> EndPage:
        page = self.pages[-1]
        assert isinstance(page, EndPage)
        return page

    @property
    def questionnaires(self) -> tuple[QuestionnairePage, ...]:
        return tuple(page for page in self.pages if isinstance(page, QuestionnairePage))

    @property
    def asked(self) -> tuple[QuestionnairePage, ...]:
        """All pages of questions that a participant sends in, in order: questionnaires, and those after each round."""
        spans = {page.key: positions for page, positions in self.rounds_pages()}
        found: list[QuestionnairePage] = []
        for page in self.pages:
            if isinstance(page, QuestionnairePage):
                found.append(page)
            elif isinstance(page, RoundsPage):
                found += [one for position in spans[page.key] if (one := page.questions_after(position))]
        return tuple(found)

    @property
    def round_count(self) -> int:
        return sum(len(page.rounds) for page in self.pages if isinstance(page, RoundsPage))

    @property
    def balanced_pages(self) -> tuple[RoundsPage, ...]:
        return tuple(page for page in self.pages if isinstance(page, RoundsPage) and page.order == "williams")

    @property
    def cell_count(self) -> int:
        """How many different combinations of balanced orders participants are shared out to."""
        return math.lcm(1, *(len(williams_orders(len(page.rounds))) for page in self.balanced_pages))

    def page(self, key: str) -> Page | None:
        return next((page for page in self.pages if page.key == key), None)

    def rounds_pages(self) -> Iterator[tuple[RoundsPage, range]]:
        """Each page of rounds with the positions of its rounds among all rounds of a participant, from 1."""
        first = 1
        for page in self.pages:
            if isinstance(page, RoundsPage):
                yield page, range(first, first + len(page.rounds))
                first += len(page.rounds)

    def rounds_page_at(self, position: int) -> RoundsPage:
        """The page on which the round at a position is played."""
        return next(page for page, positions in self.rounds_pages() if position in positions)

    @property
    def practice_pages(self) -> tuple[PracticePage, ...]:
        return tuple(page for page in self.pages if isinstance(page, PracticePage))

    @property
    def unpractised(self) -> tuple[str, ...]:
        """The games of rounds that count, in their order, that no page before them lets people practise."""
        met: set[str] = set()
        found: list[str] = []
        for page in self.pages:
            if isinstance(page, PracticePage):
                met.add(page.game)
            for plan in page.rounds if isinstance(page, RoundsPage) else ():
                game = plan_game(plan)
                if game not in met:
                    met.add(game)
                    found.append(game)
        return tuple(found)

    def round_page(self, *, position: int, key: str) -> RoundsPage | PracticePage:
        """The page of a participant's round. Practice has position 0 and the page's own key."""
        if position:
            return self.rounds_page_at(position)
        return next(page for page in self.practice_pages if page.key == key)

    def to_document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "title": self.title,
            "summary": self.summary,
            "languages": list(self.languages),
            **({"limits": limits} if (limits := self.limits.to_document()) else {}),
            "pages": [page.to_document() for page in self.pages],
        }


def parse_study(value: object) -> StudyDocument:
    """Read a study. Raises StudyError with code `document`."""
    reader = Reader(value, "")
    if reader.raw("format") != FORMAT or isinstance(reader.value["format"], bool):
        refuse("", f"This program reads studies of format {FORMAT}.")
    document = StudyDocument(
        title=reader.text("title", limit=200),
        summary=reader.text("summary", limit=2_000, default=""),
        languages=parse_languages(reader),
        limits=parse_study_limits(reader),
        pages=tuple(
            parse_page(entry, place) for place, entry in reader.items("pages", low=3, high=MOST_PAGES, word="Page")
        ),
    )
    reader.done()
    refuse_double("", [page.key for page in document.pages])
    refuse_disorder(document.pages)
    refuse_study_boards(document.pages)
    if document.cell_count > MOST_CELLS:
        refuse("", f"Its balanced pages have {document.cell_count:,} orders together; {MOST_CELLS:,} are possible.")
    return document


def parse_languages(reader: Reader) -> tuple[str, ...]:
    """The first is the one that the study's own texts are in."""
    known = list(known_languages())
    if not reader.has("languages"):
        return tuple(known[:1])
    languages: list[str] = []
    for place, entry in reader.items("languages", low=1, high=len(known), word="Language"):
        if entry not in known or entry in languages:
            refuse(place, f"each of {', '.join(known)} may be named once.")
        languages.append(entry)
    return tuple(languages)


def refuse_disorder(pages: tuple[Page, ...]) -> None:
    if not isinstance(pages[0], ConsentPage):
        refuse("Page 1", "a study begins with its consent page.")
    if not isinstance(pages[-1], EndPage):
        refuse(f"Page {len(pages)}", "a study ends with its end page.")
    for number, page in enumerate(pages[1:-1], start=2):
        if isinstance(page, ConsentPage | EndPage):
            place = "beginning" if isinstance(page, ConsentPage) else "end"
            refuse(f"Page {number}", f"there is one {page.kind} page, at the {place}.")
    if not any(isinstance(page, RoundsPage) for page in pages):
        refuse("", "A study needs a page with rounds.")


def refuse_study_boards(pages: tuple[Page, ...]) -> None:
    """Nobody practises on a board that counts for them or for others."""
    counted = {
        plan.level.content_hash()
        for page in pages
        if isinstance(page, RoundsPage)
        for plan in page.rounds
        if isinstance(plan, FixedRound)
    }
    for number, page in enumerate(pages, start=1):
        for place, plan in enumerate(page.rounds if isinstance(page, PracticePage) else (), start=1):
            if isinstance(plan, FixedRound) and plan.level.content_hash() in counted:
                refuse(f"Round {place} of page {number}", "this level is played in a round that counts. Take another.")
