"""A study as one JSON file. Writing what was read gives the same bytes."""

import json
from typing import Any, NoReturn

from playtest.studies.document import StudyDocument, parse_study
from playtest.studies.errors import StudyError

LARGEST_FILE = 4_000_000


def study_file(document: StudyDocument) -> bytes:
    """The file of a study: UTF-8, keys in the order of the format, every default written out."""
    text = json.dumps(document.to_document(), indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def read_study_file(content: bytes) -> StudyDocument:
    """The study of a file. Raises StudyError with a sentence that names the place."""
    return parse_study(decode(content))


def decode(content: bytes) -> object:
    """The JSON value of a file; raises StudyError where it is none, or says a key twice."""
    if len(content) > LARGEST_FILE:
        _refuse(f"The file has {len(content):,} bytes, at most {LARGEST_FILE:,} are allowed.")
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_without_doubles)
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
            _refuse(f"The file says the key “{key[:60]}” twice in one object.")
        found[key] = value
    return found


def _refuse(sentence: str) -> NoReturn:
    raise StudyError("document", sentence)
