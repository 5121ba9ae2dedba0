"""The messages of the server: what does not fit into one is left out where nobody misses it."""

import json
from dataclasses import replace

from engine.level import draw_level
from engine.round import Round
from playtest.studies.play.replies import FRAMES_LIMIT, drawable


def long_cascade() -> list[dict]:
    """The frames of a move after which every column is filled with one colour for hundreds of steps."""
    level = replace(draw_level(rows=12, cols=12, colours=7, seed=3), drops=("A" * 900,) * 12)
    return Round(level).play_code(Round(level).legal_codes()[0]).frames


def test_frames_of_an_ordinary_move_are_all_sent():
    played = Round(draw_level(seed=5))
    frames = played.play_code(played.legal_codes()[0]).frames
    assert drawable(frames) == list(frames)


def test_frames_of_an_endless_cascade_stay_under_the_limit():
    frames = long_cascade()
    assert len(json.dumps(frames)) > 64 * 1024, "the cascade must be longer than a message may be"
    sent = drawable(frames)
    assert len(json.dumps(sent)) <= FRAMES_LIMIT
    assert sent == frames[: len(sent)]
    assert len(sent) > 20


def test_shuffle_after_an_endless_cascade_is_sent_all_the_same():
    shuffle = {"f": "shuffle", "redrawn": False, "board": ["A" * 12] * 12}
    sent = drawable([*long_cascade(), shuffle])
    assert sent[-1] == shuffle
    assert len(json.dumps(sent)) <= FRAMES_LIMIT
