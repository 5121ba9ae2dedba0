"""Studies are published and frozen, participants get slots, orders and boards."""

import threading
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, connections

from playtest.accounts.models import AuditLog, User
from playtest.levels.services import levels_ensure_shipped
from playtest.studies.choices import Kind, RoundState, SlotState, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.models import (
    AssignmentCounter,
    Cell,
    Participant,
    Round,
    Slot,
    Study,
)
from playtest.studies.readymade import READY_MADE
from playtest.studies.selectors.documents import round_level
from playtest.studies.services import (
    consent_decide,
    demo_load,
    participant_start,
    participant_withdraw,
    study_create,
    study_publish,
    study_set_state,
)
from tests.playtest.commands import refused_process
from tests.playtest.studies.factory import make_participant, make_study, study_document


@pytest.mark.django_db
def test_publishing_freezes_the_draft_and_the_same_draft_makes_no_new_version() -> None:
    study = make_study()
    first = study.published
    assert study_publish(study=study) == first
    study.draft = study_document(moves=4)
    study.save(update_fields=["draft"])
    second = study_publish(study=study)
    assert (first.number, second.number) == (1, 2)
    assert first.hash != second.hash
    assert first.document["pages"][1]["rounds"][1]["random"]["moves"] == 3
    assert study.published == second
    assert second.game_versions == {"match3": 1}
    assert AssignmentCounter.objects.filter(version=second).count() == 3


@pytest.mark.django_db
def test_who_is_under_way_stays_on_the_version_that_they_saw() -> None:
    study = make_study()
    participant, _ = make_participant(study)
    study.draft = study_document(moves=5)
    study.save(update_fields=["draft"])
    study_publish(study=study)
    later, _ = make_participant(study)
    assert [round_level(row).moves for row in participant.rounds.all()] == [3, 3]
    assert [round_level(row).moves for row in later.rounds.all()] == [5, 5]


@pytest.mark.django_db
def test_wrong_document_makes_no_study() -> None:
    with pytest.raises(StudyError):
        study_create(owner=None, document={**study_document(), "title": ""})
    assert Study.objects.count() == 0


@pytest.mark.django_db
def test_short_names_do_not_collide() -> None:
    slugs = [study_create(owner=None, document=study_document()).slug for _ in range(3)]
    assert slugs == ["a-small-study", "a-small-study-2", "a-small-study-3"]
    with pytest.raises(StudyError) as error:
        study_create(owner=None, document=study_document(), slug="a-small-study")
    assert error.value.code == "slug"


@pytest.mark.django_db
def test_closed_study_stays_closed_and_its_rounds_are_void() -> None:
    study = make_study()
    participant, _ = make_participant(study)
    study_set_state(study=study, state=StudyState.CLOSED)
    assert {row.state for row in participant.rounds.all()} == {RoundState.VOID}
    with pytest.raises(StudyError):
        study_set_state(study=study, state=StudyState.OPEN)
    with pytest.raises(StudyError):
        participant_start(study=study, kind=Kind.PERSON)


@pytest.mark.django_db
def test_demonstration_is_loaded_once_with_levels_of_the_library(admin: User) -> None:
    levels_ensure_shipped()
    study = demo_load(admin)
    assert demo_load(admin) == study
    for _ in range(2):
        call_command("demo")
    assert (study.slug, study.state) == ("paper", StudyState.OPEN)
    assert set(Study.objects.values_list("slug", flat=True)) == set(READY_MADE) == {"paper", "samegame", "mixed"}
    participant, _ = make_participant_of_paper(study)
    rounds = list(participant.rounds.order_by("position"))
    assert len(rounds) == 6
    assert sorted(row.key for row in rounds) == ["preset-1", "preset-2", "preset-3", "random-1", "random-2", "random-3"]
    for row in rounds:
        assert (row.level_version is not None) == row.key.startswith("preset")
        assert round_level(row).content_hash() == row.level_hash
    assert AuditLog.objects.filter(action="study.publish").count() == len(READY_MADE)


def make_participant_of_paper(study: Study) -> tuple[Participant, str]:
    started = participant_start(study=study, kind=Kind.BOT)
    consent_decide(participant=started.participant, agree=True)
    return started.participant, started.token


@pytest.mark.django_db
def test_shuffled_orders_differ_and_come_from_the_participant_alone() -> None:
    study = make_study(rounds=6, order="shuffle")
    people = [make_participant(study)[0] for _ in range(40)]
    orders = [tuple(row.key for row in person.rounds.order_by("position")) for person in people]
    assert len(set(orders)) > 30
    first = Counter(order[0] for order in orders)
    assert max(first.values()) < 20
    for order in orders:
        assert sorted(order) == sorted(orders[0])


@pytest.mark.django_db
def test_drawn_boards_differ_between_people_and_fixed_ones_do_not() -> None:
    study = make_study()
    hashes: dict[str, set[str]] = {"fixed-1": set(), "drawn": set()}
    for _ in range(5):
        person, _ = make_participant(study)
        for row in person.rounds.all():
            hashes[row.key].add(row.level_hash)
    assert (len(hashes["fixed-1"]), len(hashes["drawn"])) == (1, 5)


@pytest.mark.django_db
def test_kinds_are_counted_apart() -> None:
    study = make_study()
    numbers = [make_participant(study, kind=kind)[0].assignment for kind in (1, 2, 1, 3, 2, 1)]
    assert numbers == [1, 1, 2, 1, 2, 3]
    assert [cell.assigned for cell in Cell.objects.order_by("kind")] == [3, 2, 1]


@pytest.mark.django_db
def test_lost_slot_is_given_again_to_the_next_of_its_kind() -> None:
    study = make_study()
    people = [make_participant(study)[0] for _ in range(3)]
    participant_withdraw(participant=people[1])
    bot, _ = make_participant(study, kind=Kind.BOT)
    person, _ = make_participant(study)
    assert (bot.assignment, person.assignment) == (1, 2)
    slots = list(
        Slot.objects.filter(kind=Kind.PERSON).order_by("number", "attempt").values_list("number", "attempt", "state")
    )
    held, lost = SlotState.HELD, SlotState.LOST
    assert slots == [(1, 1, held), (2, 1, lost), (2, 2, held), (3, 1, held)]
    another, _ = make_participant(study)
    assert another.assignment == 4
    cell = Cell.objects.get(kind=Kind.PERSON)
    assert (cell.assigned, cell.lost, cell.completed) == (5, 1, 0)


@pytest.mark.django_db(transaction=True)
def test_many_who_start_at_once_get_different_slots() -> None:
    study = make_study(rounds=1)
    failures: list[BaseException] = []

    def start_some() -> None:
        try:
            for _ in range(4):
                make_participant(study)
        except Exception as error:  # noqa: BLE001  whatever it is, the main thread reports it
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=start_some) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(Participant.objects.values_list("assignment", flat=True)) == list(range(1, 21))
    assert AssignmentCounter.objects.get(version=study.published, kind=Kind.PERSON).next == 21


@pytest.mark.django_db
def test_migrations_say_what_the_models_say() -> None:
    call_command("makemigrations", "studies", check=True, dry_run=True, verbosity=0)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT reloptions FROM pg_class WHERE relname = %s", [Round._meta.db_table])
            assert cursor.fetchone()[0] == ["fillfactor=70"]


def test_demonstration_without_a_database_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/none.sqlite3")
    said = refused_process("demo")
    assert said.startswith("Error: The database cannot be read (")
    assert said.endswith("Start the site first.")
