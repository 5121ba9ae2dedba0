"""The time of a round at a socket: the warning, more of it, and the end that comes whether or not anybody plays.

The time of the study as a whole ends play here too; of its own warning the page takes care.
"""

import asyncio
import time
from functools import partial
from typing import Any

from playtest.studies.choices import RoundState
from playtest.studies.play import replies
from playtest.studies.play.alarm import Alarm
from playtest.studies.play.rounds import DamagedRoundError, LiveRound
from playtest.studies.play.sockets import ENDED, STORAGE, ParticipantSocket
from playtest.studies.play.writer import StorageError
from playtest.studies.selectors.rounds import Watched
from playtest.studies.services.clocks import round_extend, round_time_out
from playtest.studies.services.total_time import total_time_out

CLOCK_SLACK = 1.5
"""Seconds by which the end of a round may differ from what this socket knows before it is told again."""
AGAIN_SECONDS = 1.0
"""After how long a round is ended again, if the database did not take it."""


class TimedSocket(ParticipantSocket):
    """Keeps the time of the round that is played; what it asks of the class that inherits stands first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.live: LiveRound | None = None
        self.owner = False
        self.alarm = Alarm(
            lambda: self.hub.spawn(self.warn_of_time(), name="warn-of-time"),
            lambda: self.hub.spawn(self.time_out(), name="time-out"),
        )
        self.timing_out = asyncio.Lock()

    async def reload(self) -> bool:
        raise NotImplementedError

    async def tell_state(self) -> None:
        raise NotImplementedError

    async def finish(self) -> None:
        raise NotImplementedError

    async def end_damaged(self) -> None:
        raise NotImplementedError

    def set_alarm(self) -> None:
        live = self.live
        if live is None or live.ends is None or live.over or not self.owner:
            self.alarm.stop()
            return
        limit = live.stored.limit
        warn_at = live.deadline - limit.warn if limit is not None and live.deadline is not None else None
        self.alarm.set(deadline=live.ends, warn_at=warn_at)

    async def warn_of_time(self) -> None:
        if self.live is not None and self.owner and not self.live.over:
            await self.tell(replies.limit(self.live))

    async def on_more_time(self, live: LiveRound) -> None:
        """Give what the study allows, and say how much time there is. Without a limit there is nothing to say."""
        if not self.owner:
            await self.lose_seat()
            return
        limit = live.stored.limit
        if limit is None or live.over:
            return
        extend = partial(round_extend, round_id=live.stored.pk, epoch=live.epoch, limit=limit)
        try:
            if live.more_left and await self.hub.writer.call(extend):
                assert live.deadline is not None
                live.deadline += limit.more_seconds
                live.extensions += 1
                self.set_alarm()
                await self.tell(replies.limit(live, was_extended=True))
                return
        except StorageError:
            await self.end_with("storage", STORAGE)
            return
        await self.tell(replies.limit(live))

    async def time_out(self) -> None:
        """End the round if its time is up, whether or not anybody does anything, and show it."""
        async with self.timing_out:
            live = self.live
            # A move on its way came in time: the round ends when its answer is there.
            if self.closed or live is None or not self.owner or live.over or live.wish is not None:
                return
            try:
                if live.study_is_up and await self.hub.writer.call(
                    partial(total_time_out, participant_id=self.participant_id)
                ):
                    await self.end_with("ended", ENDED)
                    return
                await self.hub.writer.call(partial(round_time_out, round_id=live.stored.pk))
                if not await self.reload():
                    return
            except StorageError:
                self.alarm.set(deadline=time.monotonic() + AGAIN_SECONDS)
                return
            except DamagedRoundError:
                await self.end_damaged()
                return
            shown = self.live
            if shown is not None and shown.over:
                await self.tell_state()
                await self.finish()

    async def notice_time(self, live: LiveRound, seen: Watched) -> None:
        """What a look at the database says of the round's time."""
        if changed(live.study_deadline, seen.study_deadline) and not live.over and self.owner:
            # More time was given, which the page learns when its own is over.
            live.study_deadline = seen.study_deadline
            self.set_alarm()
        if seen.state == RoundState.DONE and not live.over and live.wish is None:
            # Another process ended it, since its time was up.
            await self.time_out()
        elif changed(live.deadline, seen.deadline) and self.owner:
            live.deadline = seen.deadline
            self.set_alarm()
            await self.tell(replies.limit(live))

    def let_go(self) -> None:
        self.alarm.stop()
        super().let_go()


def changed(known: float | None, seen: float | None) -> bool:
    """Whether an end is another one than was known."""
    return known is not None and seen is not None and abs(seen - known) > CLOCK_SLACK
