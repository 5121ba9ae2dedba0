"""Messages of the client are read strictly: known keys, right types, bounded size and nesting."""

import json

import pytest

from playtest.studies.choices import EventKind, InputMode
from playtest.studies.play.messages import (
    Act,
    Events,
    Hello,
    MalformedError,
    MoreTimeWanted,
    Ping,
    StateWanted,
    TooLargeError,
    VersionError,
    parse_message,
)

MALFORMED = [
    "",
    "not json",
    "[]",
    "null",
    "7",
    '{"t":"act"',
    '{"t":"nonsense"}',
    '{"t":["act"]}',
    '{"t":{"a":1}}',
    '{"n":1}',
    '{"t":"ping","n":NaN}',
    '{"t":"ping","n":Infinity}',
    '{"t":"ping","n":1,"rtt":1e999}',
    '{"t":"ping","n":1.5}',
    '{"t":"ping","n":true}',
    '{"t":"ping","n":-1}',
    '{"t":"ping","n":1,"n":2}',
    '{"t":"ping","n":1,"more":2}',
    '{"t":"ping","n":' + "9" * 5000 + "}",
    '{"t":"state?","round":"1.1"}',
    '{"t":"ev","items":[]}',
    '{"t":"ev","items":[{"k":"hidden","at":1,"d":{"a":{"b":1}}}]}',
    '{"t":"ev","items":[{"k":"hidden","at":1,"d":[1]}]}',
    '{"t":"ev","items":[{"k":"hidden","at":1,"d":{"x":1e999}}]}',
    '{"t":"ev","items":[{"k":"hidden","at":1,"d":{"x":-1e999}}]}',
    '{"t":"ev","items":[{"k":"hidden","at":1,"d":{"x":-Infinity}}]}',
    '{"t":"ev","items":[{"k":"hidden","at":1,"d":{},"x":1}]}',
    '{"t":"ev","items":[' + ",".join(['{"k":"hidden","at":1}'] * 21) + "]}",
    '{"t":"ev","items":[{"k":"hidden","at":1,"d":{"text":"' + "x" * 1100 + '"}}]}',
    "[" * 4000 + "]" * 4000,
    '{"t":' * 1000 + "1" + "}" * 1000,
    '{"t":"act","round":"1.1","seq":"1","id":"abcdefgh","action":[[0,0],[0,1]]}',
    '{"t":"act","round":"1.1","seq":1.0,"id":"abcdefgh","action":[[0,0],[0,1]]}',
    '{"t":"act","round":"1.1","seq":1,"id":"short","action":[[0,0],[0,1]]}',
    '{"t":"act","round":"1.1","seq":1,"id":"with spaces","action":[[0,0],[0,1]]}',
    '{"t":"act","round":"one","seq":1,"id":"abcdefgh","action":[[0,0],[0,1]]}',
    '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh"}',
    '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh","action":[[0,0],[0,1]],"think":"long"}',
    '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh","action":[[0,0],[0,1]],"input":"mind"}',
    '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh","action":[[0,0],[0,1]],"score":9000}',
    '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh","action":[[[[0]]]]}',
    '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh","action":[[1e999,0],[0,1]]}',
    '{"t":"hello","v":1,"tab":"tab-1","claim":"resume"}',
    '{"t":"hello","v":1,"tab":"tab-1","claim":"take"}',
    '{"t":"hello","v":1,"tab":"<script>","claim":"new"}',
    '{"t":"hello","v":"1","tab":"tab-1","claim":"new"}',
    '{"t":"hello","v":1,"tab":"tab-1","claim":"new","token":"abc"}',
]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_messages_are_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        parse_message(text)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "[" * 1_000_000,
        '{"t":"ping","n":1' + " " * 9_000 + "}",
        '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh","action":[[0,0],[0,1]]' + " " * 500 + "}",
        '{"t":"ping","n":"' + "é" * 4_100 + '"}',
    ],
)
def test_large_messages_are_refused_before_they_are_read(text: str) -> None:
    with pytest.raises(TooLargeError):
        parse_message(text)


def test_the_examples_of_the_protocol_are_read() -> None:
    hello = parse_message(
        '{"t":"hello","v":1,"tab":"q8Zr0w1cTnE","claim":"new","epoch":null,"round":null,"lang":"en","motion":"full",'
        '"build":"3f2a91c"}'
    )
    assert hello == Hello("q8Zr0w1cTnE", "new", None, None, "en", "full", "3f2a91c")
    act = parse_message(
        '{"t":"act","round":"2.1","seq":7,"id":"Hk2c9QzX1aLw","action":[[3,2],[3,3]],"think":1840,"anim":620,'
        '"hidden":0,"input":"drag"}'
    )
    assert act == Act("2.1", 7, "Hk2c9QzX1aLw", [[3, 2], [3, 3]], 1840, 620, 0, InputMode.DRAG, False)
    events = parse_message('{"t":"ev","items":[{"k":"hidden","at":51233,"d":{}},{"k":"visible","at":60110,"d":{}}]}')
    assert isinstance(events, Events)
    assert [(item.kind, item.at, item.data) for item in events.items] == [
        (EventKind.HIDDEN, 51233, "{}"),
        (EventKind.VISIBLE, 60110, "{}"),
    ]
    assert parse_message('{"t":"ping","n":12,"rtt":31}') == Ping(12, 31)
    assert parse_message('{"t":"state?"}') == StateWanted()
    assert parse_message('{"t":"more"}') == MoreTimeWanted()


def test_a_later_version_is_told_apart_whatever_keys_it_has() -> None:
    with pytest.raises(VersionError):
        parse_message('{"t":"hello","v":2,"tab":"tab-1","claim":"new","later":1}')


@pytest.mark.parametrize("time", [-1, 86_400_001, 1.5, 1e300, 10**40])
def test_times_that_no_clock_gives_become_unknown(time: float) -> None:
    act = {"t": "act", "round": "1.1", "seq": 1, "id": "abcdefgh", "action": [[0, 0], [0, 1]], "think": time}
    message = parse_message(json.dumps(act))
    assert isinstance(message, Act)
    assert message.think is None
    assert message.odd_time


def test_events_that_are_not_known_are_counted_and_hostile_text_survives() -> None:
    items = [{"k": "of_a_later_page", "at": 1}, {"k": "settings", "at": -4, "d": {"a": "\x00\ud800é"}}]
    message = parse_message(json.dumps({"t": "ev", "items": items}))
    assert isinstance(message, Events)
    assert message.unknown == 1
    [item] = message.items
    assert (item.kind, item.at) == (EventKind.SETTINGS, None)
    assert json.loads(item.data) == {"a": "\x00\ud800é"}
    assert item.data.isascii()
