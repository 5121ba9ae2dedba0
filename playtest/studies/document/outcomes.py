"""What an end page says and gives for each outcome: a text, a completion code, and where the participant goes on."""

from dataclasses import dataclass
from typing import Any

from playtest.studies.completion_urls import LIMIT_URL, url_host
from playtest.studies.document.reader import Reader, refuse
from playtest.studies.errors import StudyError

OUTCOMES = ("complete", "declined", "screened_out", "timed_out", "returned")
LIMIT_TEXT = 20_000
LIMIT_CODE = 64
LEAST_WAIT = 5
MOST_WAIT = 120
WAIT = 10


@dataclass(frozen=True)
class Outcome:
    """How one participation ended. The text of `complete` is that of the page itself; empty ones have words of ours."""

    name: str
    text: str = ""
    code: str = ""
    url: str = ""

    def to_document(self) -> dict[str, Any]:
        text = {} if self.name == "complete" else {"text": self.text}
        return {**text, "code": self.code, "url": self.url}


def parse_outcomes(reader: Reader) -> tuple[Outcome, ...]:
    """One for each outcome, in the order of OUTCOMES; what the page does not name is empty."""
    if not reader.has("outcomes"):
        return tuple(Outcome(name) for name in OUTCOMES)
    inner = Reader(reader.raw("outcomes"), reader.at("outcomes"))
    found = tuple(
        parse_outcome(Reader(inner.raw(name), inner.at(name)), name) if inner.has(name) else Outcome(name)
        for name in OUTCOMES
    )
    inner.done()
    return found


def parse_outcome(reader: Reader, name: str) -> Outcome:
    outcome = Outcome(
        name=name,
        text="" if name == "complete" else reader.text("text", limit=LIMIT_TEXT, default=""),
        code=reader.text("code", limit=LIMIT_CODE, default=""),
        url=reader.text("url", limit=LIMIT_URL, default=""),
    )
    if outcome.code != outcome.code.strip() or not outcome.code.isprintable():
        refuse(reader.at("code"), "a code has no blanks around it and stands on one line.")
    if outcome.url:
        try:
            url_host(outcome.url)
        except StudyError as error:
            refuse(reader.at("url"), str(error))
    reader.done()
    return outcome


def parse_wait(reader: Reader) -> int:
    """Seconds until the page goes on by itself; 0: never."""
    wait = reader.integer("wait", low=0, high=MOST_WAIT, default=WAIT)
    if 0 < wait < LEAST_WAIT:
        refuse(reader.at("wait"), f"people need {LEAST_WAIT} seconds or more to stop it; 0 sends nobody on by itself.")
    return wait
