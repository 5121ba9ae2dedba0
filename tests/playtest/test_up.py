"""`manage.py up`: it starts everything, keeps it running, leaves nothing behind and finds its data again."""

import os
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.site import RunningSite, processes_of, running_site, wait_until

pytestmark = pytest.mark.embedded

PROGRAMS = {
    "valkey": "valkey-server",
    "web": "granian",
    "worker": "celery -A playtest.celery",
    "reconcile": "manage.py reconcile",
}


@pytest.fixture(scope="module")
def site() -> Iterator[RunningSite]:
    """One site for the tests that only disturb its children."""
    with running_site("--workers", "1") as site:
        yield site


def users_of(var: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(var / "db.sqlite3")) as database:
        return database.execute("SELECT username, password FROM accounts_user").fetchall()


def test_first_start_prints_the_addresses_and_a_staff_login(site: RunningSite) -> None:
    username, password = site.login()
    assert f"{site.url}/staff/" in site.text
    assert len(password) >= 16
    (stored_name, stored_password), *others = users_of(site.var)
    assert stored_name == username
    assert not others
    assert password not in stored_password


def test_first_start_says_what_it_does_while_it_takes_long(site: RunningSite) -> None:
    before, _, _ = site.text.partition("Ready after")
    assert "Preparing the database" in before
    assert "first start compiles the games" in before


def test_login_is_shown_before_a_start_can_fail_or_be_interrupted(site: RunningSite) -> None:
    before, _, _ = site.text.partition("Starting the web server")
    assert "Staff login" in before


def test_password_is_written_nowhere(site: RunningSite) -> None:
    _, password = site.login()
    for path in site.var.rglob("*"):
        if path.is_file() and path.suffix != ".nbi":
            assert password.encode() not in path.read_bytes(), path


def test_all_programs_run_in_groups_of_their_own(site: RunningSite) -> None:
    assert wait_until(lambda: all(site.pids(words) for words in PROGRAMS.values()), 60), site.logs()
    groups = {name: os.getpgid(site.pids(words)[0]) for name, words in PROGRAMS.items()}
    assert len({*groups.values(), os.getpgid(site.process.pid)}) == len(PROGRAMS) + 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_killed_program_is_started_again(site: RunningSite, name: str) -> None:
    words = PROGRAMS[name]
    assert wait_until(lambda: bool(site.pids(words)), 30)
    before = site.pids(words)
    os.kill(before[0], signal.SIGKILL)
    assert wait_until(lambda: bool(site.pids(words)) and not set(site.pids(words)) & set(before), 60), site.logs()
    assert wait_until(site.is_healthy, 60), site.logs()
    assert f"{name} was killed by signal 9" in site.text


def test_killed_server_process_is_started_again_by_its_parent(site: RunningSite) -> None:
    assert wait_until(lambda: len(site.pids(PROGRAMS["web"])) == 2, 30)
    main, child = site.pids(PROGRAMS["web"])
    os.kill(child, signal.SIGKILL)
    assert wait_until(lambda: len(site.pids(PROGRAMS["web"])) == 2 and child not in site.pids(PROGRAMS["web"]), 60)
    assert site.pids(PROGRAMS["web"])[0] == main
    assert wait_until(site.is_healthy, 60), site.logs()


def test_second_up_on_the_same_folder_is_refused(site: RunningSite) -> None:
    second = RunningSite(site.var)
    status = second.process.wait(60)
    second.reader.join(5)
    assert status == 2
    assert "already running" in second.text
    assert "Traceback" not in second.text
    assert site.is_healthy()


def test_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = RunningSite(tmp_path, taken.getsockname()[1])
        status = refused.process.wait(60)
        refused.reader.join(5)
    assert status == 2
    assert f"Port {refused.port} on 127.0.0.1 cannot be used" in refused.text
    assert "Traceback" not in refused.text
    assert not processes_of(tmp_path)


def test_end_leaves_nothing_and_a_second_start_finds_the_data(tmp_path: Path) -> None:
    site = RunningSite(tmp_path, None, "--workers", "1")
    try:
        site.wait_ready()
        users = users_of(tmp_path)
        began = time.monotonic()
        assert site.stop(signal.SIGINT) == 0
        assert time.monotonic() - began < 10
        assert not processes_of(tmp_path)
        assert not (tmp_path / "broker_url").exists()

        site = RunningSite(tmp_path, None, "--workers", "1")
        site.wait_ready()
        assert "Staff login" not in site.text
        assert users_of(tmp_path) == users
        assert site.stop(signal.SIGTERM) == 0
        assert not processes_of(tmp_path)
    finally:
        site.destroy()


def test_killed_up_takes_everything_with_it(tmp_path: Path) -> None:
    site = RunningSite(tmp_path, None, "--workers", "1")
    try:
        site.wait_ready()
        socket_folder = Path((tmp_path / "broker_url").read_text().removeprefix("unix://")).parent
        assert len(processes_of(tmp_path)) >= 6
        site.process.kill()
        site.process.wait(10)
        assert wait_until(lambda: not processes_of(tmp_path), 5), processes_of(tmp_path)

        # The next start clears away what the killed one could not.
        site = RunningSite(tmp_path, None, "--workers", "1")
        site.wait_ready()
        assert not socket_folder.exists()
        assert site.stop() == 0
    finally:
        site.destroy()
