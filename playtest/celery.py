"""The Celery application. A task carries no data: its message says "there is work", the database says which."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from celery import Celery
from celery.signals import worker_init, worker_process_init
from kombu import Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")

from django.conf import settings

from playtest.embedded.orphans import follow_parent

BROKER_SECONDS = 2.0
"""How long the broker may take for one answer; who waits for it waits a few times as long."""

COMPILE = """
from playtest.embedded.orphans import follow_parent
follow_parent()
from personas import warm_up
warm_up()
"""


def broker_address(redis_url: str) -> str:
    """Kombu's way to write the address of a Redis server on a Unix socket; others stay as they are."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    number = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{parts.path}?virtual_host={number}"


app = Celery("tessera")
app.conf.update(
    broker_url=broker_address(settings.REDIS_URL) or None,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    # A broker that takes connections and does not answer, as a stopped process does, keeps nobody waiting for long.
    broker_transport_options={
        "visibility_timeout": 7 * 24 * 3600,
        "global_keyprefix": "tessera:",
        "socket_timeout": BROKER_SECONDS,
        "socket_connect_timeout": BROKER_SECONDS,
    },
    task_queues=[Queue(name, routing_key=name) for name in ("playtests", "evolution")],
    task_default_queue="playtests",
    task_default_routing_key="playtests",
    task_routes={
        "playtest.levels.*": {"queue": "playtests", "routing_key": "playtests"},
        "playtest.evolution.*": {"queue": "evolution", "routing_key": "evolution"},
    },
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    # A broker that goes away for a moment must not stop a computation whose result goes to the database.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    timezone="UTC",
)
app.autodiscover_tasks()


@worker_init.connect
def compile_before_forking(**kwargs: Any) -> None:
    """Kernels are loaded once, in the parent: its children are born with them.

    What is not compiled yet a process before it compiles and ends: the memory for that, half a gigabyte, is never
    given back.
    """
    import numba

    from engine.cache import parent_folder
    from personas import warm_up

    # Where nothing can be written each process has a private folder for what it compiles.
    if Path(numba.config.CACHE_DIR).parent == parent_folder():  # type: ignore[attr-defined]
        subprocess.run([sys.executable, "-c", COMPILE], cwd=settings.BASE_DIR, check=False)
    warm_up()


@worker_process_init.connect
def end_with_worker(**kwargs: Any) -> None:
    follow_parent()
