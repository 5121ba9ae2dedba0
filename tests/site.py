"""The real site for tests: `manage.py up` in a folder of its own on a free port, seen from outside."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx

ROOT = Path(__file__).resolve().parent.parent
READY_SECONDS = 300
STARTED_FIELD = 19
"""Where `/proc/PID/stat` has the time of the start, counted from the field behind the name."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def processes_of(var: Path) -> dict[int, str]:
    """Every process that was started for the site in `var`, whoever is its parent now: pid to command line.

    The oldest first, by the time of its start: numbers of processes begin again from the lowest when they are used up.
    """
    mark = f"TESSERA_VAR={var}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            variables = (folder / "environ").read_bytes().split(b"\0")
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
        state, started = fields[0], int(fields[STARTED_FIELD])
        if mark in variables and state != "Z":
            line = b" ".join(words).decode("utf-8", "replace").strip()
            found.append((started, int(folder.name), line))
    return {pid: line for _, pid, line in sorted(found)}


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def site_environment(var: Path) -> dict[str, str]:
    """The variables of a process that belongs to the site in `var` and to no other."""
    unset = {"DATABASE_URL", "REDIS_URL", "TESSERA_TEST_VAR", "DJANGO_SETTINGS_MODULE", "PYTEST_CURRENT_TEST"}
    inherited = {key: value for key, value in os.environ.items() if key not in unset}
    return {**inherited, "TESSERA_VAR": str(var), "PYTHONUNBUFFERED": "1"}


class RunningSite:
    """A started `up`. `output` grows while it runs."""

    def __init__(
        self, var: Path, port: int | None = None, *words: str, environment: dict[str, str] | None = None
    ) -> None:
        self.var, self.port = var, port or free_port()
        self.output: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(self.port), *words],
            cwd=ROOT,
            env={**site_environment(var), **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout:
            self.output.extend(self.process.stdout)

    @property
    def text(self) -> str:
        return "".join(self.output)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def wait_ready(self, seconds: float = READY_SECONDS) -> "RunningSite":
        wait_until(lambda: "Ctrl-C ends it." in self.text or self.process.poll() is not None, seconds)
        assert "Ctrl-C ends it." in self.text, f"The site did not start:\n{self.text}\n{self.logs()}"
        return self

    def logs(self) -> str:
        folder = self.var / "log"
        return "\n".join(f"--- {path.name}\n{path.read_text()[-3000:]}" for path in sorted(folder.glob("*.log")))

    def is_healthy(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False

    def login(self) -> tuple[str, str]:
        """The staff login that the first start printed."""
        match = re.search(r"Staff login +(\S+) / (\S+)", self.text)
        assert match, f"No login was printed:\n{self.text}"
        return match[1], match[2]

    def study_url(self) -> str:
        match = re.search(r"Demonstration study +(\S+)", self.text)
        assert match, f"No demonstration study was printed:\n{self.text}"
        return match[1]

    def pids(self, words: str) -> list[int]:
        """Processes of this site whose command line contains `words`, the oldest first."""
        return [pid for pid, line in processes_of(self.var).items() if words in line]

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end as Ctrl-C does; gives the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(30)
        self.reader.join(5)
        return status

    def destroy(self) -> None:
        """Whatever a test did, nothing of this site is left."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        for pid in processes_of(self.var):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.reader.join(5)


@contextmanager
def running_site(*words: str, environment: dict[str, str] | None = None) -> Iterator[RunningSite]:
    """A ready site that is gone afterwards, with its folder."""
    with tempfile.TemporaryDirectory(prefix="tessera-site-", ignore_cleanup_errors=True) as folder:
        site = RunningSite(Path(folder), None, *words, environment=environment)
        try:
            yield site.wait_ready()
            site.stop()
        finally:
            site.destroy()
