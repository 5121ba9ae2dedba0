"""What a client may say, read strictly: known types, known keys, integers as integers, bounded size and nesting."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from playtest.studies.choices import SERVER_EVENTS, EventKind, InputMode

VERSION = 1
LIMIT_BYTES = 8 * 1024
LIMIT_ACT_BYTES = 512
LIMIT_EVENT_BYTES = 1_024
LIMIT_NESTING = 4
LIMIT_EVENTS = 20
LIMIT_MS = 86_400_000
LIMIT_INTEGER = 2**31 - 1

TAB = re.compile(r"[A-Za-z0-9_-]{4,36}")
CLIENT_ID = re.compile(r"[A-Za-z0-9_-]{8,36}")
ROUND_LABEL = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}")
LANGUAGE = re.compile(r"[A-Za-z0-9-]{1,16}")
BUILD = re.compile(r"[A-Za-z0-9._-]{1,64}")
EVENT_NAME = re.compile(r"[a-z_]{1,24}")
INPUTS = {mode.label: mode for mode in InputMode}
EVENTS = {kind.label: kind for kind in EventKind if kind not in SERVER_EVENTS}


class MalformedError(Exception):
    """The message breaks the protocol; the text says how."""


class TooLargeError(Exception):
    """More bytes than a message of its type may have."""


class VersionError(Exception):
    """The client speaks a version that this server does not."""


@dataclass(frozen=True)
class Hello:
    tab: str
    claim: str
    epoch: int | None
    round: str | None
    lang: str | None
    motion: str | None
    build: str | None


@dataclass(frozen=True)
class Act:
    """A wished action. Times are what the client says, cut to None where they are out of range (`odd_time`)."""

    round: str
    seq: int
    id: str
    action: Any
    think: int | None
    anim: int | None
    hidden: int | None
    input: InputMode | None
    odd_time: bool

    @property
    def action_text(self) -> str:
        """The action as JSON in one spelling: two actions are the same if these are."""
        return json.dumps(self.action, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class EventItem:
    kind: EventKind
    at: int | None
    data: str


@dataclass(frozen=True)
class Events:
    items: list[EventItem]
    unknown: int = 0
    """How many items were of a kind that this server does not keep."""


@dataclass(frozen=True)
class Ping:
    n: int
    rtt: int | None


@dataclass(frozen=True)
class StateWanted:
    pass


@dataclass(frozen=True)
class MoreTimeWanted:
    pass


Message = Hello | Act | Events | Ping | StateWanted | MoreTimeWanted


def parse_message(text: str) -> Message:
    """One message. Raises TooLargeError, MalformedError or VersionError and has no other effect."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > LIMIT_BYTES:
        raise TooLargeError(f"{size} bytes")
    fields = Fields(decode(text))
    kind = fields.take("t")
    parser = PARSERS.get(kind) if isinstance(kind, str) else None
    if parser is None:
        raise MalformedError("The type of the message is not known.")
    if kind == "act" and size > LIMIT_ACT_BYTES:
        raise TooLargeError(f"{size} bytes")
    message = parser(fields)
    fields.done()
    return message


