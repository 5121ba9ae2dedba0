"""A study as one JSON file. Writing what was read gives the same bytes."""

import json
import re
from typing import Any, NoReturn

from playtest.studies.document import StudyDocument, parse_study
from playtest.studies.errors import StudyError

LARGEST_FILE = 4_000_000
HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""How a file may spell one, and two that belong together: UTF-8 itself has none."""


def study_file(document: StudyDocument) -> bytes:
    """The file of a study: UTF-8, keys in the order of the format, every default written out."""
    text = json.dumps(document.to_document(), indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def read_study_file(content: bytes) -> StudyDocument:
    """The study of a file. Raises StudyError with a sentence that names the place."""
    return parse_study(decode(content))


def decode(content: bytes) -> object:
    """The JSON value of a file, all of whose text can be stored and shown.

    Raises StudyError where it is none, says a key twice or holds half of a character.
    """
    if len(content) > LARGEST_FILE:
        _refuse(f"The file has {len(content):,} bytes, at most {LARGEST_FILE:,} are allowed.")
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_without_doubles)
        if HALF.search(text):
            _refuse_halves(value)
        return value
    except UnicodeDecodeError as error:
        _refuse(f"The file is not UTF-8 text (byte {error.start + 1}).")
    except json.JSONDecodeError as error:
        _refuse(f"The file is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.")
    except RecursionError:
        _refuse("The file is not a study: its lists are nested too deep.")
    except ValueError:
        # Python refuses to convert integers of thousands of digits.
        _refuse("The file holds a number that is far too long.")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            _refuse_halves(key)
            _refuse(f"The file says the key “{key[:60]}” twice in one object.")
        found[key] = value
    return found


def _refuse_halves(value: object) -> None:
    """Refuse a value with half of a surrogate pair in a key or text: whatever repeats it later has no UTF-8 itself."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        _refuse(f"The file holds half of a character ({half}), which is none and cannot be stored.")


def _refuse(sentence: str) -> NoReturn:
    raise StudyError("document", sentence)
