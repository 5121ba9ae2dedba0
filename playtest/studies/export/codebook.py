"""The codebook of an export: what each file, table and column means, in words for whoever gets the files alone."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from playtest.studies.document import QuestionnairePage, RoundsPage, StudyDocument
from playtest.studies.document.items import Item
from playtest.studies.document.scores import Score, score_formula, score_range
from playtest.studies.export.columns import Column, Table
from playtest.studies.export.options import ExportOptions
from playtest.studies.export.wide import is_withheld, item_values

GENERAL = """
Every table is there once for each format that was asked for: `NAME.csv`, `NAME.excel.csv`, `NAME.json`,
`NAME.parquet`. `manifest.json` counts rows and names the SHA-256 of every file; `study-version-N.json` is what
participants saw. Tables are joined by `participant` and `round`. All tables are from one moment: of who was playing
then, there is every move that was acknowledged by that moment and none in part.

## Formats

- **CSV** is UTF-8 without a byte order mark, with commas, quotes by RFC 4180 and lines that end in CR LF. Text stands
  as it was entered, with its line ends, but for NUL, which is written as the two characters `\\0`. An empty cell is a
  missing value. Times are ISO 8601 in UTC. Columns of type JSON hold JSON text.
- **CSV for Excel** is the same with a byte order mark, by which Excel knows UTF-8. Text that a spreadsheet may take for
  a formula (after blanks or not, it begins with `=`, `+`, `-`, `@`, or it begins with a tab or a line end) has an
  apostrophe before it. Text that is a number, such as `-5`, and all columns of numbers are left as they are. Open it
  with the comma as separator. Excel keeps 15 digits of a number and may read text such as `1-2` as a date: take seeds
  and such answers from another format.
- **JSON** is a list of objects, one a line. Text stands exactly as it was entered; columns of type JSON are values.
- **Parquet** keeps types. Text stands exactly as it was entered; columns of type JSON hold JSON text.
- Half of a surrogate pair, which is no character, is an escape such as `\\ud800` in JSON and the same six characters in
  the other formats.
- Columns of type JSON hold what the standard calls JSON. A number without end, such as a browser could send to earlier
  versions of the program, is null.

## Times

Columns that end in `_ms` are durations in milliseconds by one clock that runs evenly, and are what to analyse. Times of
day are the server's, for order and for people: differences of two of them are not durations of play.

## Who is in it

Previews are in no export. Bots are marked `bot` in the column `kind`; the manifest says whether they are in it. Of
those who withdrew there is nothing but the decision in `consents`, without a name, and their number in the manifest.
No address of a computer and no name of a browser is stored anywhere.
"""

ANONYMOUS = """
## What makes this export anonymised

- Participants have random ids, made for this export alone; rows are in a random order of participants.
- There are no codes, completion codes, recruiters, recruiter ids, labels, comments and parameters of links, seeds of
  participants and numbers of assignment.
- Times of day are replaced by milliseconds since the participant's start (`..._after_ms`). Of consents that were
  withdrawn there is no time at all.
- Free text and the answers to questions that the designer marked as sensitive are left out: `missing` says
  `withheld` in the table answers, and the wide table has no such column. So are the data of events, which can tell
  devices apart.
- In `study-version-N.json` the completion codes and addresses of the end page are blank; `withheld` of the version in
  `manifest.json` names them, and its `hash` is that of the file as it is here. Words that the designer wrote are all
  there: look whether one of them gives a code away.
- Answers by choice, scale or number are kept. Few participants of a rare kind may still be recognised by them: look at
  the tables before you publish them.
"""

REPLAY = """
## Playing a round again

