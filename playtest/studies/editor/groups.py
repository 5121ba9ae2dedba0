"""Fields of a form that belong together: they stand in a fold of their own, open where something is in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django import forms
from django.forms.boundfield import BoundField


@dataclass(frozen=True)
class Group:
    """Fields in order. Without a title they stand in the form itself."""

    title: str
    fields: list[BoundField]
    is_open: bool


def grouped(form: forms.Form, titles: dict[str, str]) -> Iterator[Group]:
    """The fields of a form by the titles of their groups; fields without a title belong to no group."""
    for title, run in groupby(form, key=lambda field: titles.get(field.name, "")):
        fields = list(run)
        has_more = any(field.errors or field.value() not in (None, "", []) for field in fields)
        yield Group(title, fields, is_open=not title or has_more)
