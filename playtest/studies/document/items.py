"""Questions of a questionnaire: choice, number, text, scale."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playtest.studies.document import screening
from playtest.studies.document.reader import Reader, refuse

LIMIT_LABEL = 500
LIMIT_ANSWER = 10_000
LIMIT_NUMBER = 10**9
MOST_OPTIONS = 50


@dataclass(frozen=True)
class Option:
    value: str
    label: str

    def to_document(self) -> dict[str, Any]:
        return {"value": self.value, "label": self.label}


@dataclass(frozen=True)
class Item:
    """What all questions have. `sensitive` marks answers that an anonymised export leaves out."""

    key: str
    label: str
    help: str
    required: bool
    sensitive: bool

    kind = ""

    def screens_out(self, value: screening.Answer) -> bool:
        """Whether this answer ends the study for who gives it. A skipped question never does."""
        return False

    @property
    def screen_words(self) -> str:
        """The answers that screen out, for staff; empty if none does."""
        return ""

    @property
    def right_answer(self) -> str | int | None:
        """What an attention question expects; None: it is none."""
        return None

    def to_document(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "kind": self.kind,
            "label": self.label,
            "help": self.help,
            "required": self.required,
            "sensitive": self.sensitive,
        }


@dataclass(frozen=True)
class ChoiceItem(Item):
    options: tuple[Option, ...]
    screen_out: tuple[str, ...] = ()
    expected: str | None = None

    kind = "choice"

    def screens_out(self, value: screening.Answer) -> bool:
        return value in self.screen_out

    @property
    def screen_words(self) -> str:
        return ", ".join(self.screen_out)

    @property
    def right_answer(self) -> str | None:
        return self.expected

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "options": [option.to_document() for option in self.options],
            "screen_out": list(self.screen_out),
            "expected": self.expected,
        }


@dataclass(frozen=True)
class NumberItem(Item):
    low: int
    high: int
    decimals: int
    screen_below: int | None = None
    screen_above: int | None = None
    expected: int | None = None

    kind = "number"

    def screens_out(self, value: screening.Answer) -> bool:
        if not isinstance(value, int | float):
            return False
        is_below = self.screen_below is not None and value < self.screen_below
        return is_below or (self.screen_above is not None and value > self.screen_above)

    @property
    def screen_words(self) -> str:
        bounds = (("below", self.screen_below), ("above", self.screen_above))
        return ", ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)

    @property
    def right_answer(self) -> int | None:
        return self.expected

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "min": self.low,
            "max": self.high,
            "decimals": self.decimals,
            "screen_out": {"below": self.screen_below, "above": self.screen_above},
            "expected": self.expected,
        }


@dataclass(frozen=True)
class TextItem(Item):
    max_length: int
    lines: int

    kind = "text"

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "max_length": self.max_length, "lines": self.lines}


@dataclass(frozen=True)
class ScaleItem(Item):
    low: int
    high: int
    low_label: str
    high_label: str
    screen_out: tuple[int, ...] = ()
    expected: int | None = None
    labels: tuple[tuple[int, str], ...] = ()
    """Words at steps between the first and the last one."""

    kind = "scale"

    def screens_out(self, value: screening.Answer) -> bool:
        return value in self.screen_out

    @property
    def screen_words(self) -> str:
        return ", ".join(str(step) for step in self.screen_out)

    @property
    def right_answer(self) -> int | None:
        return self.expected

    @property
    def words(self) -> dict[int, str]:
        """The steps that have words, in order."""
        found = {self.low: self.low_label, **dict(self.labels), self.high: self.high_label}
        return {step: words for step, words in found.items() if words}

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "from": self.low,
            "to": self.high,
            "low": self.low_label,
            "high": self.high_label,
            "screen_out": list(self.screen_out),
            "expected": self.expected,
            "labels": {str(step): words for step, words in self.labels},
        }


def parse_item(value: object, place: str) -> Item:
    reader = Reader(value, place)
    kind = reader.choice("kind", tuple(PARSERS))
    common = {
        "key": reader.name("key"),
        "label": reader.text("label", limit=LIMIT_LABEL),
        "help": reader.text("help", limit=LIMIT_LABEL, default=""),
        "required": reader.flag("required", default=True),
        "sensitive": reader.flag("sensitive", default=False),
    }
    item = PARSERS[kind](reader, common)
    reader.done()
    return item


def parse_choice(reader: Reader, common: dict[str, Any]) -> Item:
    options: list[Option] = []
    for place, entry in reader.items("options", low=2, high=MOST_OPTIONS, word="Option"):
        inner = Reader(entry, place)
        options.append(Option(value=inner.name("value"), label=inner.text("label", limit=LIMIT_LABEL)))
        inner.done()
    values = [option.value for option in options]
    for option in options:
        if values.count(option.value) > 1:
            refuse(reader.at("options"), f"the value “{option.value}” is there twice.")
    screen_out = screening.parse_options(reader, values)
    expected = screening.parse_expected(reader, values, bool(screen_out))
    return ChoiceItem(**common, options=tuple(options), screen_out=screen_out, expected=expected)


def parse_number(reader: Reader, common: dict[str, Any]) -> Item:
    low = reader.integer("min", low=-LIMIT_NUMBER, high=LIMIT_NUMBER, default=-LIMIT_NUMBER)
    high = reader.integer("max", low=-LIMIT_NUMBER, high=LIMIT_NUMBER, default=LIMIT_NUMBER)
    if low >= high:
        refuse(reader.place, "min must be less than max.")
    below, above = screening.parse_bounds(reader, low=low, high=high)
    screens = below is not None or above is not None
    return NumberItem(
        **common,
        low=low,
        high=high,
        decimals=reader.integer("decimals", low=0, high=6, default=0),
        screen_below=below,
        screen_above=above,
        expected=screening.parse_expected_number(reader, low=low, high=high, screens=screens),
    )


def parse_text(reader: Reader, common: dict[str, Any]) -> Item:
    return TextItem(
        **common,
        max_length=reader.integer("max_length", low=1, high=LIMIT_ANSWER, default=1_000),
        lines=reader.integer("lines", low=1, high=20, default=1),
    )


def parse_scale(reader: Reader, common: dict[str, Any]) -> Item:
    low = reader.integer("from", low=-10, high=10, default=1)
    high = reader.integer("to", low=-10, high=20)
    if not 1 <= high - low <= 10:
        refuse(reader.place, "a scale has 2 to 11 steps.")
    screen_out = screening.parse_steps(reader, low=low, high=high)
    return ScaleItem(
        **common,
        low=low,
        high=high,
        low_label=reader.text("low", limit=LIMIT_LABEL, default=""),
        high_label=reader.text("high", limit=LIMIT_LABEL, default=""),
        screen_out=screen_out,
        expected=screening.parse_expected(reader, list(range(low, high + 1)), bool(screen_out)),
        labels=parse_step_labels(reader, low, high) if reader.has("labels") else (),
    )


def parse_step_labels(reader: Reader, low: int, high: int) -> tuple[tuple[int, str], ...]:
    """Words by the step, as JSON writes it: `{"4": "neither"}`."""
    inner = Reader(reader.raw("labels"), reader.at("labels"))
    between = [step for step in range(low + 1, high) if inner.has(str(step))]
    labels = tuple((step, inner.text(str(step), limit=LIMIT_LABEL)) for step in between)
    for key in inner.value:
        if key not in {str(step) for step in between}:
            refuse(inner.place, f"“{str(key)[:20]}” is no step between {low} and {high}.")
    return labels


PARSERS: dict[str, Callable[[Reader, dict[str, Any]], Item]] = {
    "choice": parse_choice,
    "number": parse_number,
    "text": parse_text,
    "scale": parse_scale,
}
