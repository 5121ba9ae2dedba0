"""What was answered in a study, question by question. Each stands alone: nothing says who gave which answers."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from playtest.insights.who import Who
from playtest.studies.choices import Kind, Missing, Purpose
from playtest.studies.document.items import ChoiceItem, Item, NumberItem, ScaleItem, TextItem
from playtest.studies.document.pages import QuestionnairePage, RoundsPage, key_parts
from playtest.studies.models import Answer, Round, StudyVersion
from playtest.studies.selectors.annotations import left_out_participant, left_out_round
from playtest.studies.selectors.documents import version_document

LAST_TEXTS = 5
MOST_BINS = 10
LEAST_OF_SENSITIVE = 5
"""With fewer answers than this, those to a sensitive question would say too much of single people."""

KIND_WORDS = {"choice": "Choice", "scale": "Scale", "number": "Number", "text": "Text"}


@dataclass(frozen=True)
class Row:
    """An answer, or numbers from one to another, with how often it was given and its share of all in percent."""

    label: str
    count: int
    share: int


@dataclass(frozen=True)
class QuestionShown:
    """A question and what came of it. `asks` is how often it was sent in, with or without an answer.

    mean, median: of numbers and steps;  texts: the last ones, the newest first;  withheld: why there is nothing more
    """

    page: str
    key: str
    label: str
    kind: str
    n: int
    asks: int
    rows: tuple[Row, ...] = ()
    mean: float | None = None
    median: float | None = None
    texts: tuple[str, ...] = ()
    withheld: str = ""

    @property
    def skipped(self) -> int:
        return self.asks - self.n


def answers_kinds(who: Who) -> tuple[Kind, ...]:
    """Whose answers are counted: where people and bots are apart, those of people. Bots answer by chance."""
    return (Kind.PERSON,) if who is Who.APART else who.kinds


def answers_shown(*, version: StudyVersion, who: Who) -> list[QuestionShown]:
    """Every question of a version with its answers, in the order of the study; three queries.

    Questions after rounds are taken together over the rounds of their page. Who was left out, and rounds that were,
    count no more here than in the figures of scores.
    """
    rows = (
        Answer.objects.filter(participant__version=version, participant__kind__in=answers_kinds(who))
        .exclude(missing=Missing.NOT_SHOWN)
        .order_by("pk")
    )
    rounds = Round.objects.filter(participant__version=version, purpose=Purpose.SCORED).filter(left_out_round())
    unused = set(rounds.values_list("participant_id", "position"))
    gone = set(version.participants.filter(left_out_participant()).values_list("pk", flat=True))
    given: dict[tuple[str, str], list[Answer]] = {}
    for answer in rows:
        page, position = key_parts(answer.page_key)
        if answer.participant_id not in gone and (answer.participant_id, position) not in unused:
            given.setdefault((page, answer.item_key), []).append(answer)
    return [question_shown(title, item, given.get((page, item.key), [])) for page, title, item in questions_of(version)]


def questions_of(version: StudyVersion) -> Iterable[tuple[str, str, Item]]:
    """Key and title of the page, and the question."""
    for page in version_document(version).pages:
        if isinstance(page, QuestionnairePage):
            yield from ((page.key, page.title, item) for item in page.items)
        elif isinstance(page, RoundsPage):
            yield from ((page.key, f"After each round of “{page.title}”", item) for item in page.after_round)


def question_shown(page: str, item: Item, answers: Sequence[Answer]) -> QuestionShown:
    there = [answer for answer in answers if answer.missing == Missing.NO]
    shown: dict[str, Any] = {
        "page": page,
        "key": item.key,
        "label": item.label,
        "kind": KIND_WORDS.get(item.kind, item.kind.capitalize()),
        "n": len(there),
        "asks": len(answers),
    }
    if not there:
        return QuestionShown(**shown)
    if item.sensitive and (isinstance(item, TextItem) or len(there) < LEAST_OF_SENSITIVE):
        more = "" if isinstance(item, TextItem) else f" before there are {LEAST_OF_SENSITIVE} answers"
        return QuestionShown(**shown, withheld=f"It is marked as sensitive, so its answers do not stand here{more}.")
    if isinstance(item, TextItem):
        newest = reversed(there[-LAST_TEXTS:])
        return QuestionShown(**shown, texts=tuple(str(json.loads(answer.value)) for answer in newest))
    if isinstance(item, ChoiceItem):
        counts = Counter(json.loads(answer.value) for answer in there)
        labels = {option.value: option.label for option in item.options}
        return QuestionShown(**shown, rows=rows_of([(labels[value], counts[value]) for value in labels], len(there)))
    values = [answer.number for answer in there if answer.number is not None]
    if isinstance(item, ScaleItem):
        rows = [(step_label(item.words, step), values.count(step)) for step in range(item.low, item.high + 1)]
    else:
        rows = binned(values, is_whole=isinstance(item, NumberItem) and not item.decimals)
    return QuestionShown(**shown, rows=rows_of(rows, len(values)), mean=fmean(values), median=median(values))


def rows_of(counted: Sequence[tuple[str, int]], n: int) -> tuple[Row, ...]:
    return tuple(Row(label, count, round(100 * count / n)) for label, count in counted)


def step_label(words: Mapping[int, str], step: int) -> str:
    return f"{step} ({words[step]})" if step in words else str(step)


def binned(values: Sequence[float], *, is_whole: bool) -> list[tuple[str, int]]:
    """Few different numbers by themselves, many in at most ten intervals of the same width."""
    counts = Counter(values)
    if len(counts) <= MOST_BINS:
        return [(f"{value:g}", counts[value]) for value in sorted(counts)]
    least, most = min(values), max(values)
    if is_whole:
        width = float(math.ceil((most - least + 1) / MOST_BINS))
        starts = [least + width * number for number in range(math.ceil((most - least + 1) / width))]
        labels = [f"{start:g} to {min(start + width - 1, most):g}" for start in starts]
    else:
        width = (most - least) / MOST_BINS
        starts = [least + width * number for number in range(MOST_BINS)]
        labels = [f"{start:.4g} to {start + width:.4g}" for start in starts]
    found = [0] * len(starts)
    for value in values:
        found[min(int((value - least) / width), len(starts) - 1)] += 1
    return list(zip(labels, found, strict=True))
