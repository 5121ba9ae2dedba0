"""Messages to the workers. A message says "there is work" and nothing more; the database says which."""

import logging
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from playtest.celery import app

logger = logging.getLogger(__name__)

QUEUE = "evolution"
TASK = "playtest.evolution.tasks.work"
MESSAGES_AT_ONCE = 8
MISSING_QUEUE = "404"


def work_announce(*, messages: int = MESSAGES_AT_ONCE) -> None:
    """After the running transaction commits, wake up to so many workers.

    A broker that is away costs nothing but time: the reconciler finds the work and announces it again.
    """
    transaction.on_commit(partial(_send, messages), robust=True)


def _send(messages: int) -> None:
    if not settings.REDIS_URL:
        return
    try:
        for _ in range(messages):
            app.send_task(TASK, queue=QUEUE, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("Work could not be announced: %s", error)


def messages_waiting() -> int | None:
    """Messages that no worker has taken yet, or None if the broker does not say."""
    if not settings.REDIS_URL:
        return None
    connection: Any = app.connection_for_write()
    try:
        with connection:
            connection.ensure_connection(max_retries=1, timeout=2)
            return int(connection.default_channel.queue_declare(queue=QUEUE, passive=True).message_count)
    except connection.channel_errors as error:
        if str(getattr(error, "reply_code", "")) == MISSING_QUEUE:
            return 0
        logger.warning("The broker did not say how much is waiting: %s", error)
    except (OperationalError, *connection.connection_errors) as error:
        logger.warning("The broker did not say how much is waiting: %s", error)
    return None
