"""The answers of a choice in the editor: rows of words, a name in the data and a meaning."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import slugify

from playtest.studies.document.items import MOST_OPTIONS
from playtest.studies.document.reader import LIMIT_NAME
from playtest.studies.editor.kinds import Draft

ROLES = {"": "as usual", "out": "screens out", "right": "right answer"}
"""What an answer of a choice means, by how the form names it."""


@dataclass(frozen=True)
class OptionRow:
    """`published` is what the answer of this name says in the newest version."""

    label: str = ""
    name: str = ""
    role: str = ""
    published: str = ""

    @property
    def is_reworded(self) -> bool:
        return bool(self.published) and self.published != self.label


class Options(forms.Widget):
    """Rows of a label, a name and a meaning for each answer; the last row is empty, for one more."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[tuple[str, str, str]]:
        labels, values = data.getlist(f"{name}-label"), data.getlist(f"{name}-value")
        roles = data.getlist(f"{name}-role")
        return list(zip(labels, values, [*roles, *[""] * (len(labels) - len(roles))], strict=False))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return f"{name}-label" not in data


class OptionsField(forms.Field):
    """The answers of a choice, each with its role. A row without words is dropped, a name is made of the words.

    A name of `following` belongs to the words beside it: with other words it is made anew.
    """

    widget = Options

    def __init__(self, *, following: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self.following = following

    def clean(self, value: Any) -> list[dict[str, str]]:
        typed = [(label.strip(), name.strip(), role) for label, name, role in value or [] if label.strip()]
        rows = [(label, self.kept_name(label, name), role) for label, name, role in typed]
        if len(rows) < 2:
            raise forms.ValidationError("A choice has at least two answers.")
        if len(rows) > MOST_OPTIONS:
            raise forms.ValidationError(f"A choice has at most {MOST_OPTIONS} answers.")
        if sum(role == "right" for *_, role in rows) > 1:
            raise forms.ValidationError("Only one answer can be the right one.")
        given = [name for _, name, _ in rows if name]
        for name in given:
            if given.count(name) > 1:
                raise forms.ValidationError(f"The name in the data “{name}” is there twice.")
        taken, options = set(given), []
        for label, name, role in rows:
            value = name or free_name(label, taken)
            taken.add(value)
            options.append({"value": value, "label": label, "role": role})
        return options

    def kept_name(self, label: str, name: str) -> str:
        return name if self.following.get(name, label) == label else ""


def free_name(label: str, taken: set[str]) -> str:
    """A short name from the words of an answer; `answer` where they have no Latin letter."""
    stem = name_stem(label)
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}-{number}", number + 1
    return name


def name_stem(label: str) -> str:
    return slugify(label)[: LIMIT_NAME - 4].strip("-_") or "answer"


def following(item: Draft, published: Draft | None) -> dict[str, str]:
    """Names of answers that were made of their words, with the words. One that is published stays for good."""
    fixed = {one["value"] for one in (published or {}).get("options", [])}
    return {
        one["value"]: one["label"]
        for one in item.get("options", [])
        if one["value"] not in fixed and re.fullmatch(rf"{re.escape(name_stem(one['label']))}(-\d+)?", one["value"])
    }


@dataclass(frozen=True)
class Reworded:
    """An answer whose name in the data stays while its words are others."""

    question: str
    name: str
    before: str
    after: str


def reworded(before: Draft, after: Draft) -> list[Reworded]:
    """Answers of a study that have the name of a published answer and other words."""
    old = dict(questions(before))
    found = []
    for place, item in questions(after):
        said = {one["value"]: one["label"] for one in old.get(place, {}).get("options", [])}
        for one in item.get("options", []):
            name, label = one["value"], one["label"]
            if said.get(name, label) != label:
                found.append(Reworded(question=item["label"], name=name, before=said[name], after=label))
    return found


def questions(study: Draft) -> Iterator[tuple[tuple[str, str], Draft]]:
    """All questions of a study, by page and key."""
    for page in study["pages"]:
        for group in ("items", "after_round"):
            for item in page.get(group, []):
                yield (page["key"], item["key"]), item