def decode(text: str) -> dict[str, Any]:
    try:
        value = json.loads(
            text,
            parse_constant=refuse_constant,
            parse_float=finite_number,
            object_pairs_hook=refuse_doubled_keys,
        )
    except (ValueError, RecursionError):
        raise MalformedError("The message is not JSON.") from None
    if not isinstance(value, dict):
        raise MalformedError("A message is a JSON object.")
    # As deep as there are brackets, at the most: of a move there are few, and nothing is counted.
    if text.count("{") + text.count("[") > LIMIT_NESTING and nesting(value) > LIMIT_NESTING:
        raise MalformedError("The message is nested too deeply.")
    return value


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def finite_number(text: str) -> float:
    """Python reads 1e999 as infinite, and would write a word for it that is no JSON."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def refuse_doubled_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is there twice")
    return value


def nesting(value: object) -> int:
    """Levels of lists and objects, the message itself being the first; counting ends one above the limit."""
    level, layer = 0, [value]
    while any(isinstance(part, list | dict) for part in layer) and level <= LIMIT_NESTING:
        level += 1
        layer = [
            child
            for part in layer
            if isinstance(part, list | dict)
            for child in (part.values() if isinstance(part, dict) else part)
        ]
    return level


@dataclass
class Fields:
    """The keys of a message. What nobody took is refused by `done`."""

    values: dict[str, Any]
    taken: set[str] = field(default_factory=set)

    def take(self, key: str) -> Any:
        """The value of a key, None where it is absent."""
        self.taken.add(key)
        return self.values.get(key)

    def text(self, key: str, pattern: re.Pattern[str]) -> str:
        value = self.take(key)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise MalformedError(f"The key {key} is missing or not as it must be.")
        return value

    def optional_text(self, key: str, pattern: re.Pattern[str]) -> str | None:
        return None if self.take(key) is None else self.text(key, pattern)

    def integer(self, key: str) -> int:
        value = self.take(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LIMIT_INTEGER:
            raise MalformedError(f"The key {key} must be a whole number.")
        return value

    def optional_integer(self, key: str) -> int | None:
        return None if self.take(key) is None else self.integer(key)

    def milliseconds(self, key: str) -> tuple[int | None, bool]:
        """A time and whether it was a number that no clock gives; such a one never decides anything."""
        value = self.take(key)
        if value is None:
            return None, False
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise MalformedError(f"The key {key} must be a whole number.")
        if isinstance(value, float) or not 0 <= value <= LIMIT_MS:
            return None, True
        return value, False

    def done(self) -> None:
        unknown = set(self.values) - self.taken
        if unknown:
            raise MalformedError("The message has a key that is not known.")


def parse_hello(fields: Fields) -> Hello:
    version = fields.integer("v")
    if version != VERSION:
        raise VersionError(str(version))
    hello = Hello(
        tab=fields.text("tab", TAB),
        claim=fields.text("claim", re.compile("new|resume")),
        epoch=fields.optional_integer("epoch"),
        round=fields.optional_text("round", ROUND_LABEL),
        lang=fields.optional_text("lang", LANGUAGE),
        motion=fields.optional_text("motion", re.compile("full|reduced")),
        build=fields.optional_text("build", BUILD),
    )
    if hello.claim == "resume" and (hello.epoch is None or hello.round is None):
        raise MalformedError("To resume, a round and its epoch are needed.")
    return hello


def parse_act(fields: Fields) -> Act:
    if "action" not in fields.values:
        raise MalformedError("The key action is missing.")
    think, odd_think = fields.milliseconds("think")
    anim, odd_anim = fields.milliseconds("anim")
    hidden, odd_hidden = fields.milliseconds("hidden")
    source = fields.take("input")
    if source is not None and (not isinstance(source, str) or source not in INPUTS):
        raise MalformedError("The key input is not as it must be.")
    return Act(
        round=fields.text("round", ROUND_LABEL),
        seq=fields.integer("seq"),
        id=fields.text("id", CLIENT_ID),
        action=fields.take("action"),
        think=think,
        anim=anim,
        hidden=hidden,
        input=INPUTS.get(source) if source else None,
        odd_time=odd_think or odd_anim or odd_hidden,
    )


def parse_events(fields: Fields) -> Events:
    entries = fields.take("items")
    if not isinstance(entries, list) or not 1 <= len(entries) <= LIMIT_EVENTS:
        raise MalformedError(f"The key items must be a list of 1 to {LIMIT_EVENTS} events.")
    items: list[EventItem] = []
    unknown = 0
    for entry in entries:
        if not isinstance(entry, dict):
            raise MalformedError("An event is a JSON object.")
        event = Fields(entry)
        name = event.text("k", EVENT_NAME)
        at, _ = event.milliseconds("at")
        data = event.take("d")
        if data is not None and not isinstance(data, dict):
            raise MalformedError("The data of an event are a JSON object.")
        text = json.dumps(data or {}, separators=(",", ":"))
        if len(text) > LIMIT_EVENT_BYTES:
            raise MalformedError("The data of an event are too long.")
        event.done()
        if name in EVENTS:
            items.append(EventItem(kind=EVENTS[name], at=at, data=text))
        else:
            unknown += 1
    return Events(items=items, unknown=unknown)


def parse_ping(fields: Fields) -> Ping:
    rtt, _ = fields.milliseconds("rtt")
    return Ping(n=fields.integer("n"), rtt=rtt)


def parse_state_wanted(fields: Fields) -> StateWanted:
    return StateWanted()


def parse_more_time_wanted(fields: Fields) -> MoreTimeWanted:
    return MoreTimeWanted()


PARSERS: dict[str, Callable[[Fields], Message]] = {
    "hello": parse_hello,
    "act": parse_act,
    "ev": parse_events,
    "ping": parse_ping,
    "state?": parse_state_wanted,
    "more": parse_more_time_wanted,
}
