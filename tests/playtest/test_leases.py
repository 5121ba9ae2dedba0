"""Leases: one claim, one result, nothing left lying; with threads that race for the same rows."""

from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.db.models.functions import Now

from playtest.evolution.models import EvaluationSlice
from playtest.leases import (
    MAX_ATTEMPTS,
    Claim,
    LeaseState,
    claimable,
    expired,
    lease_claim,
    lease_claim_next,
    lease_fail,
    lease_finish,
    lease_give_up,
    lease_release,
    lease_renew,
    lease_return_expired,
)
from tests.playtest.evolution.rows import make_slices
from tests.playtest.racing import race


def claim(row: EvaluationSlice, worker: str = "w", seconds: float = 60.0) -> Claim:
    won = lease_claim(row, worker=worker, seconds=seconds)
    assert won is not None
    row.refresh_from_db()
    return won


def let_run_out(row: EvaluationSlice) -> None:
    EvaluationSlice.objects.filter(pk=row.pk).update(lease_until=Now() - timedelta(seconds=1))
    row.refresh_from_db()


@pytest.mark.django_db
def test_lease_claim_holds_the_row_for_the_time_asked() -> None:
    (row,) = make_slices(1)
    won = claim(row, worker="one", seconds=60)
    assert (row.state, row.worker, row.attempts, row.lease_epoch) == (LeaseState.LEASED, "one", 1, won.epoch)
    near = EvaluationSlice.objects.filter(
        pk=row.pk, lease_until__gt=Now() + timedelta(seconds=55), lease_until__lt=Now() + timedelta(seconds=65)
    )
    assert near.exists()
    assert lease_claim(row, worker="two") is None
    assert not claimable(EvaluationSlice.objects.all()).exists()


@pytest.mark.django_db
def test_lease_claim_of_a_row_read_before_somebody_elses_claim_is_refused() -> None:
    (row,) = make_slices(1)
    stale = EvaluationSlice.objects.get(pk=row.pk)
    claim(row)
    let_run_out(row)
    assert lease_claim(stale, worker="two") is None
    assert lease_claim(row, worker="two") is not None


@pytest.mark.django_db
def test_lease_that_ran_out_is_found_and_can_be_claimed_again() -> None:
    first, second = make_slices(2)
    claim(first)
    claim(second)
    assert not expired(EvaluationSlice.objects.all()).exists()
    let_run_out(second)
    assert list(expired(EvaluationSlice.objects.all())) == [second]
    taken = lease_claim_next(EvaluationSlice.objects.order_by("number"), worker="two")
    assert taken is not None
    assert taken[0] == second
    assert (taken[0].worker, taken[0].attempts) == ("two", 2)


@pytest.mark.django_db
def test_lease_renew_works_for_the_holder_only() -> None:
    (row,) = make_slices(1)
    old = claim(row, seconds=5)
    assert lease_renew(EvaluationSlice, old, seconds=60)
    let_run_out(row)
    new = claim(row, worker="two")
    assert not lease_renew(EvaluationSlice, old)
    assert lease_renew(EvaluationSlice, new)


@pytest.mark.django_db
def test_lease_release_gives_the_row_back_and_counts_no_attempt() -> None:
    (row,) = make_slices(1)
    won = claim(row)
    assert lease_release(EvaluationSlice, won)
    row.refresh_from_db()
    assert (row.state, row.attempts, row.lease_until, row.worker) == (LeaseState.WAITING, 0, None, "")
    assert not lease_release(EvaluationSlice, won)


@pytest.mark.django_db
def test_lease_finish_takes_the_first_result_even_without_a_lease() -> None:
    (row,) = make_slices(1)
    claim(row)
    let_run_out(row)
    claim(row, worker="two")
    assert lease_finish(EvaluationSlice, row.pk, seconds=1.5, worker="one", values={"result_sha256": "a" * 64})
    assert not lease_finish(EvaluationSlice, row.pk, seconds=9.0, worker="two", values={"result_sha256": "b" * 64})
    row.refresh_from_db()
    assert (row.state, row.seconds, row.worker, row.result_sha256) == (LeaseState.DONE, 1.5, "one", "a" * 64)
    assert lease_claim(row, worker="three") is None


