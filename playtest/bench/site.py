"""The site: bots over real HTTP and WebSocket, one stored move a second each, on a database of its own.

A whole site is started by `manage.py up` in a folder that goes away afterwards: on SQLite, and on PostgreSQL too if
DATABASE_URL names a server, where a database is made and dropped again.
"""

import asyncio
import os
import re
import secrets
import signal
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.conf import settings

from personas import warm_up
from playtest.bench.clients import Outcome, play
from playtest.bench.figures import BenchError, Figure, report
from playtest.embedded.children import Child

NAME = "site"
READY_SECONDS = 1800.0
END_SECONDS = 30.0
STORED = "SELECT client_id FROM studies_move"


@dataclass(frozen=True)
class Site:
    """A running site: its address, its demonstration study, and how its database is reached."""

    url: str
    study_id: str
    database: str

    def stored_moves(self) -> set[str]:
        """The ids of all moves in the database."""
        if self.database.startswith("sqlite:///"):
            with closing(sqlite3.connect(self.database.removeprefix("sqlite:///"))) as connection:
                return {row[0] for row in connection.execute(STORED)}
        with psycopg.connect(self.database) as connection:
            return {row[0] for row in connection.execute(STORED)}


def measure(clients: int, seconds: float) -> Iterator[Figure]:
    """The figures of the site on SQLite, and on PostgreSQL if DATABASE_URL names a server."""
    # The site's worker would compile beside the measurement what is not compiled yet; it looks in the same folder.
    warm_up()
    yield from measure_on("SQLite", None, clients, seconds)
    url = os.environ.get("DATABASE_URL", "")
    if url.startswith("postgres"):
        with scratch_database(url) as scratch:
            yield from measure_on("PostgreSQL", scratch, clients, seconds)


def measure_on(title: str, database: str | None, clients: int, seconds: float) -> Iterator[Figure]:
    report(f"the site on {title}: starting it")
    with running_site(database) as site:
        outcome = asyncio.run(play(site.url, site.study_id, clients, seconds))
        missing = len(outcome.acknowledged - site.stored_moves())
    if not outcome.answers:
        raise BenchError(f"No move was acknowledged. {'; '.join(outcome.errors[:3])}")
    yield from figures(title, outcome, missing, clients, seconds)


def figures(title: str, outcome: Outcome, missing: int, clients: int, seconds: float) -> Iterator[Figure]:
    """What the bots saw, as figures; `missing` of the acknowledged moves are not in the database."""
    facts = {
        "database": title,
        "clients": clients,
        "seconds": seconds,
        "reconnects": outcome.reconnects,
        "failed_clients": len(outcome.errors),
        "processors_of_clients": round(outcome.client_cpu, 2),
    }
    cuts = quantiles(outcome.answers, n=100) if len(outcome.answers) > 1 else outcome.answers * 99
    yield Figure(NAME, f"{title}: acknowledged moves", "moves/s", len(outcome.acknowledged) / seconds, facts)
    yield Figure(NAME, f"{title}: time to the acknowledgement, p50", "ms", 1000 * cuts[49], facts)
    yield Figure(NAME, f"{title}: time to the acknowledgement, p95", "ms", 1000 * cuts[94], facts)
    yield Figure(NAME, f"{title}: time to the acknowledgement, p99", "ms", 1000 * cuts[98], facts)
    yield Figure(NAME, f"{title}: acknowledged moves that are not stored", "moves", missing, facts)


@contextmanager
def running_site(database: str | None) -> Iterator[Site]:
    """A ready site with one worker, on that database or on an SQLite file; gone afterwards with its folder.

    The folder lies where the site keeps its data, so that a commit costs what it costs there.
    """
    with tempfile.TemporaryDirectory(prefix="bench-site-", dir=settings.VAR, ignore_cleanup_errors=True) as folder:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        url = database or f"sqlite:///{folder}/db.sqlite3"
        environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
        environment |= {"TESSERA_VAR": folder, "DATABASE_URL": url, "PYTHONUNBUFFERED": "1"}
        # By the same key the bots are known as bots.
        environment["SECRET_KEY"] = settings.SECRET_KEY
        # A broker that the surroundings name is not ours to fill.
        environment.pop("REDIS_URL", None)
        command = [sys.executable, "manage.py", "up", "--port", str(port), "--workers", "1"]
        up = Child("up", command, environment, settings.BASE_DIR, Path(folder) / "up.log", death_signal=signal.SIGTERM)
        up.start()
        try:
            yield Site(f"http://localhost:{port}", wait_for_study(up), url)
        finally:
            # Also where this process is killed the site ends, and its own children with it.
            up.ask_to_end()
            up.end(time.monotonic() + END_SECONDS)


def wait_for_study(up: Child) -> str:
    """The public id of the demonstration study once the site is ready; raises BenchError."""
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        text = up.log.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"Demonstration study +\S+/s/([^/\s]+)/", text)
        if found and "Ctrl-C ends it." in text:
            return found[1]
        if up.has_ended():
            break
        time.sleep(0.1)
    said = up.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    raise BenchError(f"The site does not start: {said[-1] if said else 'it says nothing'}")


@contextmanager
def scratch_database(url: str) -> Iterator[str]:
    """The address of a new database on the server of `url`, dropped afterwards; raises BenchError."""
    name = f"tessera_bench_{secrets.token_hex(4)}"
    server = urlunsplit(urlsplit(url)._replace(path="/postgres"))
    try:
        with psycopg.connect(server, autocommit=True, connect_timeout=10) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
    except psycopg.Error as error:
        raise BenchError(f"No database can be made on the server of DATABASE_URL: {error}") from None
    try:
        yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
