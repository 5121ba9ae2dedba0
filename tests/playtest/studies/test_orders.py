"""Orders of the rounds: balanced squares, and how they are shared out."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest
from django.db import connections
from hypothesis import given
from hypothesis import strategies as st

from playtest.studies.choices import Kind, SlotState
from playtest.studies.document import parse_study
from playtest.studies.errors import StudyError
from playtest.studies.models import Cell, Participant, Round, Slot, Study
from playtest.studies.services import consent_decide, participant_start, participant_withdraw
from playtest.studies.williams import williams_orders
from tests.playtest.studies.factory import make_participant, make_study, study_document

AT_ONCE = 40


@given(st.integers(1, 24))
def test_square_has_every_round_equally_often_at_each_place_and_after_each_other(count: int) -> None:
    rows = williams_orders(count)
    assert len(rows) == (count if count % 2 == 0 or count == 1 else 2 * count)
    assert all(sorted(row) == list(range(count)) for row in rows)
    places = Counter((place, one) for row in rows for place, one in enumerate(row))
    assert set(places.values()) == {len(rows) // count}
    followers = Counter(pair for row in rows for pair in pairwise(row))
    assert len(followers) == count * (count - 1)
    assert len(set(followers.values())) <= 1


def test_square_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing"):
        williams_orders(0)


def test_squares_that_never_meet_are_refused_in_a_sentence() -> None:
    document = study_document(rounds=2, order="williams")
    (rounds,) = [page for page in document["pages"] if page["kind"] == "rounds"]
    drawn = rounds["rounds"][-1]["random"]
    for count in (7, 11, 13):
        more = [{"key": f"r{number}", "random": drawn} for number in range(count)]
        document["pages"].insert(1, {**rounds, "key": f"more-{count}", "rounds": more})
    with pytest.raises(StudyError, match="have 2,002 orders together; 1,000 are possible"):
        parse_study(document)


def orders_of(study: Study) -> list[tuple[str, ...]]:
    """The keys of the rounds of each participant, in the order in which they play them."""
    people = Participant.objects.filter(study=study, kind=Kind.PERSON).exclude(assignment=None).order_by("assignment")
    return [tuple(one.rounds.order_by("position").values_list("key", flat=True)) for one in people]


@pytest.mark.django_db
def test_participants_go_through_the_square_and_keep_the_boards_of_their_place() -> None:
    study = make_study(rounds=4, order="williams")
    for _ in range(8):
        make_participant(study)
    orders = orders_of(study)
    assert len(set(orders)) == 4
    assert orders[:4] == orders[4:]
    keys = ["fixed-1", "fixed-2", "fixed-3", "drawn"]
    assert orders[:4] == [tuple(keys[place] for place in row) for row in williams_orders(4)]
    drawn = Round.objects.filter(participant__study=study, key="drawn").values_list("level_hash", flat=True)
    assert len(set(drawn)) == 8


@pytest.mark.django_db
def test_order_of_who_left_is_given_again_and_bots_take_nobodys() -> None:
    study = make_study(rounds=4, order="williams")
    people = [make_participant(study)[0] for _ in range(3)]
    bot, _ = make_participant(study, kind=Kind.BOT)
    left = people[1].rounds.order_by("position").values_list("key", flat=True)
    expected = list(left)
    participant_withdraw(participant=people[1])
    heir, _ = make_participant(study)
    assert list(heir.rounds.order_by("position").values_list("key", flat=True)) == expected
    slot = Slot.objects.get(participant=heir)
    assert (slot.number, slot.attempt) == (2, 2)
    assert Slot.objects.get(version=slot.version, kind=Kind.PERSON, number=2, attempt=1).state == SlotState.LOST
    assert Slot.objects.get(participant=bot).number == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("order", ["williams", "shuffle"])
def test_forty_who_start_at_the_same_moment_are_shared_out_evenly(order: str) -> None:
    study = make_study(rounds=4, order=order)
    gate = Barrier(AT_ONCE)

    def start() -> None:
        try:
            gate.wait(60)
            started = participant_start(study=study, kind=Kind.PERSON)
            consent_decide(participant=started.participant, agree=True)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for job in [pool.submit(start) for _ in range(AT_ONCE)]:
            job.result(120)
    numbers = Slot.objects.filter(version__study=study, kind=Kind.PERSON).values_list("number", flat=True)
    assert sorted(numbers) == list(range(1, AT_ONCE + 1))
    cells = Cell.objects.filter(version__study=study, kind=Kind.PERSON).order_by("ordinal")
    assert {cell.assigned for cell in cells} == {AT_ONCE // len(cells)}
    orders = Counter(orders_of(study))
    assert sum(orders.values()) == AT_ONCE
    if order == "williams":
        assert set(orders.values()) == {AT_ONCE // 4}
