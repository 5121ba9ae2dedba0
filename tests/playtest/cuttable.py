"""A road to a server that a test can cut: connections break, new ones are refused, until it is mended."""

import socket
from contextlib import suppress
from threading import Lock, Thread


class CuttableRoad:
    """Forwards a port of this machine to another one. `cut` and `mend` may be called any number of times."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._lock = Lock()
        self._open: list[socket.socket] = []
        self._door: socket.socket | None = None
        self.port = 0
        self.mend()

    def mend(self) -> None:
        """Let connections through again, on the same port."""
        door = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        self.port = int(door.getsockname()[1])
        self._door = door
        Thread(target=self._welcome, args=[door], daemon=True).start()

    def cut(self) -> None:
        """Break every connection and refuse new ones."""
        door, self._door = self._door, None
        if door is not None:
            # A thread that waits in accept keeps the port open until it wakes.
            with suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
        with self._lock:
            ends, self._open = self._open, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _welcome(self, door: socket.socket) -> None:
        while True:
            try:
                near, _ = door.accept()
                far = socket.create_connection(self._to)
            except OSError:
                return
            with self._lock:
                self._open += [near, far]
            for source, target in ((near, far), (far, near)):
                Thread(target=self._carry, args=[source, target], daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
