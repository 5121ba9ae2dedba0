"""What bots may answer, so that a study goes on: nothing that screens out, and what attention questions ask for."""

from collections.abc import Mapping
from random import Random

from playtest.studies.document import StudyDocument
from playtest.studies.document.items import ChoiceItem, Item, NumberItem, ScaleItem

MOST_STEPS = 1_000
"""Of a number with wide bounds, bots give one of this many from the least that is allowed."""

Allowed = Mapping[str, Mapping[str, list[str]]]
"""The answers that may be given, by page and question. Free text is in it nowhere."""


def answers_allowed(document: StudyDocument) -> Allowed:
    return {
        page.key: {item.key: found for item in page.items if (found := item_answers(item))} for page in document.asked
    }


def item_answers(item: Item) -> list[str]:
    """Every answer with which a study goes on; of a number the first of them."""
    if item.right_answer is not None:
        return [str(item.right_answer)]
    values: list[str | int] = []
    if isinstance(item, ChoiceItem):
        values = [option.value for option in item.options]
    elif isinstance(item, ScaleItem):
        values = list(range(item.low, item.high + 1))
    elif isinstance(item, NumberItem):
        low = item.low if item.screen_below is None else max(item.low, item.screen_below)
        high = item.high if item.screen_above is None else min(item.high, item.screen_above)
        # Who gives no bounds asks for something like an age.
        low = 18 if low < 0 and high >= 18 + MOST_STEPS else low
        values = list(range(low, min(high, low + MOST_STEPS) + 1))
    return [str(value) for value in values if not item.screens_out(value)]


def answers_drawn(allowed: Mapping[str, list[str]], rng: Random) -> dict[str, str]:
    """One answer for each question, by chance."""
    return {key: rng.choice(values) for key, values in allowed.items()}
