"""Numbers in forms and commands are what people write; and pages answer HEAD as GET, without a body."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from playtest.fields import DecimalField, WholeField
from playtest.management.commands.up import port_number, worker_number
from playtest.management.plain import seconds, whole_number

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
