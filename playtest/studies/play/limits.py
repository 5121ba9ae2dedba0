"""How often a client may say something. Time is the event loop's or any other monotonic clock, in seconds."""

from collections import deque
from dataclasses import dataclass, field

ACTS_A_SECOND, ACTS_AT_ONCE = 10.0, 20
EVENTS_A_SECOND, EVENTS_AT_ONCE = 2.0, 4
OTHERS_A_SECOND, OTHERS_AT_ONCE = 10.0, 40
REFUSED_LIMIT, REFUSED_SECONDS = 200, 10.0
MALFORMED_LIMIT, MALFORMED_SECONDS = 3, 60.0
TAKEOVER_LIMIT, TAKEOVER_SECONDS = 10, 60.0


@dataclass
class Bucket:
    """Tokens that fill up steadily: `rate` a second, at most `size` at once."""

    rate: float
    size: int
    tokens: float = field(init=False)
    at: float | None = None

    def __post_init__(self) -> None:
        self.tokens = float(self.size)

    def take(self, now: float) -> float:
        """Take one token: 0.0 if there was one, else the seconds until there will be."""
        if self.at is not None:
            self.tokens = min(float(self.size), self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens >= 1.0:
            self.tokens -= 1.0
            return 0.0
        return (1.0 - self.tokens) / self.rate


@dataclass
class Window:
    """Counts what happened in the last `seconds`."""

    limit: int
    seconds: float
    times: deque[float] = field(default_factory=deque)

    def add(self, now: float) -> bool:
        """Count one more; True once the limit is reached."""
        self.times.append(now)
        while self.times and self.times[0] <= now - self.seconds:
            self.times.popleft()
        return len(self.times) >= self.limit


@dataclass
class SocketLimits:
    """What one socket may do."""

    acts: Bucket = field(default_factory=lambda: Bucket(ACTS_A_SECOND, ACTS_AT_ONCE))
    events: Bucket = field(default_factory=lambda: Bucket(EVENTS_A_SECOND, EVENTS_AT_ONCE))
    others: Bucket = field(default_factory=lambda: Bucket(OTHERS_A_SECOND, OTHERS_AT_ONCE))
    refused: Window = field(default_factory=lambda: Window(REFUSED_LIMIT, REFUSED_SECONDS))
    malformed: Window = field(default_factory=lambda: Window(MALFORMED_LIMIT, MALFORMED_SECONDS))
