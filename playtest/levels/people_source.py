"""Who knows of people on levels: `levels` knows none. An app that does names functions when it starts, as with topics.

Apart from `people`, so that Django starts without what that one needs.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class PeopleNames:
    """Dotted names of functions: `predicted` is a `levels.people.PredictionSource`, `observed` an `ObservedSource`."""

    predicted: str
    observed: str


_source: list[PeopleNames] = []


def people_source_register(*, predicted: str, observed: str) -> None:
    """Let the functions of these dotted names say what people may score on a level, and who has played it."""
    _source[:] = [PeopleNames(predicted, observed)]


def people_source() -> PeopleNames | None:
    """The names that were registered."""
    return _source[0] if _source else None