Take `level` of the table rounds and go through the rows of the table moves by `seq`. In Match-3 swap the two cells,
clear all matches, let pieces fall, and fill each column from its text in `drops`, first piece first, which ends lowest;
if `reshuffled` is not empty the move ended on that board. In SameGame remove the group of the cell. An undo gives back
the board, the places in `drops` and the score from before the last move. The score then is `score_after`, every time.
"""

FIELDS = ("table", "column", "type", "unit", "meaning", "values")


def codebook_text(tables: Sequence[Table], documents: Mapping[int, StudyDocument], options: ExportOptions) -> str:
    """The codebook as Markdown; `documents` by number of version."""
    parts = ["# Codebook\n", GENERAL.strip() + "\n"]
    if options.anonymous:
        parts.append(ANONYMOUS.strip() + "\n")
    parts.append(REPLAY.strip() + "\n")
    for table in tables:
        parts.append(f"## Table {table.name}\n\n{table.meaning}\n")
        head = "| Column | Type | Unit | Meaning | Values |\n| --- | --- | --- | --- | --- |"
        lines = [markdown_row(column) for column in table.shown(anonymous=options.anonymous)]
        parts.append("\n".join([head, *lines]) + "\n")
    parts.append("\n".join(question_lines(documents, options)))
    parts.append("\n".join(score_lines(documents)))
    return "\n".join(parts)


def codebook_csv(tables: Sequence[Table], options: ExportOptions) -> str:
    """The same columns for programs."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\r\n")
    rows.writerow(FIELDS)
    for table in tables:
        for one in table.shown(anonymous=options.anonymous):
            rows.writerow([table.name, one.name, one.type.value, one.unit, one.meaning, one.values])
    return text.getvalue()


def markdown_row(column: Column) -> str:
    cells = [f"`{column.name}`", column.type.value, column.unit, column.meaning, column.values]
    return f"| {' | '.join(cell_text(cell) for cell in cells)} |"


def cell_text(text: str) -> str:
    """Text in a cell of a Markdown table: one line, and no bar of its own."""
    return " ".join(text.split()).replace("|", "\\|")


def questions_of(document: StudyDocument) -> Iterator[tuple[str, Item]]:
    """Each question once, with the page where it is asked."""
    for page in document.pages:
        if isinstance(page, QuestionnairePage):
            yield from ((page.key, item) for item in page.items)
        elif isinstance(page, RoundsPage):
            yield from ((f"{page.key}, after each round", item) for item in page.after_round)


def scores_of(document: StudyDocument) -> Iterator[tuple[str, Score, Sequence[Item]]]:
    """Each score once, with the page where it is made and the questions there."""
    for page in document.pages:
        if isinstance(page, QuestionnairePage):
            yield from ((page.key, score, page.items) for score in page.scores)
        elif isinstance(page, RoundsPage):
            yield from ((f"{page.key}, after each round", score, page.after_round) for score in page.scores)


def question_lines(documents: Mapping[int, StudyDocument], options: ExportOptions) -> Iterator[str]:
    yield "## Questions\n"
    yield "| Version | Page | Question | Kind | Words | Values | Screens out | Right answer | Withheld |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for number, document in documents.items():
        for place, item in questions_of(document):
            withheld = "yes" if options.anonymous and is_withheld(item) else "no"
            right = "" if item.right_answer is None else str(item.right_answer)
            asked = [str(number), place, item.key, item.kind, item.label, item_values(item)]
            cells = [*asked, item.screen_words, right, withheld]
            yield f"| {' | '.join(cell_text(cell) for cell in cells)} |"
    yield ""


def score_lines(documents: Mapping[int, StudyDocument]) -> Iterator[str]:
    """How each score is made, and where its questions come from; nothing where no page has scores or a source."""
    pages = [(number, page) for number, document in documents.items() for page in document.questionnaires]
    scored = [
        (number, place, score, items)
        for number, document in documents.items()
        for place, score, items in scores_of(document)
    ]
    if scored:
        yield "## Scores\n"
        yield "| Version | Page | Score | Name | Formula | Range |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for number, place, score, items in scored:
            low, high = score_range(score, items)
            cells = [str(number), place, score.key, score.label, score_formula(score, items), f"{low} to {high}"]
            yield f"| {' | '.join(cell_text(cell) for cell in cells)} |"
        yield ""
    sources = [(number, page, page.scale) for number, page in pages if page.scale]
    if sources:
        yield "## Scales\n"
        yield "| Version | Page | Scale | Published in | Terms of use |"
        yield "| --- | --- | --- | --- | --- |"
        for number, page, scale in sources:
            cells = [str(number), page.key, scale.name, scale.citation, scale.licence]
            yield f"| {' | '.join(cell_text(cell) for cell in cells)} |"
        yield ""
