"""Who knows of people on levels: `levels` knows none. An app that does names a function when it starts, as with topics.

Apart from `people`, so that Django starts without what that one needs.
"""

_source: list[str] = []


def people_source_register(function: str) -> None:
    """Let the function of that dotted name, a `levels.people.PeopleSource`, say what is known of people."""
    _source[:] = [function]


def people_source() -> str | None:
    """The dotted name that was registered."""
    return _source[0] if _source else None
