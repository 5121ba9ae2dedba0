"""Pages of a study and the rounds that are played on one of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.game import games
from engine.level import Level, LevelError, draw_level, parse_level
from playtest.studies.document.items import Item, parse_item
from playtest.studies.document.limits import RoundLimit, parse_round_limit
from playtest.studies.document.outcomes import Outcome, parse_outcomes, parse_wait
from playtest.studies.document.reader import Reader, refuse
from playtest.studies.document.scores import Score, Source, parse_scores, parse_source

LIMIT_TITLE = 200
LIMIT_TEXT = 20_000
MOST_ITEMS = 100
MOST_AFTER_ROUND = 20
MOST_ROUNDS = 100
ORDERS = ("fixed", "shuffle", "williams")
MOST_CELLS = 1_000
LEAST_HINT, MOST_HINT = 3, 600


@dataclass(frozen=True)
class Page:
    key: str
    title: str
    text: str

    kind = ""

    def to_document(self) -> dict[str, Any]:
        return {"key": self.key, "kind": self.kind, "title": self.title, "text": self.text}


@dataclass(frozen=True)
class ConsentPage(Page):
    """The words of the consent are `text`; `agree` is the sentence that is agreed to."""

    agree: str

    kind = "consent"

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "agree": self.agree}


@dataclass(frozen=True)
class QuestionnairePage(Page):
    items: tuple[Item, ...]
    scores: tuple[Score, ...] = ()
    scale: Source | None = None

    kind = "questionnaire"

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "items": [item.to_document() for item in self.items],
            "scores": [score.to_document() for score in self.scores],
            "scale": self.scale.to_document() if self.scale else None,
        }


@dataclass(frozen=True)
class RoundQuestions(QuestionnairePage):
    """The questions of a rounds page as they are asked after the round at a position, under a key of their own.

    No name of a document has a dot, so such a key is never that of a page.
    """

    position: int = field(kw_only=True)


def key_parts(key: str) -> tuple[str, int | None]:
    """The page of a stored key, and the position of the round where the questions belong to one."""
    page, dot, position = key.partition(".")
    return page, int(position) if dot else None


@dataclass(frozen=True)
class FixedRound:
    """The same level for everybody, with what falls in."""

    key: str
    level: Level

    def to_document(self) -> dict[str, Any]:
        return {"key": self.key, "level": self.level.to_document()}

    def level_for(self, seed: int) -> Level:
        return self.level


@dataclass(frozen=True)
class RandomRound:
    """A level that is drawn for each participant. `moves` is None in games that have no limit on moves."""

    key: str
    game: str
    rows: int
    cols: int
    colours: int
    moves: int | None

    def to_document(self) -> dict[str, Any]:
        drawn: dict[str, Any] = {"game": self.game, "rows": self.rows, "cols": self.cols, "colours": self.colours}
        if self.moves is not None:
            drawn["moves"] = self.moves
        return {"key": self.key, "random": drawn}

    def level_for(self, seed: int) -> Level:
        return draw_level(self.game, rows=self.rows, cols=self.cols, colours=self.colours, moves=self.moves, seed=seed)


RoundPlan = FixedRound | RandomRound

DRAWN_NAME = "Random board"


def plan_name(plan: RoundPlan) -> str:
    """What staff call what is played: the level's name, for one without a name the round's key, or that it is drawn."""
    return (plan.level.name or plan.key) if isinstance(plan, FixedRound) else DRAWN_NAME


def plan_game(plan: RoundPlan) -> str:
    return plan.level.game if isinstance(plan, FixedRound) else plan.game


@dataclass(frozen=True)
class Animation:
    """Milliseconds of a swap and of a step of a cascade, and after how many the drawing is cut short."""

    swap: int = 180
    step: int = 320
    cap: int = 2_500

    def to_document(self) -> dict[str, Any]:
        return {"swap": self.swap, "step": self.step, "cap": self.cap}


@dataclass(frozen=True)
class RoundsPage(Page):
    """`after_round` is asked after each round of the page, before the next one."""

    order: str
    anim: Animation
    rounds: tuple[RoundPlan, ...]
    limit: RoundLimit | None = None
    """Of each round; None: a round may take as long as it takes."""
    after_round: tuple[Item, ...] = ()
    undo: bool = False
    """Whether the last move may be taken back, as often as moves stand."""
    hint_after: int | None = None
    """Seconds without a touch of the board until a move is shown; None: never."""
    scores: tuple[Score, ...] = ()
    """Made of the questions after a round, after each round anew."""

    kind = "rounds"

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "order": self.order,
            "anim": self.anim.to_document(),
            **({"limit": self.limit.to_document()} if self.limit else {}),
            **({"undo": True} if self.undo else {}),
            **({"hint_after": self.hint_after} if self.hint_after else {}),
            "rounds": [plan.to_document() for plan in self.rounds],
            "after_round": [item.to_document() for item in self.after_round],
            **({"scores": [score.to_document() for score in self.scores]} if self.scores else {}),
        }

    def questions_after(self, position: int) -> RoundQuestions | None:
        """What is asked after the round at that position; None where nothing is."""
        if not self.after_round:
            return None
        return RoundQuestions(
            key=f"{self.key}.{position}",
            title=self.title,
            text="",
            items=self.after_round,
            scores=self.scores,
            position=position,
        )


@dataclass(frozen=True)
class PracticePage(Page):
    """Rounds of one game that do not count, one at a time, as often as somebody likes; `rounds` come by turns.

    Who has done what `selectors/practice.py` asks for may go on, with `skip` everybody at any time.
    """

    anim: Animation
    rounds: tuple[RoundPlan, ...]
    skip: bool = False
    undo: bool = False
    hint_after: int | None = None

    kind = "practice"
    limit: ClassVar[RoundLimit | None] = None

    @property
    def game(self) -> str:
        return plan_game(self.rounds[0])

    def plan(self, number: int) -> RoundPlan:
        """What is played the `number`th time, from 1."""
        return self.rounds[(number - 1) % len(self.rounds)]

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "anim": self.anim.to_document(),
            "skip": self.skip,
            **({"undo": True} if self.undo else {}),
            **({"hint_after": self.hint_after} if self.hint_after else {}),
            "rounds": [plan.to_document() for plan in self.rounds],
        }


@dataclass(frozen=True)
class EndPage(Page):
    """`text` is what those read who did everything; `wait` the seconds until they are sent on, 0 for never."""

    outcomes: tuple[Outcome, ...]
    wait: int

    kind = "end"

    def outcome(self, name: str) -> Outcome:
        return next(one for one in self.outcomes if one.name == name)

    def to_document(self) -> dict[str, Any]:
        outcomes = {one.name: one.to_document() for one in self.outcomes}
        return {**super().to_document(), "outcomes": outcomes, "wait": self.wait}


def parse_page(value: object, place: str) -> Page:
    reader = Reader(value, place)
    kind = reader.choice("kind", tuple(PARSERS))
    common = {
        "key": reader.name("key"),
        "title": reader.text("title", limit=LIMIT_TITLE),
        "text": reader.text("text", limit=LIMIT_TEXT, default=None if kind == "consent" else ""),
    }
    page = PARSERS[kind](reader, common)
    reader.done()
    return page


def parse_consent(reader: Reader, common: dict[str, Any]) -> Page:
    return ConsentPage(**common, agree=reader.text("agree", limit=LIMIT_TITLE))


def parse_questionnaire(reader: Reader, common: dict[str, Any]) -> Page:
    items = parse_items(reader, "items", low=1, high=MOST_ITEMS, word="Question")
    return QuestionnairePage(**common, items=items, scores=parse_scores(reader, items), scale=parse_source(reader))


def parse_items(reader: Reader, key: str, *, low: int, high: int, word: str) -> tuple[Item, ...]:
    items = [parse_item(entry, place) for place, entry in reader.items(key, low=low, high=high, word=word)]
    refuse_double(reader.place, [item.key for item in items])
    return tuple(items)


def parse_rounds(reader: Reader, common: dict[str, Any]) -> Page:
    order = reader.choice("order", ORDERS, default="fixed")
    anim = parse_animation(reader)
    limit = parse_round_limit(reader)
    undo = reader.flag("undo", default=False)
    hint_after = reader.optional_integer("hint_after", low=LEAST_HINT, high=MOST_HINT)
    rounds = parse_plans(reader)
    after_round: tuple[Item, ...] = ()
    if reader.has("after_round"):
        after_round = parse_items(reader, "after_round", low=0, high=MOST_AFTER_ROUND, word="Question after each round")
    return RoundsPage(
        **common,
        order=order,
        anim=anim,
        rounds=rounds,
        after_round=after_round,
        limit=limit,
        undo=undo,
        hint_after=hint_after,
        scores=parse_scores(reader, after_round),
    )


def parse_animation(reader: Reader) -> Animation:
    anim = Animation()
    if reader.has("anim"):
        times = Reader(reader.raw("anim"), reader.at("anim"))
        anim = Animation(
            swap=times.integer("swap", low=0, high=5_000, default=anim.swap),
            step=times.integer("step", low=0, high=5_000, default=anim.step),
            cap=times.integer("cap", low=0, high=30_000, default=anim.cap),
        )
        times.done()
    return anim


def parse_plans(reader: Reader) -> tuple[RoundPlan, ...]:
    rounds = [parse_round(entry, at) for at, entry in reader.items("rounds", low=1, high=MOST_ROUNDS, word="Round")]
    refuse_double(reader.place, [plan.key for plan in rounds])
    return tuple(rounds)


def parse_practice(reader: Reader, common: dict[str, Any]) -> Page:
    page = PracticePage(
        **common,
        anim=parse_animation(reader),
        rounds=parse_plans(reader),
        skip=reader.flag("skip", default=False),
        undo=reader.flag("undo", default=False),
        hint_after=reader.optional_integer("hint_after", low=LEAST_HINT, high=MOST_HINT),
    )
    if len({plan_game(plan) for plan in page.rounds}) > 1:
        refuse(reader.place, "a page of practice is of one game. Make a page for each game.")
    return page


def parse_round(value: object, place: str) -> RoundPlan:
    reader = Reader(value, place)
    key = reader.name("key")
    if reader.has("level") == reader.has("random"):
        refuse(place, "a round has either a “level” or a “random” board.")
    plan: RoundPlan
    try:
        if reader.has("level"):
            plan = FixedRound(key=key, level=parse_level(reader.raw("level")))
        else:
            plan = parse_random(Reader(reader.raw("random"), reader.at("random")), key)
            plan.level_for(seed=0)
    except LevelError as error:
        refuse(place, str(error))
    reader.done()
    return plan


def parse_random(reader: Reader, key: str) -> RandomRound:
    """Sizes are bounded here only against nonsense: the game says what it can draw."""
    game = reader.text("game", limit=40)
    has_limit = game not in games() or games()[game].info.default_moves is not None
    plan = RandomRound(
        key=key,
        game=game,
        rows=reader.integer("rows", low=1, high=64),
        cols=reader.integer("cols", low=1, high=64),
        colours=reader.integer("colours", low=1, high=26),
        moves=reader.integer("moves", low=1, high=1_000) if has_limit else None,
    )
    reader.done()
    return plan


def parse_end(reader: Reader, common: dict[str, Any]) -> Page:
    return EndPage(**common, outcomes=parse_outcomes(reader), wait=parse_wait(reader))


def refuse_double(place: str, keys: list[str]) -> None:
    for key in keys:
        if keys.count(key) > 1:
            refuse(place, f"the key “{key}” is there twice.")


PARSERS: dict[str, Callable[[Reader, dict[str, Any]], Page]] = {
    "consent": parse_consent,
    "questionnaire": parse_questionnaire,
    "practice": parse_practice,
    "rounds": parse_rounds,
    "end": parse_end,
}
