"""Questions of a questionnaire: choice, number, text, scale."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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

    kind = "choice"

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "options": [option.to_document() for option in self.options]}


@dataclass(frozen=True)
class NumberItem(Item):
    low: int
    high: int
    decimals: int

    kind = "number"

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "min": self.low, "max": self.high, "decimals": self.decimals}


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

    kind = "scale"

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "from": self.low,
            "to": self.high,
            "low": self.low_label,
            "high": self.high_label,
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
    return ChoiceItem(**common, options=tuple(options))


def parse_number(reader: Reader, common: dict[str, Any]) -> Item:
    low = reader.integer("min", low=-LIMIT_NUMBER, high=LIMIT_NUMBER, default=-LIMIT_NUMBER)
    high = reader.integer("max", low=-LIMIT_NUMBER, high=LIMIT_NUMBER, default=LIMIT_NUMBER)
    if low >= high:
        refuse(reader.place, "min must be less than max.")
    return NumberItem(**common, low=low, high=high, decimals=reader.integer("decimals", low=0, high=6, default=0))


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
    return ScaleItem(
        **common,
        low=low,
        high=high,
        low_label=reader.text("low", limit=LIMIT_LABEL, default=""),
        high_label=reader.text("high", limit=LIMIT_LABEL, default=""),
    )


PARSERS: dict[str, Callable[[Reader, dict[str, Any]], Item]] = {
    "choice": parse_choice,
    "number": parse_number,
    "text": parse_text,
    "scale": parse_scale,
}
