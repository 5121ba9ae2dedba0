"""Real workers of Celery on a real broker, killed in the middle: the end is that of an undisturbed run, bit for bit."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from personas.evolution import RunConfig
from playtest.evolution.models import EvaluationSlice, EvolutionRun, Generation, LogKind, RunState
from playtest.evolution.services import run_cancel
from playtest.leases import LeaseState
from tests.playtest.cuttable import CuttableRoad
from tests.playtest.evolution.running import expected_population, start, stored_population
from tests.site import ROOT, wait_until

CONFIG = RunConfig(
    persona="maxm", seed=23, preset="replication", population=8, generations=4, games=8, iterations=300, moves=20
)
STANDARD = RunConfig(
    persona="mins", seed=24, population=8, generations=3, games=8, iterations=300, moves=20, racing=5, final_games=40
)
SECONDS = 240

Spawn = Callable[..., subprocess.Popen[bytes]]


def environment(broker_url: str, database_port: int | None = None) -> dict[str, str]:
    """That of the product, on the database of this test; `database_port`: another way to the same server."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        database = f"sqlite:///{name}"
    else:
        parts = urlsplit(os.environ["DATABASE_URL"])
        user = parts.netloc.rpartition("@")[0]
        place = f"{parts.hostname}:{database_port or parts.port or 5432}"
        database = urlunsplit(parts._replace(netloc=f"{user}@{place}" if user else place, path=f"/{name}"))
    kept = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    return {**kept, "DATABASE_URL": database, "REDIS_URL": broker_url, "TESSERA_VAR": str(settings.VAR)}


