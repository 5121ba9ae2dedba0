"""Reading documents that come from outside: one plain sentence for whatever is wrong, nothing taken on trust.

Documents are what `json.loads` or `tomllib.load` return. Numbers may be decimals written as text, because hashed
documents hold no floats.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.numerals import read_number


class DocumentReader:
    """Takes typed fields out of one table of a document; `error` is the exception class to raise."""

    def __init__(self, document: object, place: str, error: type[ValueError]) -> None:
        if not isinstance(document, Mapping):
            raise error(f"{place} must be a table of names and values.")
        self._document: dict[str, Any] = {str(key): value for key, value in document.items()}
        self._place = place
        self._error = error
        self._seen: set[str] = set()

    def fail(self, name: str, wanted: str) -> ValueError:
        """The error for field `name`, which should have been `wanted`."""
        return self._error(f'{self._place}: "{name}" must be {wanted}, not {_shown(self._document.get(name))}.')

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        self._seen.add(name)
        return self._document.get(name) is not None

    def _value(self, name: str) -> Any:
        if not self.has(name):
            raise self._error(f'{self._place}: "{name}" is missing.')
        return self._document[name]

    def text(self, name: str, *, longest: int = 200, default: str | None = None) -> str:
        if default is not None and not self.has(name):
            return default
        value = self._value(name)
        if not isinstance(value, str) or len(value) > longest or "\0" in value:
            raise self.fail(name, f"text of at most {longest} characters")
        return value

    def choice(self, name: str, choices: Sequence[str], *, default: str | None = None) -> str:
        if default is not None and not self.has(name):
            return default
        value = self._value(name)
        if value not in choices:
            raise self.fail(name, f"one of {', '.join(choices)}")
        return str(value)

    def integer(self, name: str, low: int, high: int, *, default: int | None = None) -> int:
        if default is not None and not self.has(name):
            return default
        value = self._value(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.fail(name, f"a whole number from {low} to {high}")
        return value

    def number(self, name: str, *, default: float | None = None) -> float:
        if default is not None and not self.has(name):
            return default
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self.fail(name, "a number")
        try:
            number = read_number(value) if isinstance(value, str) else float(value)
        except (ValueError, OverflowError):
            raise self.fail(name, "a number") from None
        if not math.isfinite(number):
            raise self.fail(name, "a finite number")
        return number

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        if default is not None and not self.has(name):
            return default
        value = self._value(name)
        if not isinstance(value, bool):
            raise self.fail(name, "true or false")
        return value

    def items(self, name: str) -> list[Any]:
        """The list in field `name`."""
        value = self._value(name)
        if not isinstance(value, list):
            raise self.fail(name, "a list")
        return value

    def numbers(self, name: str) -> list[float]:
        """The list of finite numbers in field `name`."""
        values = self.items(name)
        if not all(_is_finite(one) for one in values):
            raise self.fail(name, "a list of numbers")
        return values

    def mapping(self, name: str) -> dict[str, Any]:
        """The table in field `name` as it is, for others to read."""
        value = self._value(name)
        if not isinstance(value, Mapping):
            raise self.fail(name, "a table of names and values")
        return {str(key): item for key, item in value.items()}

    def table(self, name: str) -> "DocumentReader":
        """The table in field `name`; an empty one if it is absent."""
        value = self._document[name] if self.has(name) else {}
        return DocumentReader(value, f'{self._place}, "{name}"', self._error)

    def finish(self) -> None:
        """Refuse fields that nobody asked for: a typing error must not pass for a default."""
        unknown = sorted(set(self._document) - self._seen)
        if unknown:
            known = ", ".join(sorted(self._seen))
            raise self._error(f'{self._place}: "{unknown[0]}" is not known; known are {known}.')


def _is_finite(value: object) -> bool:
    """Whether a value is a number that a float can hold; true and false are none."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write integers of thousands of digits, in lists too.
        return "a number of thousands of digits" if isinstance(value, int) else f"a {type(value).__name__} with one"
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deep"
    return text if len(text) <= 40 else text[:37] + "..."


def decimal_text(value: float) -> str:
    """A float as hashed documents hold it: the shortest text that reads back as the same number."""
    return repr(float(value))
