"""The real web server on the database of the test: a process that can be killed."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
from django.conf import settings
from django.db import connection

from tests.site import ROOT, free_port

READY_SECONDS = 120


class WebServer:
    """Granian with the site's ASGI application, as `manage.py up` starts it."""

    def __init__(self, folder: Path, port: int | None = None, *, most_connections: int | None = None) -> None:
        self.port = port or free_port()
        self.name = f"web-{self.port}"
        """What PostgreSQL calls its connections."""
        self.pool = {} if most_connections is None else {"TESSERA_TEST_POOL": str(most_connections)}
        self.log = folder / f"web-{self.port}.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "WebServer":
        words = ["--interface", "asginl", "--host", "127.0.0.1", "--port", str(self.port), "--no-access-log"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "granian", *words, "--log-level", "warning", "playtest.asgi:application"],
                cwd=ROOT,
                env={
                    **os.environ,
                    **database_variables(),
                    **self.pool,
                    "PGAPPNAME": self.name,
                    "DJANGO_SETTINGS_MODULE": "tests.settings",
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end:
            assert self.process.poll() is None, self.log.read_text()
            try:
                if httpx.get(f"{self.url}/healthz", timeout=5).status_code == 200:
                    return self
            except httpx.HTTPError:
                time.sleep(0.1)
        raise AssertionError(f"The server does not answer: {self.log.read_text()}")

    def pids(self) -> list[int]:
        """The processes of the server, without those that are over."""
        assert self.process is not None
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, _, group = path.read_text().rpartition(")")[2].split()[:3]
                if int(group) == self.process.pid and state != "Z":
                    found.append(int(path.parent.name))
        return found

    def kill(self) -> None:
        """All of it at once, as a power cut would."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)
            self.process = None


def database_variables() -> dict[str, str]:
    """How another process finds the database that this test uses."""
    name = str(connection.settings_dict["NAME"])
    if settings.USES_SQLITE:
        return {"DATABASE_URL": f"sqlite:///{name}"}
    address = os.environ["DATABASE_URL"].rpartition("/")[0]
    return {"DATABASE_URL": f"{address}/{name}"}
