"""SameGame with people: the boards of the experiments with personas, one of the literature's, and boards drawn anew.

Three boards of 10 x 10 with 4 colours and the first standard position of 15 x 15 with 5 are the same for everybody,
two of 10 x 10 are drawn for each person. The rules stand on the page of play itself.
"""

from typing import Any

from engine.level import shipped_levels
from playtest.studies.readymade.parts import consent_page, end_page, experience_item, profile_page

PRESETS = ("samegame-small-1", "samegame-small-2", "samegame-small-3", "samegame-01")
RANDOM_BOARD = {"game": "samegame", "rows": 10, "cols": 10, "colours": 4}

ABOUT = """\
This is a study of how people play SameGame, a puzzle in which groups of equal pieces are removed from a full board. \
It takes about 15 minutes: four short questions about you, then six rounds. A round ends when no group is left."""


def samegame_study() -> dict[str, Any]:
    """The document; each call makes a new one."""
    shipped = shipped_levels("samegame")
    presets = [{"key": f"preset-{n}", "level": shipped[slug].to_document()} for n, slug in enumerate(PRESETS, start=1)]
    drawn = [{"key": f"random-{n}", "random": dict(RANDOM_BOARD)} for n in (1, 2)]
    return {
        "format": 1,
        "title": "How do you play SameGame?",
        "summary": "Six rounds of removing groups of equal pieces, and four questions. About 15 minutes, no account.",
        "languages": ["en"],
        "pages": [
            consent_page(ABOUT),
            profile_page(experience_item("samegame_games", "SameGame or a puzzle like it")),
            {
                "key": "rounds",
                "kind": "rounds",
                "title": "Six rounds",
                "order": "shuffle",
                "rounds": presets + drawn,
            },
            end_page(),
        ],
    }