@pytest.fixture
def spawn(broker_url: str, transactional_db: None) -> Iterator[Spawn]:
    """Starts processes of the product, each a session of its own; none is left afterwards."""
    started: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:

        def start_process(*words: str, database_port: int | None = None) -> subprocess.Popen[bytes]:
            log = Path(folder) / f"{len(started)}.log"
            with log.open("wb") as output:
                process = subprocess.Popen(
                    [sys.executable, *words],
                    cwd=ROOT,
                    env=environment(broker_url, database_port),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            started.append(process)
            return process

        try:
            yield start_process
        finally:
            for process in started:
                kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def start_worker(spawn: Spawn, children: int, database_port: int | None = None) -> subprocess.Popen[bytes]:
    words = ["-m", "celery", "-A", "playtest.celery", "worker", "--concurrency", str(children)]
    words += ["--queues", "evolution", "--hostname", f"test-{os.getpid()}-{children}@%h", "--loglevel", "WARNING"]
    return spawn(*words, "--without-gossip", "--without-mingle", "--without-heartbeat", database_port=database_port)


def start_reconciler(spawn: Spawn, database_port: int | None = None) -> subprocess.Popen[bytes]:
    return spawn("manage.py", "reconcile", "--every", "0.5", database_port=database_port)


def wait_for(run: EvolutionRun, state: RunState) -> None:
    def arrived() -> bool:
        run.refresh_from_db()
        return run.state == state

    assert wait_until(arrived, SECONDS), f"{run}, {run.error}, generation {run.current}"


def worker_pids() -> set[int]:
    """Processes that hold a slice now."""
    names = EvaluationSlice.objects.filter(state=LeaseState.LEASED).values_list("worker", flat=True)
    return {int(name.rpartition(":")[2]) for name in names}


def is_alive(pid: int) -> bool:
    """Whether it runs; what died and was not yet buried does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in {"Z", "X"}


def pass_the_lease_time_of_the_dead() -> None:
    """What a minute of waiting would do: leases of processes that are gone run out."""
    for row in EvaluationSlice.objects.filter(state=LeaseState.LEASED):
        if not is_alive(int(row.worker.rpartition(":")[2])):
            EvaluationSlice.objects.filter(pk=row.pk, lease_epoch=row.lease_epoch, state=LeaseState.LEASED).update(
                lease_until=Now() - timedelta(seconds=1)
            )


def kill_one_at_work() -> None:
    """Kill a process while it holds a slice."""
    assert wait_until(lambda: bool(worker_pids()), SECONDS), "No worker took a slice."
    for pid in worker_pids():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return


def test_one_worker_ends_like_a_run_in_one_process(spawn: Spawn) -> None:
    run = start(CONFIG)
    start_reconciler(spawn)
    start_worker(spawn, 1)
    wait_for(run, RunState.FINISHED)
    assert stored_population(run) == expected_population(CONFIG)


def test_three_workers_killed_again_and_again_end_like_a_run_in_one_process(spawn: Spawn) -> None:
    run = start(STANDARD)
    start_reconciler(spawn)
    worker = start_worker(spawn, 3)
    for generation in (1, 2):
        assert wait_until(lambda number=generation: reached(run, number), SECONDS), f"{run} stands still"
        kill_one_at_work()
        pass_the_lease_time_of_the_dead()
    assert wait_until(lambda: reached(run, 3), SECONDS), f"{run} stands still"
    assert wait_until(lambda: bool(worker_pids()), SECONDS)
    kill_group(worker)
    held = EvaluationSlice.objects.filter(state=LeaseState.LEASED).count()
    assert not EvolutionRun.objects.get(pk=run.pk).is_over
    pass_the_lease_time_of_the_dead()
    start_worker(spawn, 3)
    wait_for(run, RunState.FINISHED)
    assert stored_population(run) == expected_population(STANDARD)
    for row in Generation.objects.filter(run=run):
        assert row.slices_done == row.slices_total == row.slices.filter(state=LeaseState.DONE).count()
    assert not run.log.filter(kind=LogKind.DIFFERS).exists()
    if held:
        assert run.log.filter(kind=LogKind.RELEASED).exists()


def reached(run: EvolutionRun, generation: int) -> bool:
    pass_the_lease_time_of_the_dead()
    run.refresh_from_db()
    return run.current >= generation


def test_database_that_goes_away_for_a_while_costs_time_and_nothing_else(spawn: Spawn) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("A file does not go away.")
    parts = urlsplit(os.environ["DATABASE_URL"])
    road = CuttableRoad(parts.hostname or "127.0.0.1", parts.port or 5432)
    try:
        run = start(STANDARD)
        reconciler = start_reconciler(spawn, road.port)
        worker = start_worker(spawn, 2, road.port)
        for generation in (1, 2):
            assert wait_until(lambda number=generation: reached(run, number), SECONDS), f"{run} stands still"
            assert wait_until(lambda: bool(worker_pids()), SECONDS)
            road.cut()
            time.sleep(3)
            road.mend()
            end_all_leases()
        wait_for(run, RunState.FINISHED)
        assert (worker.poll(), reconciler.poll()) == (None, None)
        assert stored_population(run) == expected_population(STANDARD)
        assert not run.log.filter(kind=LogKind.DIFFERS).exists()
    finally:
        road.cut()


def end_all_leases() -> None:
    """What a minute of waiting would do for workers that could not store what they computed."""
    EvaluationSlice.objects.filter(state=LeaseState.LEASED).update(lease_until=Now() - timedelta(seconds=1))


def test_cancel_stops_real_workers_within_ten_seconds(spawn: Spawn) -> None:
    run = start(
        RunConfig(
            persona="maxs", seed=1, preset="replication", population=20, generations=50, games=1000, iterations=2000
        )
    )
    start_reconciler(spawn)
    start_worker(spawn, 2)
    assert wait_until(lambda: bool(worker_pids()), SECONDS), "No worker took a slice."
    run_cancel(run=run)

    def stopped() -> bool:
        run.refresh_from_db()
        return run.state == RunState.CANCELLED and not worker_pids()

    assert wait_until(stopped, 10), f"{run}, held by {worker_pids()}"
