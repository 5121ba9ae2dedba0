"""Scores of a page of questions: subscales with reversed questions, and the one place that computes them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playtest.studies.document.items import LIMIT_LABEL, Item, NumberItem, ScaleItem
from playtest.studies.document.reader import Reader, refuse

METHODS = ("mean", "sum")
MOST_SCORES = 40
MOST_COUNTED = 100

RangedItem = ScaleItem | NumberItem
"""Questions that a score can count: their answers are numbers with a least and a greatest one."""


@dataclass(frozen=True)
class Score:
    """`least` is how many questions must be answered; with fewer there is no value. All have the same range."""

    key: str
    label: str
    items: tuple[str, ...]
    reverse: tuple[str, ...]
    method: str
    least: int

    def to_document(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "label": self.label,
            "items": list(self.items),
            "reverse": list(self.reverse),
            "method": self.method,
            "least": self.least,
        }


@dataclass(frozen=True)
class Scored:
    """What a score comes to. `value` is None where fewer than `score.least` questions were answered."""

    score: Score
    answered: int
    value: float | None


def score_answers(
    scores: Sequence[Score], items: Sequence[Item], answers: Mapping[str, int | float | None]
) -> list[Scored]:
    """The scores of one page that was sent in; `answers` by key of the question, None or absent where skipped.

    Reversed answers count as least + greatest - answer. The mean is that of what was answered; the sum is the mean
    times the number of questions, which is the plain sum where all are answered.
    """
    ranged = {item.key: item for item in items if isinstance(item, RangedItem)}
    found = []
    for score in scores:
        given = [(key, answers.get(key)) for key in score.items]
        values = [
            reversed_answer(ranged[key], value) if key in score.reverse else value
            for key, value in given
            if value is not None
        ]
        found.append(Scored(score, len(values), combined(score, values) if len(values) >= score.least else None))
    return found


def reversed_answer(item: RangedItem, value: int | float) -> int | float:
    """The answer mirrored within the range of its question. Doing it twice gives the answer again."""
    return item.low + item.high - value


def combined(score: Score, values: Sequence[int | float]) -> float:
    total = math.fsum(values)
    if score.method == "mean":
        return total / len(values)
    return total if len(values) == len(score.items) else total / len(values) * len(score.items)


def score_formula(score: Score, items: Sequence[Item]) -> str:
    """How a score is made, for people: `mean of a, 6 - b; at least 2 of 2 answered`."""
    ranged = {item.key: item for item in items if isinstance(item, RangedItem)}
    terms = [f"{ranged[key].low + ranged[key].high} - {key}" if key in score.reverse else key for key in score.items]
    formula = f"{score.method} of {', '.join(terms)}; at least {score.least} of {len(terms)} answered"
    if score.method == "sum" and score.least < len(terms):
        formula += ", a missing answer counts as the mean of the others"
    return formula


def score_range(score: Score, items: Sequence[Item]) -> tuple[int, int]:
    """The least and the greatest value of a score."""
    one = next(item for item in items if item.key == score.items[0])
    assert isinstance(one, RangedItem)
    times = len(score.items) if score.method == "sum" else 1
    return one.low * times, one.high * times


def parse_scores(reader: Reader, items: Sequence[Item]) -> tuple[Score, ...]:
    """The scores of a page with these questions. Raises StudyError."""
    if not reader.has("scores"):
        return ()
    by_key = {item.key: item for item in items}
    scores = [
        parse_score(entry, place, by_key)
        for place, entry in reader.items("scores", low=0, high=MOST_SCORES, word="Score")
    ]
    keys = [score.key for score in scores]
    for key in keys:
        if keys.count(key) > 1:
            refuse(reader.at("scores"), f"the key “{key}” is there twice.")
    return tuple(scores)


def parse_score(value: object, place: str, items: Mapping[str, Item]) -> Score:
    reader = Reader(value, place)
    key, label = reader.name("key"), reader.text("label", limit=LIMIT_LABEL)
    counted = parse_keys(reader, "items", low=1)
    reverse = parse_keys(reader, "reverse", low=0) if reader.has("reverse") else ()
    score = Score(
        key=key,
        label=label,
        items=counted,
        reverse=reverse,
        method=reader.choice("method", METHODS, default="mean"),
        least=reader.integer("least", low=1, high=len(counted), default=len(counted)),
    )
    reader.done()
    ranges = set()
    for name in counted:
        item = items.get(name)
        if item is None:
            refuse(reader.at("items"), f"“{label}” counts the question “{name}”, which is not on this page.")
        if not isinstance(item, RangedItem):
            refuse(reader.at("items"), f"“{label}” counts the question “{name}”, which is no scale and no number.")
        ranges.add((item.low, item.high))
    if len(ranges) > 1:
        refuse(reader.at("items"), f"“{label}” counts questions of different ranges.")
    for name in reverse:
        if name not in counted:
            refuse(reader.at("reverse"), f"“{label}” reverses the question “{name}”, which it does not count.")
    return score


def parse_keys(reader: Reader, key: str, *, low: int) -> tuple[str, ...]:
    names = []
    for place, entry in reader.items(key, low=low, high=MOST_COUNTED, word="Question"):
        if not isinstance(entry, str):
            refuse(place, "the key of a question is needed here.")
        if entry in names:
            refuse(reader.at(key), f"the key “{entry[:60]}” is there twice.")
        names.append(entry)
    return tuple(names)


@dataclass(frozen=True)
class Source:
    """Where the questions of a page come from: shown to staff and in the codebook, not to participants."""

    name: str
    citation: str
    licence: str

    def to_document(self) -> dict[str, Any]:
        return {"name": self.name, "citation": self.citation, "licence": self.licence}


def parse_source(reader: Reader) -> Source | None:
    """The scale that a page was made from, or None."""
    if not reader.has("scale") or reader.raw("scale") is None:
        return None
    inner = Reader(reader.raw("scale"), reader.at("scale"))
    source = Source(
        name=inner.text("name", limit=LIMIT_LABEL),
        citation=inner.text("citation", limit=2_000, default=""),
        licence=inner.text("licence", limit=2_000, default=""),
    )
    inner.done()
    return source
