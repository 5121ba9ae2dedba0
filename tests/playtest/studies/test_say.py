"""The sentences of play: one or two for a move, in plain words, never long."""

import pytest

from engine.round import Outcome
from playtest.studies.play.say import ERRORS, REJECTIONS, say_error, say_move, say_rejection, say_state


def outcome(**changes: object) -> Outcome:
    values: dict[str, object] = {
        "action": [[0, 0], [0, 1]],
        "code": 0,
        "reversed": False,
        "gained": 120,
        "score": 780,
        "steps": 1,
        "matches": 1,
        "cleared": 4,
        "legal_before": 7,
        "reshuffled": None,
        "redrawn": False,
        "frames": [],
        "board": [],
        "over": None,
    }
    return Outcome(**{**values, **changes})


@pytest.mark.parametrize(
    ("changes", "left", "sentence"),
    [
        ({}, 13, "Matched 4, 120 points. 13 moves left."),
        ({"cleared": 3, "gained": 60}, 1, "Matched 3, 60 points. 1 move left."),
        ({"matches": 2, "cleared": 6}, 12, "2 matches at once, 120 points. 12 moves left."),
        (
            {"steps": 3, "matches": 5, "gained": 480},
            12,
            "Cascade of 3 steps, 5 matches, 480 points. 12 moves left.",
        ),
        (
            {"reshuffled": ["ABC"]},
            9,
            "Matched 4, 120 points. No moves were left, the pieces were shuffled. 9 moves left.",
        ),
        ({"over": "moves", "score": 4510}, 0, "Matched 4, 120 points. The round is over with 4,510 points."),
    ],
)
def test_move_is_said_in_one_message(changes: dict[str, object], left: int, sentence: str) -> None:
    assert say_move(outcome(**changes), left=left, language="en") == sentence


EMPTY = {"f": "bonus", "points": 1000, "why": "empty"}
LEFT = {"f": "bonus", "points": -5, "why": "left", "by": {"B": 3, "C": 4}}
NOTHING_OFF = {"f": "bonus", "points": 0, "why": "left", "by": {"B": 2}}


@pytest.mark.parametrize(
    ("changes", "left", "sentence"),
    [
        ({"cleared": 7, "gained": 25}, 9, "Removed 7, 25 points. 9 groups left."),
        ({"cleared": 3, "gained": 1}, 1, "Removed 3, 1 point. 1 group left."),
        (
            {"cleared": 2, "gained": 1000, "score": 1234, "over": "stuck", "frames": [EMPTY]},
            0,
            "Removed 2, 0 points. The board is empty: 1,000 points more. The round is over with 1,234 points.",
        ),
        (
            {"cleared": 4, "gained": -1, "score": -1, "over": "stuck", "frames": [LEFT]},
            0,
            "Removed 4, 4 points. The pieces left cost 5 points. The round is over with -1 point.",
        ),
        (
            {"cleared": 2, "gained": 0, "score": 12, "over": "stuck", "frames": [NOTHING_OFF]},
            0,
            "Removed 2, 0 points. The round is over with 12 points.",
        ),
    ],
)
def test_removed_group_is_said_in_one_message(changes: dict[str, object], left: int, sentence: str) -> None:
    assert say_move(outcome(**changes), left=left, language="en", gesture="group") == sentence


def test_game_of_groups_speaks_of_groups() -> None:
    state = {"position": 1, "count": 2, "left": 21, "score": 0, "over": False, "language": "en", "gesture": "group"}
    assert say_state(**state) == "Round 1 of 2. 21 groups left. 0 points."
    assert "two or more equal pieces" in say_rejection("illegal", "en", gesture="group")
    assert say_rejection("illegal", "en").startswith("No match there")
    assert say_rejection("over", "en", gesture="group") == say_rejection("over", "en")


def test_longest_message_stays_short() -> None:
    changes = {"steps": 40, "matches": 99, "gained": 1_000_000, "score": 10_000_000, "reshuffled": [], "over": "moves"}
    assert len(say_move(outcome(**changes), left=0, language="en")) <= 200


def test_state_says_where_one_is() -> None:
    state = {"position": 2, "count": 6, "left": 14, "score": 1780, "over": False, "language": "en"}
    assert say_state(**state) == "Round 2 of 6. 14 moves left. 1,780 points."
    assert say_state(**{**state, "left": 0, "over": True}) == "Round 2 of 6. This round is over. 1,780 points."


def test_every_refusal_and_error_has_its_words() -> None:
    for reason in REJECTIONS:
        assert 10 < len(say_rejection(reason, "en")) <= 200
    for code in ERRORS:
        assert 10 < len(say_error(code, "en")) <= 200


def test_unknown_language_falls_back_to_english() -> None:
    assert say_rejection("over", "xx") == "This round is over."
