"""A duty is held by one process at a time, on either database."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from playtest.accounts.models import Lease
from playtest.accounts.services import duty_release, duty_take
from tests.playtest.racing import race

NAME = "reconciler"


def take(holder: str, seconds: float = 20.0) -> int | None:
    return duty_take(name=NAME, holder=holder, seconds=seconds)


def let_run_out() -> None:
    assert Lease.objects.filter(name=NAME).update(until=timezone.now() - timedelta(hours=1)) == 1


def test_first_taker_holds_it_and_others_do_not(db: None) -> None:
    assert take("one") == 1
    assert take("two") is None


def test_holder_keeps_it_under_the_same_epoch(db: None) -> None:
    assert take("one") == 1
    assert take("one") == 1


def test_lease_that_ran_out_goes_to_the_next_under_a_new_epoch(db: None) -> None:
    take("one")
    let_run_out()
    assert take("two") == 2
    assert take("one") is None


def test_holder_that_slept_through_its_lease_sees_a_new_epoch(db: None) -> None:
    take("one")
    let_run_out()
    assert take("one") == 2


def test_released_duty_is_free_at_once(db: None) -> None:
    take("one")
    assert duty_release(name=NAME, holder="one")
    assert take("two") == 2


def test_only_the_holder_can_release(db: None) -> None:
    take("one")
    assert not duty_release(name=NAME, holder="two")
    assert take("two") is None


@pytest.mark.django_db(transaction=True)
def test_of_racing_processes_one_gets_it() -> None:
    got = race([partial(take, f"process {number}") for number in range(8)])
    assert sorted(epoch for epoch in got if epoch is not None) == [1]
