"""Reads a decoded JSON value strictly: every key known, every type right, and each refusal names the place."""

from collections.abc import Iterator
from typing import Any, NoReturn

from playtest.studies.errors import StudyError

LIMIT_NAME = 40
NAME_LETTERS = set("abcdefghijklmnopqrstuvwxyz0123456789_-")


def refuse(place: str, message: str) -> NoReturn:
    raise StudyError("document", f"{place}: {message}" if place else message)


class Reader:
    """One JSON object. Ask for each key once, then call `done`, which refuses whatever was not asked for."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            refuse(place, "an object with keys is needed here.")
        self.value: dict[str, Any] = value
        self.place = place
        self.seen: set[str] = set()

    def at(self, key: str) -> str:
        return f"{self.place}, {key}" if self.place else key

    def has(self, key: str) -> bool:
        return key in self.value

    def raw(self, key: str) -> Any:
        self.seen.add(key)
        if key not in self.value:
            refuse(self.place, f"the key “{key}” is missing.")
        return self.value[key]

    def text(self, key: str, *, limit: int, default: str | None = None) -> str:
        """Text without NUL, which PostgreSQL cannot keep. With a default the key may be absent or empty."""
        if default is not None and key not in self.value:
            return default
        value = self.raw(key)
        if not isinstance(value, str):
            refuse(self.at(key), "this must be text.")
        if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            refuse(self.at(key), "the text holds a character that cannot be stored.")
        if len(value) > limit:
            refuse(self.at(key), f"the text has {len(value):,} characters, {limit:,} are allowed.")
        if default is None and not value.strip():
            refuse(self.at(key), "the text is empty.")
        return value

    def name(self, key: str) -> str:
        """A short key for machines: in exports, addresses and column names."""
        value = self.raw(key)
        if not isinstance(value, str) or not value:
            refuse(self.at(key), "a short name is needed here.")
        if len(value) > LIMIT_NAME or not set(value) <= NAME_LETTERS or not value[0].isalnum():
            refuse(
                self.at(key),
                f"“{value[:LIMIT_NAME]}” must begin with a small letter or digit and go on with small letters, digits, "
                f"- and _, at most {LIMIT_NAME} in all.",
            )
        return value

    def integer(self, key: str, *, low: int, high: int, default: int | None = None) -> int:
        if default is not None and key not in self.value:
            return default
        value = self.raw(key)
        if not isinstance(value, int) or isinstance(value, bool):
            refuse(self.at(key), "a whole number is needed here.")
        if not low <= value <= high:
            refuse(self.at(key), f"{value} is outside of {low} to {high}.")
        return value

    def optional_integer(self, key: str, *, low: int, high: int) -> int | None:
        if self.value.get(key) is None:
            self.seen.add(key)
            return None
        return self.integer(key, low=low, high=high)

    def flag(self, key: str, *, default: bool) -> bool:
        if key not in self.value:
            return default
        value = self.raw(key)
        if not isinstance(value, bool):
            refuse(self.at(key), "true or false is needed here.")
        return value

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        if default is not None and key not in self.value:
            return default
        value = self.raw(key)
        if not isinstance(value, str) or value not in choices:
            refuse(self.at(key), f"one of {', '.join(choices)} is needed here.")
        return value

    def items(self, key: str, *, low: int, high: int, word: str) -> Iterator[tuple[str, Any]]:
        """The entries of a list with the place of each: “Page 2”, “Question 1 of page 2”."""
        value = self.raw(key)
        if not isinstance(value, list):
            refuse(self.at(key), "a list is needed here.")
        if not low <= len(value) <= high:
            refuse(self.at(key), f"the list has {len(value)} entries, {low} to {high} are allowed.")
        inside = f" of {self.place[0].lower()}{self.place[1:]}" if self.place else ""
        for number, entry in enumerate(value, start=1):
            yield f"{word} {number}{inside}", entry

    def done(self) -> None:
        unknown = sorted(str(key) for key in set(self.value) - self.seen)
        if unknown:
            refuse(self.place, f"the key “{unknown[0][:60]}” is not known.")
