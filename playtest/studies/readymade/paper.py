"""The study of the paper “Automated playtesting of matching tile games” (section VII), in our own words.

41 people played six rounds of 20 moves on 7 x 7: three boards that were the same for everybody, with the same pieces
falling in, and three drawn at random, in an order that was shuffled for each. Before, they were asked about their
gender, their age and how much they play.
"""

from typing import Any

from engine.level import shipped_levels

PRESETS = ("board-1", "board-2", "board-3")
RANDOM_BOARD = {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": 20}

CONSENT_TEXT = """\
This is a study of how people play a puzzle in which three or more equal pieces in a line disappear. It takes about \
15 minutes: four short questions about you, then six rounds of 20 moves each.

We store your answers, every move that you make and the time that you take for it, when the page was hidden or the \
connection was lost, whether you play by mouse, touch or keyboard, and whether motion is switched off. We do not store \
your name, your address on the network or which browser you use. Your browser keeps a cookie, so that you can go on \
after a pause.

The stored data are used to compare how people and computer players play the same boards. They may be published in a \
form in which nobody can be recognised.

Taking part is voluntary and there is no risk beyond that of any computer game. You can stop at any time without \
giving a reason: “Stop and delete my data” stands on every page and deletes what you gave us at once. After that we \
keep only that somebody agreed and later withdrew, and on which day."""

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
            {
                "key": "consent",
                "kind": "consent",
                "title": "Before you start",
                "text": CONSENT_TEXT,
                "agree": "I am at least 18 years old, I have read this, and I want to take part.",
            },
            {
                "key": "profile",
                "kind": "questionnaire",
                "title": "About you",
                "text": "Four questions, so that we can describe who took part.",
                "items": profile_items(),
            },
            {
                "key": "rounds",
                "kind": "rounds",
                "title": "Six rounds",
                "text": ROUNDS_TEXT,
                "order": "shuffle",
                "rounds": presets + drawn,
            },
            {
                "key": "end",
                "kind": "end",
                "title": "Thank you",
                "text": "That was the last round. Everything is stored, you can close this page.",
            },
        ],
    }


def profile_items() -> list[dict[str, Any]]:
    return [
        choice(
            "gender",
            "What is your gender?",
            ("woman", "Woman"),
            ("man", "Man"),
            ("other", "Another gender"),
            ("undisclosed", "I prefer not to say"),
            sensitive=True,
        ),
        choice(
            "age",
            "How old are you?",
            ("18-24", "18 to 24"),
            ("25-34", "25 to 34"),
            ("35-44", "35 to 44"),
            ("45-54", "45 to 54"),
            ("55-64", "55 to 64"),
            ("65-over", "65 or older"),
            ("undisclosed", "I prefer not to say"),
        ),
        choice(
            "play_frequency",
            "How often do you play games on a computer, phone or console?",
            ("daily", "Every day"),
            ("weekly-several", "Several times a week"),
            ("weekly", "About once a week"),
            ("monthly", "About once a month"),
            ("rarely", "Less often"),
            ("never", "Never"),
        ),
        choice(
            "match3_games",
            "How many games of a Match-3 puzzle have you played in your life? A rough guess is enough.",
            ("never", "None"),
            ("under-10", "Fewer than 10"),
            ("10-19", "10 to 19"),
            ("20-49", "20 to 49"),
            ("50-100", "50 to 100"),
            ("over-100", "More than 100"),
        ),
    ]


def choice(key: str, label: str, *options: tuple[str, str], sensitive: bool = False) -> dict[str, Any]:
    named = [{"value": value, "label": text} for value, text in options]
    return {"key": key, "kind": "choice", "label": label, "required": True, "sensitive": sensitive, "options": named}
