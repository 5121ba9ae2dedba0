"""The play socket: reads wishes, lets the round judge and the writer store them, and answers after the commit."""

import logging
import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

from engine.round import Outcome
from playtest.studies.choices import EndReason, EventKind, MoveFlag, RoundState, Status, StudyState
from playtest.studies.play import replies
from playtest.studies.play.messages import Act, Events, Hello, Message, MoreTimeWanted, Ping, StateWanted
from playtest.studies.play.rounds import Again, DamagedRoundError, Illegal, Legal, LiveRound, Refused, Underway
from playtest.studies.play.sockets import ENDED, STORAGE, TOO_MANY
from playtest.studies.play.timing import TimedSocket
from playtest.studies.play.writer import ConflictError, StorageError
from playtest.studies.selectors.rounds import StoredRound, Watched, round_load
from playtest.studies.services.claims import Claimed, ClaimJob, ClaimOutcome
from playtest.studies.services.completion import participant_complete_if_due, participant_due
from playtest.studies.services.moves import AttemptJob, EventJob, EventRow, MoveJob, Written

logger = logging.getLogger(__name__)

CLOCKS_MS = 2_000
"""How much longer the server may have waited than the client accounts for, before a move is flagged."""


class PlayConsumer(TimedSocket):
    """One socket of one participant. Nothing of the game is decided here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.greeted = False
        self.acted = False
        self.answered_at = 0.0
        self.rtt: int | None = None
        self.dropped = 0
        """Events that came too fast or that this server does not know."""

    async def on_message(self, message: Message) -> None:
        if isinstance(message, Act):
            await self.on_act(message)
            return
        bucket = self.limits.events if isinstance(message, Events) else self.limits.others
        if bucket.take(time.monotonic()):
            self.dropped += len(message.items) + message.unknown if isinstance(message, Events) else 0
            if self.limits.refused.add(time.monotonic()):
                await self.end_with("too_many", TOO_MANY)
            return
        if isinstance(message, Hello):
            await self.on_hello(message)
        elif isinstance(message, Ping):
            self.rtt = message.rtt
            await self.tell(replies.pong(message.n))
        elif self.live is None:
            await self.on_malformed("Say hello first.")
        elif isinstance(message, Events):
            await self.on_events(message, self.live)
        elif isinstance(message, StateWanted):
            await self.tell_state()
        elif isinstance(message, MoreTimeWanted):
            await self.on_more_time(self.live)

    # --- Taking a round --------------------------------------------------------------------------------------------

    async def on_hello(self, hello: Hello) -> None:
        if self.greeted:
            await self.on_malformed("Hello is said once.")
            return
        self.greeted = True
        if not self.hub.may_take(self.participant_id, self):
            await self.end_with("too_many", TOO_MANY)
            return
        job = ClaimJob(
            participant_id=self.participant_id,
            new=hello.claim == "new",
            tab=hello.tab,
            at=datetime.now(UTC),
            epoch=hello.epoch,
            label=hello.round,
            motion=hello.motion,
            build=hello.build,
        )
        try:
            claimed = await self.hub.writer.submit(job)
            assert isinstance(claimed, Claimed)
            await self.sit_down(claimed)
        except (StorageError, ConflictError):
            await self.end_with("storage", STORAGE)
        except DamagedRoundError:
            await self.end_damaged()

    async def sit_down(self, claimed: Claimed) -> None:
        """Show the round that was claimed; `taken` follows at once where it belongs to another socket."""
        stored = await self.load(claimed.round_id) if claimed.outcome != ClaimOutcome.ENDED else None
        if stored is None:
            await self.end_with("ended", ENDED)
            return
        self.live = LiveRound(stored, claimed.epoch)
        # A finished round takes no moves from anybody; whoever played it sees it again as theirs.
        self.owner = claimed.outcome in {ClaimOutcome.OWNED, ClaimOutcome.FINISHED}
        if claimed.outcome == ClaimOutcome.OWNED:
            loser = self.hub.seat(stored.pk, claimed.epoch, self)
            if loser is self:
                self.owner = False
            elif loser is not None:
                await loser.lose_seat()
                await self.note(EventKind.TAKEOVER)
        await self.tell_state()
        if not self.owner:
            await self.lose_seat()
        elif self.live.over:
            await self.finish()
        else:
            self.set_alarm()

    async def load(self, round_id: int) -> StoredRound | None:
        return await self.hub.read(partial(round_load, round_id=round_id))

    async def reload(self) -> bool:
        """Throw the round in memory away and read it anew. False: it is gone, and so is the socket."""
        assert self.live is not None
        stored = await self.load(self.live.stored.pk)
        if stored is None or stored.state == RoundState.VOID:
            await self.end_with("ended", ENDED)
            return False
        self.live = LiveRound(stored, self.live.epoch)
        self.set_alarm()
        return True

    # --- Playing ---------------------------------------------------------------------------------------------------

    async def on_act(self, act: Act) -> None:
        received = time.monotonic()
        wait = self.limits.acts.take(received)
        if wait:
            if self.limits.refused.add(received):
                await self.end_with("too_many", TOO_MANY)
            else:
                await self.refuse(act, "slow_down", retry_ms=int(wait * 1000) + 1)
            return
        live = self.live
        if live is None:
            await self.on_malformed("Say hello first.")
            return
        if self.owner:
            await self.judge(act, live, received)
        else:
            await self.refuse(act, "not_owner")
            await self.lose_seat()

    async def judge(self, act: Act, live: LiveRound, received: float) -> None:
        if live.is_late(act, received):
            await self.refuse(act, "over")
            await self.time_out()
            return
        verdict = live.judge(act)
        if isinstance(verdict, Underway):
            return
        if isinstance(verdict, Again):
            if verdict.outcome is None:
                await self.refuse(act, "illegal")
            else:
                await self.tell_ack(act, verdict, live, dup=True)
        elif isinstance(verdict, Refused):
            await self.refuse(act, verdict.reason)
            if verdict.state:
                await self.tell_state()
            if verdict.end:
                await self.tell(replies.end(live))
        elif isinstance(verdict, Illegal):
            self.hub.spawn(self.store(act, live, attempt_job(act, live)), name="store-attempt")
        elif isinstance(verdict, Legal):
            server_ms = int((received - self.answered_at) * 1000) if self.acted else None
            job = move_job(act, live, verdict, server_ms=server_ms, rtt=self.rtt)
            self.hub.spawn(self.store(act, live, job), name="store-move")
        self.acted = True

    async def store(self, act: Act, live: LiveRound, job: MoveJob | AttemptJob) -> None:
        """Wait for the commit, then answer. The socket reads on meanwhile."""
        try:
            result = await self.hub.writer.submit(job)
        except ConflictError:
            result = Written.STALE_SEQ
        except StorageError:
            self.live = None
            await self.end_with("storage", STORAGE)
            return
        if result == Written.STORED:
            wish = live.wish
            assert wish is not None
            live.settle()
            if wish.outcome is None:
                await self.refuse(act, "illegal")
            else:
                await self.tell_ack(act, Again(wish.outcome, live.shown.choices), live, dup=False)
            if live.is_up:
                await self.time_out()
        elif result == Written.NOT_OWNER:
            self.owner = False
            await self.refuse(act, "not_owner")
            await self.lose_seat()
        elif result == Written.ENDED:
            await self.end_with("ended", ENDED)
        else:
            await self.start_over(act, "over" if result == Written.OVER else "stale_seq")

    async def start_over(self, act: Act, reason: str) -> None:
        """Another process was faster: what is on disk counts."""
        await self.refuse(act, reason)
        try:
            if not await self.reload():
                return
        except StorageError:
            await self.end_with("storage", STORAGE)
            return
        except DamagedRoundError:
            await self.end_damaged()
            return
        await self.tell_state()
        if self.live is not None and self.live.over:
            await self.finish()

    async def finish(self) -> None:
        """The round is over: complete the participant if that was all, then say where it goes on."""
        live = self.live
        assert live is not None
        self.alarm.stop()
        self.hub.stand_up(live.stored.pk, self)
        try:
            # Most rounds are not the last one: to find that out, no move of others has to wait for the writer.
            if await self.hub.read(partial(participant_due, participant_id=self.participant_id)):
                await self.hub.writer.call(partial(participant_complete_if_due, participant_id=self.participant_id))
        except StorageError:
            # Nothing is lost: the end page offers to finish, and checks again.
            await self.end_with("storage", STORAGE)
            return
        await self.tell(replies.end(live))

    async def end_damaged(self) -> None:
        """What is stored contradicts itself: nobody plays on top of that, and somebody has to look."""
        logger.exception("Participant %s cannot go on", self.participant_id)
        await self.end_with("ended", ENDED)

    # --- Events ----------------------------------------------------------------------------------------------------

    async def on_events(self, events: Events, live: LiveRound) -> None:
        now = datetime.now(UTC)
        rows = tuple(EventRow(item.kind, now, item.at, item.data) for item in events.items)
        self.dropped += events.unknown
        if rows:
            await self.keep(live, rows)

    async def note(self, kind: EventKind) -> None:
        assert self.live is not None
        await self.keep(self.live, (EventRow(kind, datetime.now(UTC)),))

    async def keep(self, live: LiveRound, rows: tuple[EventRow, ...]) -> None:
        """Store events beside play: nobody waits for them, and one that is lost decides nothing."""
        self.hub.spawn(self.keep_quietly(EventJob(self.participant_id, live.stored.pk, live.epoch, rows)))

    async def keep_quietly(self, job: EventJob) -> None:
        try:
            await self.hub.writer.submit(job)
        except (StorageError, ConflictError):
            return

    async def disconnect(self, code: int) -> None:
        if self.dropped and self.live is not None:
            data = f'{{"events":{self.dropped}}}'
            await self.keep(self.live, (EventRow(EventKind.DROPPED, datetime.now(UTC), data=data),))
        await super().disconnect(code)

    # --- What others did -------------------------------------------------------------------------------------------

    async def notice(self, seen: Watched | None) -> None:
        """What a look at the database says of this socket's round."""
        live = self.live
        if self.closed or live is None:
            return
        if (
            seen is None
            or seen.state == RoundState.VOID
            or seen.status not in {Status.ACTIVE, Status.COMPLETED}
            or seen.study_state == StudyState.CLOSED
        ):
            await self.end_with("ended", ENDED)
        elif seen.epoch > live.epoch:
            self.owner = False
            await self.lose_seat()
        else:
            await self.notice_time(live, seen)

    # --- Answers ---------------------------------------------------------------------------------------------------

    async def refuse(self, act: Act, reason: str, *, retry_ms: int | None = None) -> None:
        await self.tell(replies.reject(self.live, act, reason, language=self.language, retry_ms=retry_ms))

    async def tell_state(self) -> None:
        assert self.live is not None
        await self.tell(replies.state(self.live, owner=self.owner))
        self.answered_at = time.monotonic()
        await self.tell_hint()

    async def tell_hint(self) -> None:
        """After each board that may be played on, in a study with hints."""
        cells = self.live.hint() if self.live is not None and self.owner and self.live.wish is None else None
        if self.live is not None and cells is not None:
            await self.tell(replies.hint(self.live, cells))

    async def tell_ack(self, act: Act, again: Again, live: LiveRound, *, dup: bool) -> None:
        assert again.outcome is not None
        assert again.choices is not None
        await self.tell(replies.ack(live, act, again.outcome, choices=again.choices, dup=dup))
        self.answered_at = time.monotonic()
        if again.outcome.over:
            await self.finish()
        else:
            await self.tell_hint()


