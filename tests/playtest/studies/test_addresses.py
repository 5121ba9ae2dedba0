"""Addresses that nobody was given."""

import pytest
from asgiref.testing import ApplicationCommunicator
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["%00", "a%00b", "%F0%9F%8E%B2", "a.b", "x" * 3000])
def test_address_that_holds_no_public_id_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/s/{name}/").status_code == 404


@pytest.mark.parametrize("path", ["ws/", "ws/nothing", "ws/play/a/b", "ws/play/\0", "ws/play/../staff"])
async def test_socket_that_does_not_exist_is_refused(path: str) -> None:
    from playtest.asgi import application

    scope = {
        "type": "websocket",
        "path": f"/{path}",
        "query_string": b"",
        "headers": [(b"origin", b"http://localhost")],
        "subprotocols": [],
    }
    socket = ApplicationCommunicator(application, scope)
    await socket.send_input({"type": "websocket.connect"})
    assert await socket.receive_output(timeout=10) == {"type": "websocket.close"}
    await socket.wait()