@pytest.mark.django_db
def test_lease_fail_waits_for_another_attempt_until_the_last() -> None:
    (row,) = make_slices(1)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert lease_fail(EvaluationSlice, claim(row), error="It broke.")
        row.refresh_from_db()
        assert row.attempts == attempt
        assert row.state == (LeaseState.WAITING if attempt < MAX_ATTEMPTS else LeaseState.FAILED)
        assert row.error == "It broke."
    assert lease_claim(row, worker="w") is None


@pytest.mark.django_db
def test_lease_fail_says_nothing_once_the_claim_is_lost() -> None:
    (row,) = make_slices(1)
    old = claim(row)
    let_run_out(row)
    claim(row, worker="two")
    assert not lease_fail(EvaluationSlice, old, error="late", final=True)
    row.refresh_from_db()
    assert (row.state, row.error) == (LeaseState.LEASED, "")


@pytest.mark.django_db
def test_lease_give_up_fails_rows_that_ran_out_as_often_as_allowed() -> None:
    poison, healthy = make_slices(2)
    for _ in range(MAX_ATTEMPTS):
        claim(poison)
        let_run_out(poison)
    claim(healthy)
    let_run_out(healthy)
    assert lease_give_up(EvaluationSlice.objects.all(), error="Its workers died.") == 1
    poison.refresh_from_db()
    healthy.refresh_from_db()
    assert (poison.state, poison.error) == (LeaseState.FAILED, "Its workers died.")
    assert healthy.state == LeaseState.LEASED


@pytest.mark.django_db
def test_lease_return_expired_leaves_the_last_attempt_to_be_given_up() -> None:
    last, other = make_slices(2)
    for row in (last, other):
        claim(row)
        let_run_out(row)
    EvaluationSlice.objects.filter(pk=last.pk).update(attempts=MAX_ATTEMPTS)
    assert not lease_return_expired(last)
    assert lease_return_expired(other)
    last.refresh_from_db()
    other.refresh_from_db()
    assert (last.state, other.state) == (LeaseState.LEASED, LeaseState.WAITING)
    assert lease_give_up(EvaluationSlice.objects.all(), error="Its workers died.") == 1
    last.refresh_from_db()
    assert last.state == LeaseState.FAILED


@pytest.mark.django_db
def test_lease_give_up_takes_a_row_that_waits_after_its_last_attempt() -> None:
    stuck, healthy = make_slices(2)
    EvaluationSlice.objects.filter(pk=stuck.pk).update(attempts=MAX_ATTEMPTS)
    EvaluationSlice.objects.filter(pk=healthy.pk).update(attempts=MAX_ATTEMPTS - 1)
    assert lease_give_up(EvaluationSlice.objects.all(), error="Its workers died.") == 1
    stuck.refresh_from_db()
    healthy.refresh_from_db()
    assert (stuck.state, stuck.error) == (LeaseState.FAILED, "Its workers died.")
    assert healthy.state == LeaseState.WAITING


@pytest.mark.django_db(transaction=True)
def test_lease_claim_raced_for_by_eight_workers_is_won_by_one() -> None:
    (row,) = make_slices(1)
    copies = [EvaluationSlice.objects.get(pk=row.pk) for _ in range(8)]
    wins = race([partial(lease_claim, copy, worker=f"w{n}") for n, copy in enumerate(copies)])
    assert len([won for won in wins if won is not None]) == 1


@pytest.mark.django_db(transaction=True)
def test_lease_claim_next_shares_all_rows_without_giving_one_twice() -> None:
    make_slices(24)

    def work(worker: str) -> list[int]:
        mine = []
        while taken := lease_claim_next(EvaluationSlice.objects.order_by("number"), worker=worker):
            mine.append(taken[0].number)
        return mine

    shares = race([partial(work, f"w{n}") for n in range(4)])
    counted = Counter(number for share in shares for number in share)
    assert counted == Counter(range(24))


@pytest.mark.django_db(transaction=True)
def test_lease_finish_raced_for_by_eight_workers_counts_once() -> None:
    (row,) = make_slices(1)
    results = race([partial(lease_finish, EvaluationSlice, row.pk, seconds=float(n)) for n in range(8)])
    assert results.count(True) == 1
