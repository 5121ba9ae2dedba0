"""Threads that begin at the same moment, each with its own database connection."""

from collections.abc import Callable, Sequence
from threading import Barrier, Thread
from typing import TypeVar

from django.db import connections

Result = TypeVar("Result")


def race(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run all calls at once and give their results in order; an exception in one of them is raised here."""
    barrier = Barrier(len(calls))
    results: dict[int, Result] = {}
    errors: list[BaseException] = []

    def run(place: int, call: Callable[[], Result]) -> None:
        try:
            barrier.wait(timeout=30)
            results[place] = call()
        except Exception as error:  # noqa: BLE001 - handed to the test's own thread
            errors.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=item) for item in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads), "A racing call hangs."
    return [results[place] for place in range(len(calls))]