def attempt_job(act: Act, live: LiveRound) -> AttemptJob:
    return AttemptJob(
        round_id=live.stored.pk,
        epoch=live.epoch,
        seq=act.seq,
        client_id=act.id,
        action=act.action,
        received_at=datetime.now(UTC),
        think_ms=act.think,
        input=act.input,
    )


def move_job(act: Act, live: LiveRound, legal: Legal, *, server_ms: int | None, rtt: int | None) -> MoveJob:
    outcome = legal.outcome
    played = outcome if isinstance(outcome, Outcome) else None
    flags = MoveFlag.CLIENT_TIME if act.odd_time else 0
    if server_ms is not None and server_ms > (act.think or 0) + (act.anim or 0) + (rtt or 0) + CLOCKS_MS:
        flags |= MoveFlag.CLOCKS
    return MoveJob(
        round_id=live.stored.pk,
        study_id=live.stored.study_id,
        epoch=live.epoch,
        seq=act.seq,
        client_id=act.id,
        action=outcome.code,
        reversed=played.reversed if played else False,
        gained=outcome.gained,
        score=outcome.score,
        moves_used=live.game.moves_used,
        steps=played.steps if played else 0,
        cleared=played.cleared if played else 0,
        legal_before=outcome.legal_before,
        reshuffles=1 if played and played.reshuffled is not None else 0,
        check_hex=live.game.check(),
        over=EndReason[outcome.over.upper()] if outcome.over else None,
        received_at=datetime.now(UTC),
        think_ms=act.think,
        anim_ms=act.anim,
        hidden_ms=act.hidden,
        server_ms=server_ms,
        rtt_ms=rtt,
        flags=int(flags),
        input=act.input,
    )
