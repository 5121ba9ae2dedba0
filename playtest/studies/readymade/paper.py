"""The study of the paper “Automated playtesting of matching tile games” (section VII), in our own words.

41 people played six rounds of 20 moves on 7 x 7: three boards that were the same for everybody, with the same pieces
falling in, and three drawn at random, in an order that was shuffled for each. Before, they were asked about their
gender, their age and how much they play.
"""

from typing import Any

from engine.level import shipped_levels
from playtest.studies.readymade.parts import consent_page, end_page, experience_item, profile_page

PRESETS = ("board-1", "board-2", "board-3")
RANDOM_BOARD = {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": 20}

ABOUT = """\
This is a study of how people play a puzzle in which three or more equal pieces in a line disappear. It takes about \
15 minutes: four short questions about you, then six rounds of 20 moves each."""

ROUNDS_TEXT = """\
Swap two neighbouring pieces so that three or more equal ones stand in a line. They disappear and others fall in from \
above. Longer lines give more points, and so does every further line that falls into place by itself.

A swap that makes no line goes back and costs nothing. Take your time: there is no clock."""


def paper_study() -> dict[str, Any]:
    """The document; each call makes a new one."""
    shipped = shipped_levels("match3")
    presets = [{"key": f"preset-{n}", "level": shipped[slug].to_document()} for n, slug in enumerate(PRESETS, start=1)]
    drawn = [{"key": f"random-{n}", "random": dict(RANDOM_BOARD)} for n in (1, 2, 3)]
    return {
        "format": 1,
        "title": "How do you play Match-3?",
        "summary": "Six short rounds of a tile-matching puzzle and four questions. About 15 minutes, no account.",
        "languages": ["en"],
        "pages": [
            consent_page(ABOUT),
            profile_page(experience_item("match3_games", "a Match-3 puzzle")),
            {
                "key": "rounds",
                "kind": "rounds",
                "title": "Six rounds",
                "text": ROUNDS_TEXT,
                "order": "shuffle",
                "rounds": presets + drawn,
            },
            end_page(),
        ],
    }
