"""`manage.py reconcile`: one process acts, and a failing app does not keep the others waiting."""

import io

import pytest
from django.core.management import call_command
from django.db import DatabaseError

from playtest.accounts.models import Lease
from playtest.accounts.services import duty_take
from playtest.management.commands import reconcile
from tests.playtest.commands import refused


def run_once() -> str:
    output = io.StringIO()
    call_command("reconcile", "--once", stdout=output)
    return output.getvalue()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    done: list[str] = []

    def step(name: str, number: int) -> int:
        done.append(name)
        return number

    monkeypatch.setattr(
        reconcile, "STEPS", [("first", lambda: step("first", 0)), ("second", lambda: step("second", 3))]
    )
    return done


@pytest.mark.django_db(transaction=True)
def test_once_does_every_step_and_gives_the_duty_back(steps: list[str]) -> None:
    assert run_once() == "second: 3 sent again\n"
    assert steps == ["first", "second"]
    assert Lease.objects.get(name=reconcile.DUTY).until is None


@pytest.mark.django_db(transaction=True)
def test_what_is_left_over_is_cleared_away_in_every_round(steps: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "CARE", [("left over", lambda: 2), ("nothing", lambda: 0)])
    assert run_once().splitlines()[-1] == "left over: 2"


@pytest.mark.django_db(transaction=True)
def test_nothing_is_done_while_another_process_holds_the_duty(steps: list[str]) -> None:
    duty_take(name=reconcile.DUTY, holder="elsewhere", seconds=60)
    assert run_once() == ""
    assert steps == []


def test_failing_step_does_not_keep_the_others_waiting(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise DatabaseError("away")

    monkeypatch.setattr(reconcile, "STEPS", [("first", fail), ("second", lambda: 2)])
    assert reconcile.reconcile_once() == {"second": 2}


def test_apps_with_work_are_all_reconciled() -> None:
    assert {name for name, _ in reconcile.STEPS} == {"evolution", "playtests", "searches", "opinions"}


@pytest.mark.parametrize("pause", ["0", "-1", "nan", "inf", "soon"])
def test_pause_that_is_no_number_of_seconds_ends_with_2(pause: str) -> None:
    assert "seconds" in refused("reconcile", "--once", "--every", pause)
