"""What participants saw of a version, page by page, for a page that only shows it."""

from dataclasses import dataclass, field
from typing import Any

from engine.game import games
from playtest.studies.document import (
    ConsentPage,
    EndPage,
    FixedRound,
    Page,
    PracticePage,
    QuestionnairePage,
    RoundLimit,
    RoundPlan,
    RoundsPage,
    StudyDocument,
)
from playtest.studies.document.items import ChoiceItem, Item, NumberItem, ScaleItem, TextItem
from playtest.studies.document.scores import score_formula
from playtest.studies.editor.forms import OUTCOME_TITLES, SPEEDS
from playtest.studies.editor.kinds import page_kind

ORDERS = {
    "fixed": "In this order for everybody.",
    "shuffle": "Shuffled anew for each participant, by their own seed.",
    "williams": "Balanced: each round equally often at each place, and equally often after each other.",
}


@dataclass(frozen=True)
class ItemShown:
    """A question as it was asked: the kind in words and, for a choice or a scale, the answers."""

    label: str
    help: str
    key: str
    kind: str
    answers: list[str]
    notes: list[str]


@dataclass(frozen=True)
class RoundShown:
    """A round as it was set: a board as rows of letters, or how it was drawn."""

    key: str
    name: str
    facts: str
    board: list[str] = field(default_factory=list)
    seed: int | None = None
    drops: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class OutcomeShown:
    """What an end page has for an outcome; those without anything of their own are not shown."""

    title: str
    text: str
    code: str
    url: str


@dataclass(frozen=True)
class PageShown:
    label: str
    page: Page
    items: list[ItemShown]
    rounds: list[RoundShown]
    facts: list[str]
    agree: str = ""
    after_round: list[ItemShown] = field(default_factory=list)
    scores: list[tuple[str, str, str]] = field(default_factory=list)
    """Name, key and formula of each score: staff see them, participants do not."""
    outcomes: list[OutcomeShown] = field(default_factory=list)


def pages_shown(document: StudyDocument) -> list[PageShown]:
    return [page_shown(page) for page in document.pages]


def page_shown(page: Page) -> PageShown:
    """A page with everything on it. What the page has beyond that stands in the version's file."""
    return PageShown(
        label=page_kind({"kind": page.kind}).label,
        page=page,
        items=[item_shown(item) for item in page.items] if isinstance(page, QuestionnairePage) else [],
        facts=page_facts(page),
        rounds=[round_shown(plan) for plan in page.rounds] if isinstance(page, RoundsPage | PracticePage) else [],
        agree=page.agree if isinstance(page, ConsentPage) else "",
        scores=page_scores(page),
        after_round=[item_shown(item) for item in page.after_round] if isinstance(page, RoundsPage) else [],
        outcomes=outcomes_shown(page) if isinstance(page, EndPage) else [],
    )


def page_scores(page: Page) -> list[tuple[str, str, str]]:
    if not isinstance(page, QuestionnairePage | RoundsPage):
        return []
    items = page.items if isinstance(page, QuestionnairePage) else page.after_round
    return [(score.label, score.key, score_formula(score, items)) for score in page.scores]


def page_facts(page: Page) -> list[str]:
    if isinstance(page, EndPage) and page.wait and any(one.url for one in page.outcomes):
        return [f"Goes on to the completion address by itself after {page.wait} seconds, unless it is stopped."]
    return rounds_facts(page) if isinstance(page, RoundsPage | PracticePage) else []


def outcomes_shown(page: EndPage) -> list[OutcomeShown]:
    return [
        OutcomeShown(OUTCOME_TITLES[one.name], one.text, one.code, one.url)
        for one in page.outcomes
        if one.text or one.code or one.url
    ]


def rounds_facts(page: RoundsPage | PracticePage) -> list[str]:
    anim = page.anim
    named = next((label for label, one in SPEEDS.values() if one == anim), "")
    times = f"a swap {anim.swap} ms, a step {anim.step} ms, at most {anim.cap} ms"
    return [
        practice_fact(page) if isinstance(page, PracticePage) else ORDERS.get(page.order, f"Order: {page.order}."),
        f"Animation: {f'{named} (' if named else ''}{times}{')' if named else ''}.",
        *([limit_fact(page.limit)] if page.limit else []),
        *(["The last move may be taken back."] if page.undo else []),
        *([f"A move is shown after {page.hint_after} s without a touch."] if page.hint_after else []),
    ]


def limit_fact(limit: RoundLimit) -> str:
    more = f"{limit.more_seconds} s more can be asked for {limit.more_times} times"
    if not limit.more_times:
        more = "nobody can have more"
    return f"Time limit: {limit.seconds} s for each round, with a warning {limit.warn} s before the end; {more}."


def practice_fact(page: PracticePage) -> str:
    rest = "may be skipped" if page.skip else "may be left when all that it asks for was tried"
    return f"Does not count, may be repeated, {rest}."


def item_shown(item: Item) -> ItemShown:
    notes = [] if item.required else ["may be skipped"]
    notes += ["sensitive"] if item.sensitive else []
    notes += [f"screens out: {item.screen_words}"] if item.screen_words else []
    notes += [] if item.right_answer is None else [f"attention: the right answer is {item.right_answer}"]
    return ItemShown(item.label, item.help, item.key, item_kind(item), item_answers(item), notes)


def item_kind(item: Item) -> str:
    if isinstance(item, NumberItem):
        decimals = f", up to {item.decimals} decimals" if item.decimals else ""
        return f"A number from {item.low:,} to {item.high:,}{decimals}"
    if isinstance(item, TextItem):
        return f"Text of up to {item.max_length:,} characters"
    if isinstance(item, ScaleItem):
        return f"Scale from {item.low} to {item.high}"
    return "One of" if isinstance(item, ChoiceItem) else item.kind.capitalize()


def item_answers(item: Item) -> list[str]:
    if isinstance(item, ChoiceItem):
        return [f"{option.label} ({option.value})" for option in item.options]
    if isinstance(item, ScaleItem):
        return [f"{step}: {words}" for step, words in item.words.items()]
    return []


def round_shown(plan: RoundPlan) -> RoundShown:
    if isinstance(plan, FixedRound):
        level = plan.level
        facts = board_facts(level.game, level.rows, level.cols, level.colours, level.moves)
        name = level.name or "Unnamed level"
        return RoundShown(plan.key, name, facts, list(level.board), level.seed, list(level.drops or ()))
    facts = board_facts(plan.game, plan.rows, plan.cols, plan.colours, plan.moves)
    return RoundShown(plan.key, "Drawn anew for each participant", facts)


def board_facts(game: str, rows: int, cols: int, colours: int, moves: int | None) -> str:
    known: dict[str, Any] = dict(games())
    title = known[game].info.title if game in known else game
    return f"{title} · {rows} × {cols} · {colours} colours" + (f" · {moves} moves" if moves else "")
