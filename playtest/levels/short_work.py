"""What a worker does beside a search for par that holds it for minutes: pieces of other work, of seconds each.

`levels` knows its own playtests. An app that has such work in the same queue names a function when it starts, as with
topics: named, not imported, so that Django starts without what that one needs.
"""

from typing import Protocol

from django.utils.module_loading import import_string


class ShortWork(Protocol):
    """Does one piece of work that waits, if any, in some seconds; what it gives is false if there was none."""

    def __call__(self, *, worker: str) -> object: ...


_names: list[str] = []


def short_work_register(function: str) -> None:
    """Let workers call the function of that dotted name, a `ShortWork`, while they search."""
    if function not in _names:
        _names.append(function)


def short_work() -> list[ShortWork]:
    """The functions that were registered."""
    return [import_string(name) for name in _names]
