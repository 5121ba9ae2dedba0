"""Requests that no page of ours sends: refused in words, never a fault of the site, and nothing half changed."""

import itertools

import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.document import parse_study
from playtest.studies.editor import changes
from playtest.studies.editor.parts import Part
from playtest.studies.errors import StudyError
from playtest.studies.models import Study
from playtest.studies.services import study_create
from tests.playtest.studies.factory import study_document
from tests.playtest.studies.test_designer_pages import address, typed

GROUPS = ("items", "rounds", "after_round", "scores", "options", "odd", "")
NAMES = ("", "consent", "profile", "rounds", "end", "often", "fixed-1", "odd", "\0", "²")


@pytest.fixture
def study(designer: User) -> Study:
    return study_create(owner=designer, document=study_document(questions=True))


def every_change() -> list[changes.Change]:
    """What a button can be made to mean, whichever page, list and entry it names."""
    parts = [Part(name) for name in NAMES]
    parts += [Part(*words) for words in itertools.product(("", "profile", "rounds", "end"), GROUPS, NAMES)]
    found = [changes.add_page(kind, after=after) for kind, after in itertools.product(NAMES, NAMES)]
    for part in parts:
        found += [changes.move(part, -1), changes.move(part, 1), changes.duplicate(part), changes.remove(part)]
        found += [changes.add_entry(part.page, part.group, part.entry)]
        found += [changes.add_block(part.page, part.group, part.entry)]
        found += [
            changes.send(part, page, group, keep=keep)
            for page, group, keep in itertools.product(("", "profile", "rounds"), ("items", "odd"), (True, False))
        ]
    return found


def test_change_of_anything_is_made_or_refused_in_words() -> None:
    draft = parse_study(study_document(questions=True)).to_document()
    made = 0
    for change in every_change():
        try:
            changed = change(draft)
        except StudyError:
            continue
        parse_study(changed.draft)
        made += 1
    assert made > 20


@pytest.mark.django_db
@pytest.mark.parametrize(
    "do",
    ["copy:page:", "remove:page:", f"up:options:{'9' * 5_000}", "down:options:²", "add:page:", "::", "odd:page:end"],
)
def test_button_that_no_page_has_changes_nothing(study: Study, designer_client: Client, do: str) -> None:
    sent = typed(designer_client, study, Part("profile"))
    answer = designer_client.post(address(study, Part("profile")), {**sent, "do": do})
    assert answer["Location"].startswith(reverse("studies_staff:edit", args=[study.pk]))
    assert Study.objects.get(pk=study.pk).draft == study.draft
