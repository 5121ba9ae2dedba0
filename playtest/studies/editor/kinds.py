"""What a study can be made of: kinds of pages and of their entries, in words, and how a new one begins."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.game import games
from engine.level import shipped_levels
from playtest.studies.errors import StudyError
from playtest.studies.readymade.parts import KEPT, after_round_items, end_page

Draft = dict[str, Any]


@dataclass(frozen=True)
class EntryKind:
    """A kind of question or round: what its button says, and a new one without its key.

    `on_page` makes the new one where it depends on what the page has; it may raise StudyError.
    """

    label: str
    blank: Callable[[], Draft]
    on_page: Callable[[Draft], Draft] | None = None

    def new(self, page: Draft) -> Draft:
        return self.on_page(page) if self.on_page else self.blank()


@dataclass(frozen=True)
class EntryBlock:
    """Entries that are added together: what their button says, and new ones with their keys."""

    label: str
    entries: Callable[[], list[Draft]]


@dataclass(frozen=True)
class EntryList:
    """A list on a page: its key in the document, its words, the kinds of entries, and the least number of them.

    `hint` says what the list is for while it is empty.
    """

    key: str
    title: str
    word: str
    kinds: dict[str, EntryKind]
    kind_of: Callable[[Draft], str]
    least: int = 1
    hint: str = ""
    blocks: dict[str, EntryBlock] = field(default_factory=dict)
    is_shared: bool = False
    """Whether its entries may be moved to another page."""


@dataclass(frozen=True)
class PageKind:
    """A kind of page. Those that can be added have a `blank`."""

    label: str
    hint: str
    blank: Callable[[], Draft] | None = None
    lists: tuple[EntryList, ...] = field(default=())


def random_board(game: str = "match3") -> Draft:
    """A board of the usual size of a game, drawn anew for each participant."""
    info = games()[game].info
    shipped = next(iter(shipped_levels(game).values()))
    drawn: Draft = {"game": game, "rows": shipped.rows, "cols": shipped.cols, "colours": shipped.colours}
    return drawn if info.default_moves is None else {**drawn, "moves": info.default_moves}


def first_level() -> Draft:
    return next(iter(shipped_levels("match3").values())).to_document()


def blank_choice() -> Draft:
    options = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]
    return {"kind": "choice", "label": "New question", "options": options}


def blank_scale() -> Draft:
    return {"kind": "scale", "label": "New question", "from": 1, "to": 5, "low": "not at all", "high": "very much"}


QUESTIONS = EntryList(
    key="items",
    title="Questions",
    word="question",
    kinds={
        "choice": EntryKind("Choice", blank_choice),
        "scale": EntryKind("Scale", blank_scale),
        "number": EntryKind("Number", lambda: {"kind": "number", "label": "New question", "min": 0, "max": 100}),
        "text": EntryKind("Text", lambda: {"kind": "text", "label": "New question", "required": False, "lines": 3}),
    },
    kind_of=lambda entry: str(entry.get("kind")),
    is_shared=True,
)


def page_questions(page: Draft) -> list[Draft]:
    """What is asked on a page, or after each round of it."""
    found: list[Draft] = page.get("after_round" if page.get("kind") == "rounds" else "items", [])
    return found


def blank_score(page: Draft) -> Draft:
    """A new score of a page: the mean of its first scale and all others of that range."""
    scales = [item for item in page_questions(page) if item["kind"] in {"scale", "number"}]
    if not scales:
        raise StudyError("kind", "A score counts questions that are scales or numbers. Add such a question first.")
    bounds = [(item.get("from"), item.get("to"), item.get("min"), item.get("max")) for item in scales]
    keys = [item["key"] for item, own in zip(scales, bounds, strict=True) if own == bounds[0]]
    return {"label": "New score", "items": keys, "reverse": [], "method": "mean", "least": len(keys)}


SCORES = EntryList(
    key="scores",
    title="Scores",
    word="score",
    kinds={"score": EntryKind("A score", dict, on_page=blank_score)},
    kind_of=lambda entry: "score",
    least=0,
    hint="A score makes one number of several scales, such as a subscale of a questionnaire. It stands in the export.",
)
AFTER_ROUND = EntryList(
    key="after_round",
    title="Questions after each round",
    word="question",
    kinds=QUESTIONS.kinds,
    kind_of=QUESTIONS.kind_of,
    least=0,
    is_shared=True,
    hint="Nothing is asked after a round. What is added here is asked after every round of this page.",
    blocks={"experience": EntryBlock("Difficulty and enjoyment", after_round_items)},
)
ROUNDS = EntryList(
    key="rounds",
    title="Rounds",
    word="round",
    kinds={
        "level": EntryKind("A level of the library", lambda: {"level": first_level()}),
        "random": EntryKind("A board drawn anew", lambda: {"random": random_board()}),
    },
    kind_of=lambda entry: "level" if "level" in entry else "random",
)
PAGES: dict[str, PageKind] = {
    "consent": PageKind("Consent", "What people are told before they agree. The study begins with it."),
    "questionnaire": PageKind(
        "Questions",
        "Questions about people, or about what they just played.",
        blank=lambda: {
            "kind": "questionnaire",
            "title": "Some questions",
            "items": [{"key": "question-1", **blank_choice()}],
        },
        lists=(QUESTIONS, SCORES),
    ),
    "practice": PageKind(
        "Practice",
        "Rounds that do not count: people try the game, as often as they like, on boards of their own.",
        blank=lambda: {
            "kind": "practice",
            "title": "Practice",
            "skip": False,
            "rounds": [{"key": "round-1", "random": {**random_board(), "moves": 10}}],
        },
        lists=(ROUNDS,),
    ),
    "rounds": PageKind(
        "Rounds",
        "What people play: the same levels for everybody, or boards drawn anew.",
        blank=lambda: {
            "kind": "rounds",
            "title": "Rounds",
            "order": "shuffle",
            "rounds": [{"key": "round-1", "random": random_board()}],
        },
        lists=(ROUNDS, AFTER_ROUND, SCORES),
    ),
    "end": PageKind("End", "Thank you, and the code by which participants can be found."),
}


def page_kind(page: Draft) -> PageKind:
    """The kind of a page, also of one that the editor has no form for yet."""
    return PAGES.get(str(page.get("kind")), PageKind(str(page.get("kind")).capitalize(), ""))


def page_list(page: Draft, key: str) -> EntryList | None:
    return next((one for one in page_kind(page).lists if one.key == key), None)


def list_keys(page: Draft) -> set[str]:
    return {one.key for one in page_kind(page).lists}


def empty_study() -> Draft:
    """The least that is a study: consent, one round, the end. Each call makes a new one."""
    return {
        "format": 1,
        "title": "Untitled study",
        "pages": [
            {
                "key": "consent",
                "kind": "consent",
                "title": "Before you start",
                "text": f"This is a study of how people play a puzzle. It takes a few minutes.\n\n{KEPT}",
                "agree": "I am at least 18 years old, I have read this, and I want to take part.",
            },
            {
                "key": "rounds",
                "kind": "rounds",
                "title": "One round",
                "rounds": [{"key": "round-1", "random": random_board()}],
            },
            {**end_page(), "text": "That was all. You can close this page."},
        ],
    }
