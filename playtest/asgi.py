"""The site as one ASGI application: pages over HTTP, play and progress over WebSocket."""

import os
from importlib.util import find_spec
from typing import Any, cast

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application
from django.urls import path

from playtest.embedded.orphans import follow_parent
from playtest.health import with_health

# The server forks this process; it must not outlive the site.
follow_parent()

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")
pages = get_asgi_application()

sockets: list[Any] = []
if find_spec("playtest.studies.consumers"):
    from playtest.studies.consumers import PlayConsumer

    sockets.append(path("ws/play/<str:study>", PlayConsumer.as_asgi()))
if find_spec("playtest.evolution.consumers"):
    from playtest.evolution.consumers import StaffConsumer

    # Only staff have a session; a player's socket is not made to look for one.
    sockets.append(path("ws/staff", cast(Any, AuthMiddlewareStack(StaffConsumer.as_asgi()))))

application = ProtocolTypeRouter(
    {"http": cast(Any, with_health(cast(Any, pages))), "websocket": AllowedHostsOriginValidator(URLRouter(sockets))},
)
