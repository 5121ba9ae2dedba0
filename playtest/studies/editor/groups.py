"""Fields of a form that belong together: they stand in a fold of their own, open where something is in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django import forms
from django.forms.boundfield import BoundField


@dataclass(frozen=True)
class Group:
    """Fields in order. Without a title they stand in the form itself; `note` says shortly what is in them."""

    title: str
    fields: list[BoundField]
    note: str = ""
    is_open: bool = True


def grouped(form: forms.Form, titles: dict[str, str]) -> Iterator[Group]:
    """The fields of a form by the titles of their groups; fields without a title belong to no group."""
    for title, run in groupby(form, key=lambda field: titles.get(field.name, "")):
        fields = list(run)
        filled = [str(field.value()) for field in fields if field.value() not in (None, "", [])]
        shown = " · ".join(text if len(text) <= 40 else f"{text[:39]}…" for text in filled)
        has_errors = any(field.errors for field in fields)
        yield Group(title, fields, shown if title else "", is_open=not title or bool(filled) or has_errors)
