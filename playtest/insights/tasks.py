"""What a Celery worker runs: a message says that there is work, the database says which."""

import os
import socket

from playtest.celery import app
from playtest.insights.services.opinions import opinions_work


@app.task(name="playtest.insights.tasks.opinions_work_next")
def opinions_work_next() -> None:
    """Take opinions for about a second, if any wait."""
    opinions_work(worker=f"{socket.gethostname()}:{os.getpid()}")
