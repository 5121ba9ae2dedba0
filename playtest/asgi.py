"""The site as one ASGI application: pages over HTTP, play and progress over WebSocket."""

import os
from importlib.util import find_spec

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application
from django.urls import path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")
pages = get_asgi_application()

sockets = []
if find_spec("playtest.studies.consumers"):
    from playtest.studies.consumers import PlayConsumer

    sockets.append(path("ws/play/<str:study>", PlayConsumer.as_asgi()))
if find_spec("playtest.evolution.consumers"):
    from playtest.evolution.consumers import StaffConsumer

    sockets.append(path("ws/staff", AuthMiddlewareStack(StaffConsumer.as_asgi())))

application = ProtocolTypeRouter(
    {"http": pages, "websocket": AllowedHostsOriginValidator(URLRouter(sockets))},
)
