"""Send again what lies around: work whose worker died, runs that nobody carries on; end what is out of time, and clear
away what is left over.

One process at a time does it.
"""

import logging
import os
import signal
import socket
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections

from playtest.accounts.services import duty_release, duty_take
from playtest.embedded.orphans import follow_parent
from playtest.evolution.services import runs_reconcile
from playtest.insights.services.forgetting import figures_prune
from playtest.insights.services.opinions import opinions_reconcile
from playtest.levels.services import playtest_reconcile, searches_reconcile
from playtest.management.plain import seconds
from playtest.studies.export.workplace import exports_left_remove
from playtest.studies.services.clocks import rounds_time_out
from playtest.studies.services.dropouts import participants_time_out
from playtest.studies.services.total_time import totals_time_out
from playtest.studies.services.wiping import withdrawn_data_wipe

logger = logging.getLogger(__name__)

DUTY = "reconciler"
LEASE_SECONDS = 20.0
Step = tuple[str, Callable[[], int]]
STEPS: list[Step] = [
    ("evolution", runs_reconcile),
    ("playtests", playtest_reconcile),
    ("searches", searches_reconcile),
    ("opinions", opinions_reconcile),
]
LIMITS: list[Step] = [
    ("rounds out of time", rounds_time_out),
    ("participants gone", participants_time_out),
    ("participants out of time", totals_time_out),
]
"""What is over since its time is up, whether or not anybody is there to see it."""
CARE: list[Step] = [
    ("withdrawn data in the write-ahead log", withdrawn_data_wipe),
    ("files that killed exports left", exports_left_remove),
    ("figures that are old", figures_prune),
]
"""What nobody needs any more, and what must not be left over of who took their data back."""


def reconcile_once() -> dict[str, int]:
    """What each app found left lying and sent again."""
    return take_steps(STEPS)


def limits_once() -> dict[str, int]:
    """What was ended since its time is up."""
    return take_steps(LIMITS)


def care_once() -> dict[str, int]:
    """What was cleared away."""
    return take_steps(CARE)


def take_steps(steps: list[Step]) -> dict[str, int]:
    """The number that each step gives. One that fails does not keep the others waiting."""
    found: dict[str, int] = {}
    for name, step in steps:
        try:
            found[name] = step()
        except DatabaseError:
            # The next round comes in a few seconds; the other apps' work does not wait for this one.
            logger.exception("Reconciling %s failed", name)
            close_old_connections()
    return found


class Command(BaseCommand):
    help = (
        "Every few seconds, send work again whose lease ran out, and end what is out of time. Several copies may run; "
        "one acts."
    )
    # They load every page of the site. `prepare` and the web process ask them.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, then end")
        parser.add_argument(
            "--every", type=seconds(0.1, 3600), default=5.0, metavar="SECONDS", help="pause between rounds (5)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        follow_parent()
        holder = f"{socket.gethostname()}:{os.getpid()}"
        stop = threading.Event()
        if not options["once"]:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            began = time.monotonic()
            self.round(holder)
            if options["once"]:
                break
            stop.wait(max(0.1, options["every"] - (time.monotonic() - began)))
        self.let_go(holder)

    def round(self, holder: str) -> None:
        close_old_connections()
        try:
            epoch = duty_take(name=DUTY, holder=holder, seconds=LEASE_SECONDS)
            found = {} if epoch is None else reconcile_once()
            over = {} if epoch is None else limits_once() | care_once()
        except DatabaseError:
            logger.exception("The database does not answer")
            return
        for name, number in found.items():
            if number:
                self.stdout.write(f"{name}: {number} sent again")
        for name, number in over.items():
            if number:
                self.stdout.write(f"{name}: {number}")

    def let_go(self, holder: str) -> None:
        try:
            duty_release(name=DUTY, holder=holder)
        except DatabaseError:
            # The lease runs out by itself.
            logger.warning("The duty could not be given back")
