"""`/healthz`: whether this process can serve. Answered before any other rule, so that a probe may use any host name."""

import json
from concurrent.futures import ThreadPoolExecutor

from channels.db import DatabaseSyncToAsync
from django.db import DatabaseError, close_old_connections, connection

from playtest.asgi_types import Application, Receive, Scope, Send

PATH = "/healthz"

_probe = ThreadPoolExecutor(1, thread_name_prefix="health")
"""A thread of its own: the one that requests share may be waiting for a lock, and a process that waits is well."""


def database_answers() -> bool:
    close_old_connections()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def with_health(pages: Application) -> Application:
    """The application with the health page in front of it: 200 while the database answers, else 503."""

    ask = DatabaseSyncToAsync(database_answers, thread_sensitive=False, executor=_probe)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != PATH:
            await pages(scope, receive, send)
            return
        is_well = await ask()
        body = json.dumps({"status": "ok" if is_well else "no database"}).encode()
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200 if is_well else 503, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return application
