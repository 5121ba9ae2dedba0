"""The clock beside a round that has a limit: it rings when the person is to be warned, and when the time is up."""

import asyncio
import time
from collections.abc import Callable

LATER = 0.02
"""Seconds by which it rings too late rather than too early: whether the time is up, the database's clock decides."""


class Alarm:
    """Belongs to one socket. Setting it again replaces what was set."""

    def __init__(self, warn: Callable[[], None], end: Callable[[], None]) -> None:
        self.warn = warn
        self.end = end
        self.handles: list[asyncio.TimerHandle] = []

    def set(self, *, deadline: float, warning: float) -> None:
        """Ring `warning` seconds before the deadline, where that is not past, and at the deadline (monotonic clock)."""
        self.stop()
        loop = asyncio.get_running_loop()
        left = max(0.0, deadline - time.monotonic())
        self.handles = [loop.call_later(left + LATER, self.end)]
        if left > warning:
            self.handles.append(loop.call_later(left - warning, self.warn))

    def stop(self) -> None:
        for handle in self.handles:
            handle.cancel()
        self.handles = []
