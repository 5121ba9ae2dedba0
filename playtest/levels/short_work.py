"""What a worker does beside a search for par that holds it for minutes: pieces of other work, of seconds each.

`levels` knows its own playtests. An app that has such work names a function when it starts, as with
topics: named, not imported, so that Django starts without what that one needs.
"""

from typing import Protocol

from django.utils.module_loading import import_string


class ShortWork(Protocol):
    """Does one piece of work that waits, if any, in some seconds; what it gives is false if there was none."""

    def __call__(self, *, worker: str) -> object: ...


_names: dict[str, bool] = {}
"""Functions, and whether they are called beside any restart or beside long ones only."""


def short_work_register(function: str, *, only_beside_long: bool = False) -> None:
    """Let workers call the function of that dotted name, a `ShortWork`, while they search.

    only_beside_long: what may wait until a search of seconds or minutes is over, and would take half of its time
    """
    _names[function] = only_beside_long


def short_work(*, beside_long: bool) -> list[ShortWork]:
    """The functions that were registered, beside a long restart or another one."""
    return [import_string(name) for name, only_beside_long in _names.items() if beside_long or not only_beside_long]
