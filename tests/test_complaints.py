"""The list of complaints names every kind; every test that it, or the page on accessibility, names exists."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parent.parent
KINDS = 54
ROW = re.compile(r"^\| (\d+)\. ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
NAMED = re.compile(r"`([^`]+?)::([^`]+)`")

ROWS = ROW.findall((ROOT / "docs" / "complaints.md").read_text(encoding="utf-8"))


def is_there(path: str, name: str) -> bool:
    """Whether a file has a test of that name, or of those words where it is JavaScript."""
    file = ROOT / path
    if not file.is_file():
        return False
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".js":
        return f'test("{name}"' in text
    return re.search(rf"^(async )?def {re.escape(name)}\(", text, re.MULTILINE) is not None


def test_every_kind_of_complaint_stands_in_the_list_once_and_in_order() -> None:
    assert [int(number) for number, *_ in ROWS] == list(range(1, KINDS + 1))


def test_every_test_that_the_list_names_exists() -> None:
    named = [(number, path, name) for number, _, _, tests in ROWS for path, name in NAMED.findall(tests)]
    assert len(named) > KINDS
    assert not [entry for entry in named if not is_there(entry[1], entry[2])]


def test_a_kind_without_a_test_says_so() -> None:
    for number, _, answer, tests in ROWS:
        assert NAMED.search(tests) or answer.startswith("Not yet:"), number


def test_a_test_that_is_not_there_would_be_found() -> None:
    assert not is_there("tests/test_complaints.py", "test_nothing_of_that_name")
    assert not is_there("tests/nothing.py", "test_every_test_that_the_list_names_exists")


def test_every_test_that_the_page_on_accessibility_names_exists() -> None:
    named = NAMED.findall((ROOT / "docs" / "accessibility.md").read_text(encoding="utf-8"))
    assert len(named) > 25
    assert not [entry for entry in named if not is_there(*entry)]
