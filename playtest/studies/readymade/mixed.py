"""Both games in one study: does who scores high in the one score high in the other?

Two boards of each game are the same for everybody, one of each is drawn; the order is shuffled for each person. The
rules that a round is played by stand on its page.
"""

from typing import Any

from engine.level import shipped_levels
from playtest.studies.readymade import paper, samegame
from playtest.studies.readymade.parts import consent_page, end_page, experience_item, profile_page

PRESETS = {"match3": ("board-1", "board-2"), "samegame": ("samegame-small-4", "samegame-small-5")}
RANDOM_BOARDS = {"match3": paper.RANDOM_BOARD, "samegame": samegame.RANDOM_BOARD}

ABOUT = """\
This is a study of how people play two puzzles: one in which three or more equal pieces in a line disappear, and one \
in which groups of equal pieces are removed from a full board. It takes about 15 minutes: five short questions about \
you, then six rounds, three of each puzzle in mixed order."""


def mixed_study() -> dict[str, Any]:
    """The document; each call makes a new one."""
    rounds: list[dict[str, Any]] = []
    for game, slugs in PRESETS.items():
        shipped = shipped_levels(game)
        rounds += [
            {"key": f"{game}-{n}", "level": shipped[slug].to_document()} for n, slug in enumerate(slugs, start=1)
        ]
        rounds.append({"key": f"{game}-random", "random": dict(RANDOM_BOARDS[game])})
    return {
        "format": 1,
        "title": "How do you play two puzzles?",
        "summary": "Six short rounds, three of each of two puzzles, and five questions. About 15 minutes, no account.",
        "languages": ["en"],
        "pages": [
            consent_page(ABOUT),
            profile_page(
                experience_item("match3_games", "a Match-3 puzzle"),
                experience_item("samegame_games", "SameGame or a puzzle like it"),
            ),
            {"key": "rounds", "kind": "rounds", "title": "Six rounds", "order": "shuffle", "rounds": rounds},
            end_page(),
        ],
    }
