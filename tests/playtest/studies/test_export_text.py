"""Whatever people write comes out of every format as it went in, and runs as a formula in none."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.db import connections

from playtest.studies.choices import Missing
from playtest.studies.export.columns import Column, Type
from playtest.studies.export.writers import open_writer
from playtest.studies.models import Answer
from tests.playtest.studies.exporting import export, mixed_study, table
from tests.playtest.studies.factory import make_participant

HALF = "half a \ud83d pair"
FORMULAS = [
    "=1+1",
    '=HYPERLINK("http://127.0.0.1/?"&A1,"click")',
    "+1+2",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "\ufeff=1+1",
    "\u00a0@A1",
    "\uff1d1+1",
    "- the second board",
    "-1-2",
    "\x01=1",
]
NUMBERS = ["-5", "+3.5", "1e5", "-1,5", "007"]
PLAIN = [
    "",
    " ",
    "a,b;c\td",
    'she said "no" and ""',
    "'=1+1",
    "one\ntwo\r\nthree\rfour\n",
    "\u2028 line and \u2029 paragraph \x85 \x0b \x0c",
    "\U0001f469\u200d\U0001f680 \U0001f1e9\U0001f1ea e\u0301 \u202e right to left",
    "日本語 العربية",
    "NULL",
    "None",
    "\\0 \\n \\",
    "<script>alert(1)</script> | `x`",
    "1-2",
    "x" * 10_000,
    "line\n" * 2_000,
    '"' * 5_000,
]
NUL = ["\0", "a\0b", "\0=1+1", "=\0"]
ALL = [*FORMULAS, *NUMBERS, *PLAIN, *NUL, HALF]


def spelt(text: str) -> str:
    """Text in the CSV files."""
    return text.replace("\0", "\\0").replace("\ud83d", "\\ud83d")


def excel(text: str) -> str:
    """Text in the CSV for Excel."""
    return f"'{spelt(text)}" if text in FORMULAS or text == "=\0" else spelt(text)


@pytest.fixture
def reading_closed() -> Iterator[None]:
    yield
    connections["reading"].close()


@pytest.mark.usefixtures("reading_closed")
@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_answers_come_out_of_every_format_as_they_went_in(tmp_path: Path) -> None:
    study = mixed_study()
    for text in ALL:
        participant, _ = make_participant(study)
        answer = Answer.objects.filter(participant=participant, item_key="words")
        answer.update(value=json.dumps(text), missing=Missing.NO)
    folder = export(study, tmp_path / "out")

    def chosen(rows: list[dict[str, str]]) -> list[str]:
        return [row["value"] for row in rows if row["item"] == "words"]

    assert chosen(table(folder, "answers")) == [spelt(text) for text in ALL]
    assert [row["profile.words"] for row in table(folder, "wide")] == [spelt(text) for text in ALL]
    with (folder / "answers.excel.csv").open(encoding="utf-8-sig", newline="") as file:
        assert chosen(list(csv.DictReader(file))) == [excel(text) for text in ALL]
    assert (folder / "answers.excel.csv").read_bytes().startswith(b"\xef\xbb\xbfparticipant,")
    assert chosen(json.loads((folder / "answers.json").read_text("utf-8"))) == ALL
    stored = chosen(pq.read_table(folder / "answers.parquet").to_pylist())
    assert stored == [text.replace("\ud83d", "\\ud83d") for text in ALL]


@pytest.mark.parametrize("format_name", ["csv", "excel", "json", "parquet"])
def test_numbers_flags_and_what_is_missing_keep_their_types(format_name: str, tmp_path: Path) -> None:
    columns = [
        Column("text", Type.TEXT, "."),
        Column("whole", Type.INTEGER, "."),
        Column("number", Type.NUMBER, "."),
        Column("flag", Type.FLAG, "."),
        Column("json", Type.JSON, "."),
    ]
    rows = [("-5", -5, -0.1, True, "[1]"), (None, None, None, None, None), ("", 2**53 - 1, 1e300, False, '{"a":null}')]
    writer = open_writer(format_name, tmp_path / "file", columns)
    for row in rows:
        writer.write([row])
        writer.flush()
    writer.close()
    writer.close()
    read = (tmp_path / "file").read_bytes()
    if format_name == "json":
        assert [tuple(row.values()) for row in json.loads(read)] == [
            ("-5", -5, -0.1, True, [1]),
            (None,) * 5,
            ("", 2**53 - 1, 1e300, False, {"a": None}),
        ]
    elif format_name == "parquet":
        assert [tuple(row.values()) for row in pq.read_table(tmp_path / "file").to_pylist()] == rows
    else:
        lines = read.decode("utf-8-sig").split("\r\n")
        assert lines[1:] == ["-5,-5,-0.1,true,[1]", ",,,,", ',9007199254740991,1e+300,false,"{""a"":null}"', ""]


@pytest.mark.parametrize("format_name", ["csv", "excel", "json", "parquet"])
def test_numbers_without_end_that_an_earlier_version_stored_come_out_as_null(format_name: str, tmp_path: Path) -> None:
    """`Infinity` and `NaN` are no JSON: a reader that is strict would refuse the whole file."""
    said = '{"said":"NaN, -Infinity"}'
    cells = ['{"x":Infinity,"y":[-Infinity,{"z":NaN}],"said":"NaN"}', said, "[1.5]", "NaN", None]
    writer = open_writer(format_name, tmp_path / "file", [Column("json", Type.JSON, ".")])
    writer.write([(cell,) for cell in cells])
    writer.close()
    found = [row["json"] for row in read_rows(tmp_path / "file", format_name)]
    values = [
        strict(cell) if isinstance(cell, str) and format_name != "json" and cell else cell or None for cell in found
    ]
    clean = {"x": None, "y": [None, {"z": None}], "said": "NaN"}
    assert values == [clean, {"said": "NaN, -Infinity"}, [1.5], None, None]
    if format_name == "csv":
        assert found[1] == said, "text in which only words look like such numbers is left as it is"


def read_rows(path: Path, format_name: str) -> list[dict[str, Any]]:
    if format_name == "parquet":
        return pq.read_table(path).to_pylist()
    if format_name == "json":
        rows: list[dict[str, Any]] = strict(path.read_text("utf-8"))
        return rows
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def strict(text: str) -> Any:
    """What a reader makes of JSON that knows no more than the standard does."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)
