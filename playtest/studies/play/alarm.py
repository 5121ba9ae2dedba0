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

    def set(self, *, deadline: float, warn_at: float | None = None) -> None:
        """Ring at the deadline, and before it at `warn_at`, where that is not past. Both by the monotonic clock."""
        self.stop()
        loop, now = asyncio.get_running_loop(), time.monotonic()
        self.handles = [loop.call_later(max(0.0, deadline - now) + LATER, self.end)]
        if warn_at is not None and now < warn_at < deadline:
            self.handles.append(loop.call_later(warn_at - now, self.warn))

    def stop(self) -> None:
        for handle in self.handles:
            handle.cancel()
        self.handles = []
