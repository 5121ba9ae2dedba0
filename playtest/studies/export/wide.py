"""The wide table: one row a participant, a column an answer, a few columns a round."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playtest.studies.document import StudyDocument
from playtest.studies.document.items import ChoiceItem, Item, NumberItem, ScaleItem, TextItem
from playtest.studies.document.scores import Score, score_formula, score_range
from playtest.studies.export.columns import Column, Table, Type
from playtest.studies.export.tables import EXTENSIONS, KIND, PARTICIPANT, PARTICIPANTS, USE

TAKEN_OVER = (
    "version",
    "link_label",
    "status",
    "outcome",
    "use",
    "rounds_done",
    "started_at",
    "finished_at",
    "extensions",
    "given_minutes",
)
ROUND_COLUMNS = (
    Column("position", Type.INTEGER, "Place among the participant's rounds, from 1"),
    Column("game", Type.TEXT, "Game"),
    Column("level_name", Type.TEXT, "Name of the level; empty if it was drawn"),
    Column("state", Type.TEXT, "How far the round is, as in the table rounds"),
    USE,
    Column("score", Type.INTEGER, "Score", unit="points"),
    Column("moves", Type.INTEGER, "Moves made"),
    Column("legal_mean", Type.NUMBER, "Mean number of legal actions before a move", unit="actions"),
    Column("think_ms", Type.INTEGER, "Sum of think times", unit="ms"),
    EXTENSIONS,
)
"""What is said of a round, under its page and key; of several attempts the last."""


def wide_table(documents: Sequence[StudyDocument]) -> Table:
    """The table that holds what any of these versions asks and plays. Questions of the same key share a column."""
    base = {column.name: column for column in PARTICIPANTS.columns}
    found: dict[str, Column] = {}
    for document in documents:
        for column in [*item_columns(document), *round_columns(document)]:
            known = found.get(column.name)
            if known is None:
                found[column.name] = column
            elif known != column:
                found[column.name] = merged(known, column)
    columns = (PARTICIPANT, KIND, *(base[name] for name in TAKEN_OVER), *found.values())
    return Table("wide", "One row a participant: answers, then scored rounds.", columns)


def answer_columns(item: str, page: str, position: int | None, round_key: str | None) -> list[str]:
    """The columns that an answer stands in: after a round that of its position and that of its key.

    No name of a study has a dot, so no two of them are the same, nor are they those of `round_column_name`.
    """
    if position is None:
        return [f"{page}.{item}"]
    by_key = [] if round_key is None else [f"{page}.{round_key}.after.{item}"]
    return [f"{page}.after.{position}.{item}", *by_key]


def score_columns(score: str, page: str, position: int | None, round_key: str | None) -> list[str]:
    """The columns that a score stands in, as `answer_columns` says of an answer."""
    return answer_columns(f"score.{score}", page, position, round_key)


def round_column_name(page: str, key: str, name: str) -> str:
    return f"{page}.{key}.{name}"


def item_columns(document: StudyDocument) -> Iterator[Column]:
    for page in document.questionnaires:
        for item in page.items:
            yield item_column(item, answer_columns(item.key, page.key, None, None)[0], item.label)
        for score in page.scores:
            yield score_column(score, page.items, score_columns(score.key, page.key, None, None)[0], "")
    for rounds, positions in document.rounds_pages():
        for score in rounds.scores:
            for position in positions:
                name = score_columns(score.key, rounds.key, position, None)[0]
                yield score_column(score, rounds.after_round, name, f"After the round at position {position}: ")
            for plan in rounds.rounds:
                name = score_columns(score.key, rounds.key, positions.start, plan.key)[1]
                yield score_column(score, rounds.after_round, name, f"After round {plan.key}: ")
        for item in rounds.after_round:
            for position in positions:
                name = answer_columns(item.key, rounds.key, position, None)[0]
                yield item_column(item, name, f"After the round at position {position}: {item.label}")
            for plan in rounds.rounds:
                name = answer_columns(item.key, rounds.key, positions.start, plan.key)[1]
                yield item_column(item, name, f"After round {plan.key}: {item.label}")


def score_column(score: Score, items: Sequence[Item], name: str, when: str) -> Column:
    low, high = score_range(score, items)
    return Column(
        name,
        Type.NUMBER,
        f"{when}Score {score.label}: {score_formula(score, items)}",
        values=f"{low} to {high}; empty: too few answers",
        private=is_score_withheld(score, items),
    )


def item_column(item: Item, name: str, meaning: str) -> Column:
    return Column(
        name,
        Type.NUMBER if isinstance(item, NumberItem | ScaleItem) else Type.TEXT,
        meaning,
        values=item_values(item),
        private=is_withheld(item),
    )


def round_columns(document: StudyDocument) -> Iterator[Column]:
    for page, _ in document.rounds_pages():
        for plan in page.rounds:
            for column in ROUND_COLUMNS:
                yield Column(
                    round_column_name(page.key, plan.key, column.name),
                    column.type,
                    f"Round {plan.key}: {column.meaning}",
                    unit=column.unit,
                )


def merged(known: Column, other: Column) -> Column:
    """One column for what two versions ask under one key: withheld if either is, text if they differ."""
    return Column(
        known.name,
        known.type if known.type is other.type else Type.TEXT,
        " / ".join(dict.fromkeys([known.meaning, other.meaning])),
        unit=known.unit,
        values=" / ".join(dict.fromkeys([known.values, other.values])),
        private=known.private or other.private,
    )


def is_withheld(item: Item | None) -> bool:
    """Whether an anonymised export leaves the answer out: free text, and what the designer marked sensitive."""
    return item is None or item.sensitive or isinstance(item, TextItem)


def is_score_withheld(score: Score, items: Sequence[Item]) -> bool:
    """Whether an anonymised export leaves a score out: it tells of a question that is left out."""
    return any(is_withheld(item) for item in items if item.key in score.items)


def item_values(item: Item) -> str:
    """What an answer can be, for the codebook."""
    if isinstance(item, ChoiceItem):
        return "; ".join(f"{option.value}: {option.label}" for option in item.options)
    if isinstance(item, ScaleItem):
        words = ", ".join(f"{step}: {one}" for step, one in item.words.items())
        return f"{item.low} to {item.high}" + (f" ({words})" if words else "")
    if isinstance(item, NumberItem):
        return f"{item.low} to {item.high}"
    assert isinstance(item, TextItem)
    return f"text of at most {item.max_length:,} characters"


def wide_row(
    table: Table, participant: Mapping[str, Any], answers: Mapping[str, Any], rounds: Mapping[str, Any]
) -> dict[str, Any]:
    """A participant's row. `answers` and `rounds` are by the names of their columns; what is not there is empty."""
    row: dict[str, Any] = {}
    for column in table.columns:
        if column.name in answers:
            value = answers[column.name]
            row[column.name] = str(value) if column.type is Type.TEXT and value is not None else value
        else:
            row[column.name] = rounds.get(column.name, participant.get(column.name))
    return row
