"""The whole site on this machine with one command: broker, web server, worker and reconciler, watched until Ctrl-C."""

import fcntl
import json
import os
import signal
import socket
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from playtest.embedded import broker
from playtest.embedded.children import Child
from playtest.embedded.logs import last_lines
from playtest.embedded.orphans import SUPERVISED
from playtest.embedded.supervisor import Supervisor, answers

READY_SECONDS = 1800.0
"""On a machine that never ran it, the kernels are compiled first: a minute, or many where others use the cores too."""
PATIENCE_SECONDS = 30.0
"""After how long a start that is not ready yet is explained, again and again."""
BROKER_SECONDS = 60.0
WORKER_NICENESS = 10
"""A worker uses every core that is free, and gives way to the page of someone who plays."""


def port_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= 65535:
        raise ArgumentTypeError(f"{text!r} is no port: it must be a whole number from 1 to 65535.")
    return int(text)


def worker_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= 256:
        raise ArgumentTypeError(f"{text!r} workers: it must be a whole number from 1 to 256.")
    return int(text)


def address(text: str) -> IPv4Address | IPv6Address:
    try:
        return ip_address("127.0.0.1" if text == "localhost" else text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no address: it must be one like 127.0.0.1 or 0.0.0.0.") from None


class Command(BaseCommand):
    help = "Start the whole site on this machine; Ctrl-C ends it and leaves nothing behind."
    # The children check; this process only watches them.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=port_number, default=8000)
        parser.add_argument(
            "--host", type=address, default=address("127.0.0.1"), help="address to listen on (127.0.0.1)"
        )
        parser.add_argument("--workers", type=worker_number, default=None, help="worker processes (one a core)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.began = time.monotonic()
        self.address: IPv4Address | IPv6Address = options["host"]
        self.port: int = options["port"]
        self.workers = options["workers"] or len(os.sched_getaffinity(0)) or 1
        self.var: Path = settings.VAR
        self.log_folder = self.var / "log"
        with only_one(self.var):
            refuse_taken_port(self.address, self.port)
            supervisor = Supervisor(self.say)
            with supervisor.stopping_on_signals():
                self.run(supervisor)
            self.forget_broker()
        self.say("Stopped.")

    def run(self, supervisor: Supervisor) -> None:
        environment = {**os.environ, SUPERVISED: "1", "PYTHONUNBUFFERED": "1", "TESSERA_VAR": str(self.var)}
        # `prepare` runs the system checks; the worker need not load every page of the site for them.
        environment["CELERY_SKIP_CHECKS"] = "1"
        if "REDIS_URL" in os.environ:
            self.say("Using the broker named by REDIS_URL.")
        else:
            environment["REDIS_URL"] = self.start_broker(supervisor, environment)
        self.say("Preparing the database, the pages and the shipped content.")
        first = self.prepare(supervisor, environment)
        if first is None:
            return
        # Before anything that can fail or be interrupted: it is known only now.
        self.tell_login(first)
        compiles = " The first start compiles the games, which takes a minute or more." if first["login"] else ""
        self.say(f"Starting the web server, the worker and the reconciler.{compiles}")
        for child in self.site_children(environment):
            supervisor.start(child)
        if self.wait_until_ready(supervisor):
            self.announce(first)
            supervisor.watch()

    def wait_until_ready(self, supervisor: Supervisor) -> bool:
        """Whether the site answers now; False when told to stop."""
        log = self.log_folder / "web.log"
        end = time.monotonic() + READY_SECONDS
        while not supervisor.wait_for(lambda: answers(self.reachable_host(), self.port, "/healthz"), PATIENCE_SECONDS):
            if supervisor.is_stopping():
                return False
            if time.monotonic() >= end:
                raise CommandError(f"The web server does not answer. The end of {log}:\n{last_lines(log)}")
            self.say(
                f"Not ready after {time.monotonic() - self.began:.0f} s, still waiting: after an installation or an "
                f"update the games are compiled first (see {log})"
            )
        return True

    def start_broker(self, supervisor: Supervisor, environment: dict[str, str]) -> str:
        self.forget_broker()
        try:
            server = broker.find_server()
            folder = broker.make_socket_folder()
        except broker.BrokerMissingError as error:
            raise CommandError(str(error)) from None
        data = self.var / "valkey"
        data.mkdir(exist_ok=True)
        path = folder / "valkey.sock"
        url = f"unix://{path}"
        settings.BROKER_NOTE.write_text(url, encoding="utf-8")
        log = self.log_folder / "valkey.log"
        supervisor.start(
            Child(
                name="valkey",
                command=broker.server_command(server, path, data),
                environment=environment,
                folder=data,
                log=log,
                death_signal=signal.SIGTERM,
                ends_last=True,
            )
        )
        if not broker.wait_until_ready(url, BROKER_SECONDS) and not supervisor.is_stopping():
            raise CommandError(f"The broker does not answer. The end of {log}:\n{last_lines(log)}")
        return url

    def forget_broker(self) -> None:
        """Remove the note of where the broker listened, and its folder: now, or after an `up` that was killed."""
        if settings.BROKER_NOTE.exists():
            broker.remove_socket_folder(settings.BROKER_NOTE.read_text("utf-8").strip())
            settings.BROKER_NOTE.unlink()

    def prepare(self, supervisor: Supervisor, environment: dict[str, str]) -> dict[str, Any] | None:
        """Runs in a process of its own: it needs the whole program, this one stays small. None: told to stop."""
        command = [sys.executable, "manage.py", "prepare", "--json"]
        ended = supervisor.run_to_end(command, environment, settings.BASE_DIR)
        if ended is None:
            return None
        status, output = ended
        if status:
            raise CommandError("The site could not be prepared; see above.", returncode=abs(status))
        return dict(json.loads(output))

    def site_children(self, environment: dict[str, str]) -> Iterator[Child]:
        python = sys.executable
        web = [
            "-m",
            "granian",
            "--interface",
            "asginl",
            "--host",
            str(self.address),
            "--port",
            str(self.port),
            "--no-access-log",
        ]
        web += ["--respawn-failed-workers", "--workers-kill-timeout", "3", "--log-level", "warning"]
        worker = ["-m", "celery", "-A", "playtest.celery", "worker", "--concurrency", str(self.workers)]
        worker += ["--queues", "playtests,evolution", "--hostname", f"worker-{os.getpid()}@%h", "--loglevel", "WARNING"]
        worker += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        for name, arguments, niceness in (
            ("web", [*web, "playtest.asgi:application"], 0),
            ("worker", worker, WORKER_NICENESS),
            ("reconcile", ["manage.py", "reconcile"], 0),
        ):
            yield Child(
                name=name,
                command=[python, *arguments],
                environment=environment,
                folder=settings.BASE_DIR,
                log=self.log_folder / f"{name}.log",
                niceness=niceness,
            )

    def tell_login(self, first: dict[str, Any]) -> None:
        if login := first["login"]:
            self.say(f"  Staff login          {login['username']} / {login['password']}")
            self.say("  The password is shown this once. To set another: manage.py changepassword " + login["username"])

    def announce(self, first: dict[str, Any]) -> None:
        site = f"http://{self.reachable_host()}:{self.port}"
        self.say(f"Ready after {time.monotonic() - self.began:.1f} s.")
        self.say(f"  Site                 {site}/")
        if first["study"]:
            self.say(f"  Demonstration study  {site}{first['study']}")
        self.say(f"  Staff                {site}/staff/")
        self.say("Ctrl-C ends it.")

    def reachable_host(self) -> str:
        """Under which name this machine reaches the server, also where that listens on every address."""
        if self.address.is_unspecified or self.address == address("127.0.0.1"):
            return "localhost"
        return f"[{self.address}]" if self.address.version == 6 else str(self.address)

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


@contextmanager
def only_one(var: Path) -> Iterator[None]:
    """Hold the lock of this folder; the kernel lets it go whenever and however this process ends."""
    with (var / "up.lock").open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CommandError(
                f"Tessera is already running on {var} (process {file.read().strip() or 'unknown'}). "
                "End that one first, or set TESSERA_VAR to another folder.",
                returncode=2,
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def refuse_taken_port(host: IPv4Address | IPv6Address, port: int) -> None:
    family = socket.AF_INET6 if host.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the server does, so that a port which was let go a moment ago counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((str(host), port))
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} cannot be used: {error.strerror}. Choose another one: make run PORT=8123",
                returncode=2,
            ) from None
