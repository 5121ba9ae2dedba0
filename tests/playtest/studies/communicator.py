"""A WebSocket into an ASGI application without a server. The one of Channels needs Daphne to be imported."""

from collections.abc import Sequence
from typing import Any

from asgiref.testing import ApplicationCommunicator

SECONDS = 5


class SocketCommunicator(ApplicationCommunicator):
    def __init__(
        self,
        application: Any,
        path: str,
        *,
        headers: Sequence[tuple[bytes, bytes]],
        subprotocols: Sequence[str],
        query: bytes = b"",
    ) -> None:
        self.path = path
        scope = {
            "type": "websocket",
            "scheme": "ws",
            "http_version": "1.1",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query,
            "headers": list(headers),
            "subprotocols": list(subprotocols),
        }
        super().__init__(application, scope)

    async def connect(self) -> bool:
        """Shake hands. False: refused before it was accepted, which a browser sees as 403."""
        await self.send_input({"type": "websocket.connect"})
        answer = await self.receive_output(SECONDS)
        return answer["type"] == "websocket.accept"

    async def send_text(self, text: str) -> None:
        await self.send_input({"type": "websocket.receive", "text": text})

    async def send_bytes(self, data: bytes) -> None:
        await self.send_input({"type": "websocket.receive", "bytes": data})

    async def receive_text(self) -> str:
        answer = await self.receive_output(SECONDS)
        assert answer["type"] == "websocket.send", answer
        return answer["text"]

    async def disconnect(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1001})
        await self.wait(SECONDS)
