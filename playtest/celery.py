"""The Celery application. A task carries no data: its message says "there is work", the database says which."""

import os

from celery import Celery
from kombu import Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")

from django.conf import settings

app = Celery("tessera")
app.conf.update(
    broker_url=settings.REDIS_URL.replace("unix://", "redis+socket://", 1) or None,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": 7 * 24 * 3600, "global_keyprefix": "tessera:"},
    task_queues=[Queue("playtests"), Queue("evolution")],
    task_default_queue="playtests",
    task_routes={"playtest.levels.*": {"queue": "playtests"}, "playtest.evolution.*": {"queue": "evolution"}},
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
