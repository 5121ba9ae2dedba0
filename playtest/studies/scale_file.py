"""A scale as one JSON file: its questions, their range, subscales with reversed questions, where it was published.

`docs/scales.md` describes the format. A file becomes a page of questions; nothing of the file is lost in it.
"""

from pathlib import Path
from typing import Any

from playtest.studies.document.items import LIMIT_LABEL
from playtest.studies.document.pages import LIMIT_TEXT, LIMIT_TITLE, MOST_ITEMS, parse_page
from playtest.studies.document.reader import Reader, refuse
from playtest.studies.document.scores import MOST_SCORES
from playtest.studies.file import decode

FORMAT = 1
EXAMPLE = Path(__file__).with_name("readymade") / "example_scale.json"


def example_scale() -> bytes:
    """The example that comes with the program: an invented scale that says so."""
    return EXAMPLE.read_bytes()


def read_scale_file(content: bytes) -> dict[str, Any]:
    """The page of questions of a file, without a key. Raises StudyError with a sentence that names the place."""
    return scale_page(decode(content))


def scale_page(value: object) -> dict[str, Any]:
    """A scale, decoded from JSON, as a page of a study."""
    reader = Reader(value, "")
    if not reader.has("scale") or not reader.has("format"):
        refuse("", "This is no file of a scale: it has no “scale” with the name, or no “format”.")
    if reader.raw("format") != FORMAT or isinstance(reader.value["format"], bool):
        refuse("", f"This program reads scales of format {FORMAT}.")
    steps, required = read_range(reader), reader.flag("required", default=True)
    page = {
        "kind": "questionnaire",
        "title": reader.text("title", limit=LIMIT_TITLE),
        "text": reader.text("instructions", limit=LIMIT_TEXT, default=""),
        "items": [
            {**read_item(entry, place), **steps, "required": required}
            for place, entry in reader.items("items", low=1, high=MOST_ITEMS, word="Item")
        ],
        "scores": [
            read_subscale(entry, place)
            for place, entry in reader.items("subscales", low=0, high=MOST_SCORES, word="Subscale")
        ],
        "scale": {
            "name": reader.text("scale", limit=LIMIT_LABEL),
            "citation": reader.text("citation", limit=2_000),
            "licence": reader.text("licence", limit=2_000),
        },
    }
    reader.done()
    parsed = parse_page({"key": "scale", **page}, "").to_document()
    parsed.pop("key")
    return parsed


def read_range(reader: Reader) -> dict[str, Any]:
    """The steps that all items have, as a question of the kind scale has them."""
    inner = Reader(reader.raw("range"), "range")
    low, high = inner.integer("from", low=-10, high=10), inner.integer("to", low=-10, high=20)
    if low >= high:
        refuse("range", "“from” must be less than “to”.")
    labels = Reader(inner.raw("labels") if inner.has("labels") else {}, "range, labels")
    inner.done()
    words = {step: labels.text(str(step), limit=LIMIT_LABEL) for step in range(low, high + 1) if labels.has(str(step))}
    labels.done()
    return {
        "kind": "scale",
        "from": low,
        "to": high,
        "low": words.pop(low, ""),
        "high": words.pop(high, ""),
        "labels": {str(step): one for step, one in words.items()},
    }


def read_item(value: object, place: str) -> dict[str, Any]:
    reader = Reader(value, place)
    item = {"key": reader.name("key"), "label": reader.text("text", limit=LIMIT_LABEL)}
    reader.done()
    return item


def read_subscale(value: object, place: str) -> Any:
    """A subscale is a score word for word; the page's own parser checks it."""
    if not isinstance(value, dict):
        refuse(place, "an object with keys is needed here.")
    return value
