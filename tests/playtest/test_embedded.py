"""The parts of `up` that can be looked at alone; test_up.py looks at the whole."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playtest.embedded import broker, children
from playtest.embedded.children import CALM_AFTER, FIRST_PAUSE, LONGEST_PAUSE, Child
from playtest.embedded.logs import last_lines, open_log, shorten_log
from playtest.embedded.supervisor import Supervisor
from playtest.management.commands import up
from tests.site import wait_until

pytestmark = pytest.mark.embedded


def python(code: str, tmp_path: Path) -> Child:
    return Child("program", [sys.executable, "-c", code], dict(os.environ), tmp_path, tmp_path / "program.log")


@pytest.fixture
def started() -> Iterator[list[Child]]:
    """Children that end with the test."""
    started: list[Child] = []
    yield started
    for child in started:
        child.end(deadline=0.0)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_log_that_grew_too_long_is_set_aside_while_its_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    with open_log(path) as log:
        log.write(b"x" * 100)
        shorten_log(path, largest=50)
        log.write(b"after")
    assert path.read_bytes() == b"after"
    assert (tmp_path / "web.log.1").read_bytes() == b"x" * 100


def test_short_log_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    path.write_text("one\ntwo\nthree\n")
    shorten_log(path)
    assert last_lines(path, 2) == "two\nthree"
    assert last_lines(tmp_path / "missing.log") == ""


def test_pauses_between_restarts_grow_and_begin_anew_after_a_calm_time(tmp_path: Path, started: list[Child]) -> None:
    child = python("", tmp_path)
    started.append(child)
    pauses = []
    for _ in range(9):
        child.start()
        assert child.process is not None
        child.process.wait()
        assert child.has_ended()
        pauses.append(child.plan_restart())
    assert pauses[0] == FIRST_PAUSE
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE

    child.start()
    assert child.process is not None
    child.process.wait()
    child.started = time.monotonic() - CALM_AFTER
    assert child.plan_restart() == FIRST_PAUSE


def test_what_a_dead_child_left_in_its_group_is_ended(tmp_path: Path, started: list[Child]) -> None:
    child = python(
        "import subprocess, sys, time\n"
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(other.pid, flush=True); time.sleep(600)",
        tmp_path,
    )
    started.append(child)
    child.start()
    assert wait_until(lambda: last_lines(child.log).strip().isdecimal(), 20)
    other = int(last_lines(child.log))
    assert child.process is not None
    os.kill(child.process.pid, signal.SIGKILL)
    assert wait_until(child.has_ended, 5)
    assert wait_until(lambda: not is_alive(other), 5)


def test_child_that_ignores_the_wish_to_end_is_killed(tmp_path: Path, started: list[Child]) -> None:
    child = python(
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\ntime.sleep(600)",
        tmp_path,
    )
    started.append(child)
    child.start()
    assert wait_until(lambda: "deaf" in last_lines(child.log), 20)
    child.ask_to_end()
    began = time.monotonic()
    child.end(began + 0.5)
    assert 0.4 < time.monotonic() - began < 5
    assert child.process is not None
    assert child.process.returncode == -signal.SIGKILL


def test_child_dies_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    code = f"""
import os, sys, time
from pathlib import Path
from playtest.embedded.children import Child
folder = Path({str(tmp_path)!r})
command = [sys.executable, "-c", "import time; time.sleep(600)"]
child = Child("program", command, dict(os.environ), folder, folder / "child.log")
child.start()
print(child.process.pid, flush=True)
time.sleep(600)
"""
    root = Path(children.__file__).resolve().parents[2]
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        with parent.stdout:
            pid = int(parent.stdout.readline())
        assert is_alive(pid)
    finally:
        parent.kill()
        parent.wait()
    assert wait_until(lambda: not is_alive(pid), 5)


def test_socket_folder_is_private_and_its_path_short() -> None:
    folder = broker.make_socket_folder()
    try:
        assert folder.stat().st_mode & 0o077 == 0
        assert len(str(folder / "valkey.sock")) <= broker.LONGEST_SOCKET_PATH
    finally:
        broker.remove_socket_folder(f"unix://{folder}/valkey.sock")
    assert not folder.exists()


def test_only_a_folder_that_is_plainly_ours_is_removed(tmp_path: Path) -> None:
    other = tmp_path / "tessera-other"
    other.mkdir(mode=0o700)
    (other / "thesis.txt").touch()
    broker.remove_socket_folder(f"unix://{other}/valkey.sock")
    assert (other / "thesis.txt").exists()
    shared = tmp_path / "tessera-shared"
    shared.mkdir()
    shared.chmod(0o755)
    broker.remove_socket_folder(f"unix://{shared}/valkey.sock")
    assert shared.exists()


def test_broker_keeps_its_messages_over_a_kill(tmp_path: Path, started: list[Child]) -> None:
    import redis

    folder = broker.make_socket_folder()
    path = folder / "valkey.sock"
    url = f"unix://{path}"
    command = broker.server_command(broker.find_server(), path, tmp_path)
    server = Child("valkey", command, dict(os.environ), tmp_path, tmp_path / "valkey.log")
    started.append(server)
    try:
        server.start()
        assert broker.wait_until_ready(url, 20)
        client = redis.Redis.from_url(url)
        client.rpush("queue", "message")
        # Written through every second.
        time.sleep(1.5)
        assert server.process is not None
        server.process.kill()
        server.process.wait()
        server.start()
        assert broker.wait_until_ready(url, 20)
        assert client.lrange("queue", 0, -1) == [b"message"]
        client.close()
    finally:
        server.end(deadline=0.0)
        broker.remove_socket_folder(url)


def test_start_that_takes_long_is_explained_and_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(up, "PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(up, "answers", lambda *where: len(said) == 3)
    command = up.Command()
    command.address, command.port, command.log_folder = up.address("127.0.0.1"), 8000, tmp_path
    command.began = time.monotonic() - 40
    monkeypatch.setattr(command, "say", said.append)
    assert command.wait_until_ready(Supervisor(said.append))
    assert said[0].startswith("Not ready after 40 s, still waiting")
