"""The site as one ASGI application: pages over HTTP, play and progress over WebSocket."""

import gc
import os
from typing import Any, cast

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from channels.sessions import SessionMiddlewareStack
from django.core.asgi import get_asgi_application
from django.urls import get_resolver, path, re_path

import engine
from playtest.embedded.orphans import follow_parent
from playtest.health import with_health
from playtest.turns import with_turns

# The server forks this process; it must not outlive the site.
follow_parent()

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")
pages = get_asgi_application()

# Consumers need the models, so the application must be set up before they are imported.
from playtest.evolution.consumers import StaffConsumer
from playtest.studies.consumers import PlayConsumer


async def refuse_socket(scope: Any, receive: Any, send: Any) -> None:
    """There is no such socket: the handshake is refused."""
    await receive()
    await send({"type": "websocket.close"})


sockets: list[Any] = [
    path("ws/play/<slug:study>", cast(Any, PlayConsumer.as_asgi())),
    # Only staff have a session; a player's socket is not made to look for one.
    path("ws/staff", cast(Any, SessionMiddlewareStack(cast(Any, StaffConsumer.as_asgi())))),
    # Without it, whoever asks for another address fills the log with tracebacks.
    re_path("", cast(Any, refuse_socket)),
]

# Before the first connection is accepted, never in somebody's first move.
engine.warm_up()
get_resolver().url_patterns  # noqa: B018
# What is there now stays. A full collection that looked through all of it would stop every player for 0.3 s.
gc.collect()
gc.freeze()

application = ProtocolTypeRouter(
    {
        "http": cast(Any, with_health(with_turns(cast(Any, pages)))),
        "websocket": AllowedHostsOriginValidator(URLRouter(sockets)),
    },
)
