"""What a worker is told: there is work. Which, it finds in the database."""

from celery import shared_task

from playtest.evolution.dispatch import work_announce
from playtest.evolution.services import work_once, worker_name


@shared_task
def work() -> None:
    """Do one piece of work and pass the message on; without work the message ends here."""
    if work_once(worker=worker_name()):
        work_announce(messages=1)
