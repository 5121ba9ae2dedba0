"""What somebody took back leaves the files of SQLite too: its write-ahead log keeps old pages until it is cut."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from django.db import connection, connections, transaction

from playtest.management.commands import reconcile
from playtest.studies.choices import Missing
from playtest.studies.models import Answer, Participant, Study
from playtest.studies.services import participant_withdraw, wiping
from playtest.studies.services.wiping import withdrawn_data_wipe
from tests.playtest.studies.factory import make_participant, make_study

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "reading"]),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="the log of SQLite"),
]

SECRET = "my own words, 7f3a91"


@pytest.fixture(autouse=True)
def nothing_wiped_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(wiping, "_emptied_for", 0)
    yield
    connections["reading"].close()


@pytest.fixture
def study(transactional_db: None) -> Study:
    return make_study(rounds=1, questions=True)


def answered(study: Study) -> Participant:
    participant, _ = make_participant(study)
    answer = Answer.objects.filter(participant=participant, item_key="words")
    answer.update(value=json.dumps(SECRET), missing=Missing.NO)
    return participant


def files() -> list[Path]:
    database = Path(connection.settings_dict["NAME"])
    return [database, database.with_name(f"{database.name}-wal")]


def places() -> list[str]:
    """The files in which the words stand."""
    return [path.name for path in files() if SECRET.encode() in path.read_bytes()]


def test_what_was_taken_back_is_in_no_file_once_the_reconciler_has_looked(study: Study) -> None:
    participant = answered(study)
    participant_withdraw(participant=participant)
    assert places(), "the test looks for what is there"
    assert dict(reconcile.CARE)["withdrawn data in the write-ahead log"] is withdrawn_data_wipe
    assert withdrawn_data_wipe() == 1
    assert places() == []
    assert files()[1].stat().st_size == 0


def test_log_is_cut_for_withdrawals_alone(study: Study) -> None:
    answered(study)
    assert withdrawn_data_wipe() == 0
    assert files()[1].stat().st_size > 0
    participant_withdraw(participant=answered(study))
    assert withdrawn_data_wipe() == 1
    answered(study)
    assert withdrawn_data_wipe() == 0
    assert files()[1].stat().st_size > 0
    participant_withdraw(participant=answered(study))
    assert withdrawn_data_wipe() == 1


def test_a_long_read_is_not_waited_for_and_the_log_is_cut_behind_it(study: Study) -> None:
    participant = answered(study)
    with transaction.atomic(using="reading"):
        assert Answer.objects.using("reading").filter(participant=participant).exists()
        participant_withdraw(participant=participant)
        began = time.monotonic()
        assert withdrawn_data_wipe() == 0
        assert time.monotonic() - began < 2
        assert Answer.objects.using("reading").filter(participant=participant).exists()
        # Writing goes on all the while.
        answered(study)
    assert withdrawn_data_wipe() == 1
    assert files()[1].stat().st_size == 0


def test_who_is_just_writing_is_not_waited_for(study: Study) -> None:
    participant_withdraw(participant=answered(study))
    writing, go_on = Event(), Event()

    def write() -> None:
        with transaction.atomic():
            Study.objects.filter(pk=study.pk).update(title="Another title")
            writing.set()
            go_on.wait(30)
        connections.close_all()

    writer = Thread(target=write)
    writer.start()
    try:
        assert writing.wait(30)
        began = time.monotonic()
        assert withdrawn_data_wipe() == 0
        assert time.monotonic() - began < 2
    finally:
        go_on.set()
        writer.join(30)
    assert withdrawn_data_wipe() == 1
    assert places() == []


def test_the_connection_waits_for_others_as_long_as_before(study: Study) -> None:
    def patience() -> int:
        with connection.cursor() as cursor:
            return int(cursor.execute("PRAGMA busy_timeout").fetchone()[0])

    before = patience()
    assert before > 1_000
    participant_withdraw(participant=answered(study))
    withdrawn_data_wipe()
    assert patience() == before
