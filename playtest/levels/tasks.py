"""What a Celery worker runs: a message says that there is work, the database says which."""

import os
import socket

from playtest.celery import app
from playtest.levels.services import block_work_next, restart_work_next


@app.task(name="playtest.levels.tasks.playtest_work")
def playtest_work() -> None:
    """Play one block of games, if one waits."""
    block_work_next(worker=_this_worker())


@app.task(name="playtest.levels.tasks.search_work")
def search_work() -> None:
    """Run one restart of a search for par, if one waits."""
    restart_work_next(worker=_this_worker())


def _this_worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
