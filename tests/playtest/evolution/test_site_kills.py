"""A run on the whole site, whose programs are killed in the middle, one by one and then all at once."""

import os
import signal
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from personas.evolution import RunConfig
from playtest.evolution.models import LogKind, RunState
from playtest.leases import LeaseState
from tests.playtest.evolution.running import expected_population
from tests.site import RunningSite, processes_of, wait_until

pytestmark = pytest.mark.embedded

CONFIG = RunConfig(
    persona="mins", seed=29, population=10, generations=6, games=10, iterations=400, moves=20, final_games=20
)
SECONDS = 240
KILLED = ("granian", "valkey-server", "celery -A playtest.celery", "manage.py reconcile")


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tessera-site-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def launch(site: RunningSite) -> None:
    """Start the run as an admin does, by the form."""
    username, password = site.login()
    numbers = {
        name: str(getattr(CONFIG, name)) for name in ("population", "generations", "games", "iterations", "moves")
    }
    choices = {"persona": CONFIG.persona, "game": "match3", "preset": "standard", "priority": "0"}
    others = {"seed": str(CONFIG.seed), "final_games": str(CONFIG.final_games)}
    with httpx.Client(base_url=site.url, headers={"Referer": site.url}, timeout=30) as client:
        client.get("/staff/login/").raise_for_status()
        post(client, "/staff/login/", {"username": username, "password": password})
        client.get("/staff/evolution/new/").raise_for_status()
        post(client, "/staff/evolution/new/", {**choices, **numbers, **others})


def post(client: httpx.Client, address: str, values: dict[str, str]) -> None:
    answer = client.post(address, data={**values, "csrfmiddlewaretoken": client.cookies["csrftoken"]})
    assert answer.status_code == 302, (address, answer.status_code, answer.text[-2000:])


def asked(site: RunningSite, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{site.var / 'db.sqlite3'}?mode=ro", uri=True, timeout=20)) as database:
        return database.execute(query).fetchall()


def progress(site: RunningSite) -> int:
    """How many parts of the run are computed and stored."""
    ((done,),) = asked(site, "SELECT coalesce(sum(slices_done), 0) FROM evolution_generation")
    assert isinstance(done, int)
    return done


def is_finished(site: RunningSite) -> bool:
    return asked(site, "SELECT state FROM evolution_evolutionrun") == [(RunState.FINISHED,)]


def pass_the_lease_time_of_the_dead(site: RunningSite) -> None:
    """What a minute of waiting would do: leases of processes that are gone run out."""
    alive = {str(pid) for pid in processes_of(site.var)}
    with closing(sqlite3.connect(site.var / "db.sqlite3", timeout=20)) as database, database:
        for key, worker in database.execute(
            "SELECT id, worker FROM evolution_evaluationslice WHERE state = ?", [LeaseState.LEASED]
        ).fetchall():
            if worker.rpartition(":")[2] not in alive:
                database.execute(
                    "UPDATE evolution_evaluationslice SET lease_until = '2000-01-01 00:00:00' "
                    "WHERE id = ? AND worker = ? AND state = ?",
                    [key, worker, LeaseState.LEASED],
                )


def wait_for_more(site: RunningSite, than: int) -> None:
    def went_on() -> bool:
        pass_the_lease_time_of_the_dead(site)
        return progress(site) > than

    assert wait_until(went_on, SECONDS), f"The run stands still.\n{site.logs()}"
    assert not is_finished(site), "The run ended before the kill: it has to be longer."


def test_run_survives_the_death_of_every_program_and_then_of_the_site(folder: Path) -> None:
    site = RunningSite(folder, None, "--workers", "1").wait_ready()
    try:
        launch(site)
        for words in KILLED:
            wait_for_more(site, progress(site))
            os.kill(site.pids(words)[0], signal.SIGKILL)
        wait_for_more(site, progress(site))
        os.kill(site.process.pid, signal.SIGKILL)
        site.process.wait(10)
        assert not is_finished(site)
    finally:
        site.destroy()
    site = RunningSite(folder, None, "--workers", "1").wait_ready()
    try:
        pass_the_lease_time_of_the_dead(site)
        assert wait_until(lambda: is_finished(site), SECONDS), site.logs()
        rows = asked(
            site,
            "SELECT i.idx, i.formula, i.fingerprint, i.parent_a, i.parent_b, i.fitness, i.per_game "
            "FROM evolution_individual i JOIN evolution_generation g ON g.id = i.generation_id "
            f"WHERE g.number = {CONFIG.generations} ORDER BY i.idx",
        )
        assert rows == expected_population(CONFIG)
        assert asked(site, "SELECT count(*) FROM evolution_generation WHERE slices_done <> slices_total") == [(0,)]
        assert asked(site, f"SELECT count(*) FROM evolution_runlog WHERE kind = {LogKind.DIFFERS:d}") == [(0,)]
    finally:
        site.destroy()
