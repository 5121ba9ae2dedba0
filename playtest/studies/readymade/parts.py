"""What the ready-made studies have in common: the words of consent, the questions about a person, the last page."""

from typing import Any

KEPT = """\
We store your answers, every move that you make and the time that you take for it, when the page was hidden or the \
connection was lost, whether you play by mouse, touch or keyboard, and whether motion is switched off. We do not store \
your name, your address on the network or which browser you use. Your browser keeps a cookie, so that you can go on \
after a pause.

The stored data are used to compare how people and computer players play the same boards. They may be published in a \
form in which nobody can be recognised.

Taking part is voluntary and there is no risk beyond that of any computer game. You can stop at any time without \
giving a reason: “Stop and delete my data” stands on every page and deletes what you gave us at once. After that we \
keep only that somebody agreed and later withdrew, and on which day."""

FREQUENCY = (
    ("daily", "Every day"),
    ("weekly-several", "Several times a week"),
    ("weekly", "About once a week"),
    ("monthly", "About once a month"),
    ("rarely", "Less often"),
    ("never", "Never"),
)


def consent_page(about: str) -> dict[str, Any]:
    """The consent page of a study that `about` describes in a paragraph."""
    return {
        "key": "consent",
        "kind": "consent",
        "title": "Before you start",
        "text": f"{about}\n\n{KEPT}",
        "agree": "I am at least 18 years old, I have read this, and I want to take part.",
    }


def profile_page(*experience: dict[str, Any]) -> dict[str, Any]:
    """Questions about gender, age and playing, and those of the study about experience with its games."""
    number = ("No", "One", "Two", "Three", "Four", "Five", "Six")[3 + len(experience)]
    return {
        "key": "profile",
        "kind": "questionnaire",
        "title": "About you",
        "text": f"{number} questions, so that we can describe who took part.",
        "items": [*person_items(), *experience],
    }


def person_items() -> list[dict[str, Any]]:
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
        choice("play_frequency", "How often do you play games on a computer, phone or console?", *FREQUENCY),
    ]


def experience_item(key: str, games: str) -> dict[str, Any]:
    """How many games of a kind somebody has played."""
    return choice(
        key,
        f"How many games of {games} have you played in your life? A rough guess is enough.",
        ("never", "None"),
        ("under-10", "Fewer than 10"),
        ("10-19", "10 to 19"),
        ("20-49", "20 to 49"),
        ("50-100", "50 to 100"),
        ("over-100", "More than 100"),
    )


def after_round_items() -> list[dict[str, Any]]:
    """How difficult and how enjoyable a round was. A study asks it where a designer adds it."""
    return [
        scale("difficulty", "How difficult was this round for you?", "very easy", "very difficult"),
        scale("enjoyment", "How much did you enjoy this round?", "not at all", "very much"),
    ]


def end_page() -> dict[str, Any]:
    return {
        "key": "end",
        "kind": "end",
        "title": "Thank you",
        "text": "That was the last round. You can close this page.",
    }


def scale(key: str, label: str, low: str, high: str) -> dict[str, Any]:
    """Seven steps with words at both ends."""
    return {"key": key, "kind": "scale", "label": label, "from": 1, "to": 7, "low": low, "high": high}


def choice(key: str, label: str, *options: tuple[str, str], sensitive: bool = False) -> dict[str, Any]:
    named = [{"value": value, "label": text} for value, text in options]
    return {"key": key, "kind": "choice", "label": label, "required": True, "sensitive": sensitive, "options": named}
