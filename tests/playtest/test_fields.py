"""Numbers in forms and commands are what people write; and pages answer HEAD as GET, without a body."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

import pytest
from django import forms
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.test import Client
from django.urls import reverse

from engine.solver import Parameter, SolverError
from playtest.env import read_int
from playtest.fields import DecimalField, WholeField
from playtest.management.commands.up import port_number, worker_number
from playtest.management.plain import seconds, whole_number
from playtest.studies.editor.entry_forms import StepsField
from tests.playtest.commands import refused

SOURCES = sorted((Path(__file__).resolve().parents[2] / "playtest").rglob("*.py"))
PAGES = (
    "home",
    "studies_staff:list",
    "studies_staff:new",
    "levels:list",
    "evolution:list",
    "evolution:create",
    "accounts:log",
)


@pytest.mark.parametrize("field", [WholeField(), DecimalField()])
def test_number_with_an_underscore_is_none(field: forms.Field) -> None:
    with pytest.raises(ValidationError) as caught:
        field.clean("1_000")
    assert caught.value.code == "invalid"
    assert field.clean(" 1000 ") == 1000
    with pytest.raises(ValidationError, match="required"):
        field.clean("")


def test_whole_number_of_a_form_has_the_digits_0_to_9() -> None:
    for text in ("٤٠", "４０", "-٤"):
        with pytest.raises(ValidationError) as caught:
            WholeField().clean(text)
        assert caught.value.code == "invalid"
    assert WholeField().clean("\u00a040 ") == 40


@pytest.mark.parametrize("read", [whole_number(1, 10_000), seconds(0, 10_000)], ids=["whole", "seconds"])
def test_commands_take_no_number_in_other_digits(read: Callable[[str], float]) -> None:
    with pytest.raises(ArgumentTypeError, match="with the digits 0 to 9"):
        read("٤٠")
    assert read(" 40 ") == 40


@pytest.mark.parametrize("read", [port_number, worker_number])
def test_ports_and_workers_are_in_digits_0_to_9(read: Callable[[str], int]) -> None:
    with pytest.raises(ArgumentTypeError, match="whole number"):
        read("٤٠")


@pytest.mark.parametrize("read", [whole_number(1, 10_000), seconds(0, 10_000)], ids=["whole", "seconds"])
def test_commands_take_no_number_with_an_underscore(read: Callable[[str], float]) -> None:
    with pytest.raises(ArgumentTypeError, match="must be a"):
        read("1_000")
    assert read("1000") == 1000


@pytest.mark.parametrize("text", ["1_0", "٤٠", "４0", "1_0.5", "2.٤"])
@pytest.mark.parametrize("default", [3, 3.0], ids=["whole", "number"])
def test_setting_of_a_solver_is_written_in_digits_0_to_9(default: float, text: str) -> None:
    parameter = Parameter("T", default, "a number", 0, 100)
    with pytest.raises(SolverError, match="T must be a"):
        parameter.read(text)
    assert parameter.read(" 40 ") == parameter.read(40) == 40


@pytest.mark.parametrize("command", ["tune", "solve"])
def test_commands_refuse_such_a_setting(command: str) -> None:
    level = ["engine/games/samegame/levels/samegame-01.json", "--solver"] if command == "solve" else []
    assert "C must be a number, not '1_0'" in refused(command, *level, "sp-mcts", "--nodes", 5, "--set", "C=1_0")


@pytest.mark.parametrize("text", ["8_000", "٨٠٠٠"])
def test_environment_holds_no_such_number(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NUMBER", text)
    with pytest.raises(ImproperlyConfigured, match="whole number"):
        read_int("NUMBER", 1, low=1, high=65_535)


@pytest.mark.parametrize("text", ["1_0, 20", "1, ٢"])
def test_steps_of_a_scale_are_in_digits_0_to_9(text: str) -> None:
    with pytest.raises(ValidationError, match="with commas between them"):
        StepsField().clean(text)
    assert StepsField().clean("1, 2") == [1, 2]


def test_every_form_uses_these_fields() -> None:
    for path in SOURCES:
        text = path.read_text("utf-8")
        if path.name != "fields.py":
            for name in ("forms.IntegerField", "forms.DecimalField", "forms.FloatField"):
                assert name not in text, f"{path}: {name} reads 1_000 as a number"


def test_no_page_refuses_head() -> None:
    for path in SOURCES:
        text = path.read_text("utf-8")
        assert "require_GET" not in text, f"{path}: use require_safe"
        assert '["GET", "POST"]' not in text, f"{path}: a page that answers GET answers HEAD"


@pytest.mark.django_db
@pytest.mark.parametrize("name", PAGES)
def test_head_answers_as_get_without_a_body(designer_client: Client, name: str) -> None:
    page = reverse(name)
    shown, head = designer_client.get(page), designer_client.head(page)
    assert head.status_code == shown.status_code
    assert head.content == b""
    assert head.headers["Content-Type"] == shown.headers["Content-Type"]
