"""Pages take turns. A move of a player is answered by the same process: it must not wait behind hundreds of pages.

Each page is computed by a thread of its own, and all threads share the interpreter with the one that answers moves.
When everybody comes to the end of a round at once, the pages of all of them together would keep that one from running.
Few at a time are ready just as soon, for they compute by turns anyway. Staff have turns of their own: their pages may
take seconds, and no participant is to wait for them.
"""

import asyncio
from typing import Any

from playtest.asgi_types import Application, Receive, Scope, Send

STAFF = "/staff/"
AT_ONCE = 2
STAFF_AT_ONCE = 6
"""More than of people: some wait for a process that draws or exports, and they are never many."""


def with_turns(pages: Application, *, at_once: int = AT_ONCE, staff_at_once: int = STAFF_AT_ONCE) -> Application:
    """The application with at most so many requests of a kind between the end of the body and the start of the answer.

    So nobody holds a turn by sending slowly, or by reading a long answer slowly.
    """
    turns_of_people, turns_of_staff = asyncio.Semaphore(at_once), asyncio.Semaphore(staff_at_once)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        turns = turns_of_staff if scope["path"].startswith(STAFF) else turns_of_people
        has_turn = False

        async def receive_and_wait() -> Any:
            nonlocal has_turn
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                await turns.acquire()
                has_turn = True
            return message

        async def send_and_leave(message: Any) -> None:
            leave()
            await send(message)

        def leave() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                turns.release()

        try:
            await pages(scope, receive_and_wait, send_and_leave)
        finally:
            leave()

    return application
