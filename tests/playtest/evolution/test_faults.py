"""What a run does when the machine fails it: nothing is lost, nothing counts twice."""

import dataclasses

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now

from playtest.evolution.models import EvaluationSlice, RunState
from playtest.evolution.services import runs_reconcile
from playtest.leases import LeaseState
from tests.playtest.evolution.running import TINY, expected_population, start, stored_population, work_all

CONFIG = dataclasses.replace(TINY, population=60)
MOST_PAGES = 1_073_741_823


def pragma(words: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {words}")
        return int(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_full_disk_costs_what_could_not_be_stored_and_nothing_else() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("Only a file of SQLite can be told that the disk is full.")
    run = start(CONFIG)
    for _ in range(2):
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
        pragma(f"max_page_count = {pragma('page_count')}")
        try:
            with pytest.raises(OperationalError, match="full"):
                work_all()
        finally:
            pragma(f"max_page_count = {MOST_PAGES}")
        run.refresh_from_db()
        assert not run.is_over
        EvaluationSlice.objects.filter(state=LeaseState.LEASED).update(lease_until=Now())
        runs_reconcile()
    work_all()
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert stored_population(run) == expected_population(CONFIG)
    assert all(row.slices_done == row.slices_total for row in run.generation_rows.all())
