"""The log of a study tells of its participants too, by their codes and in words."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.choices import Kind, Use
from playtest.studies.export.options import ExportOptions, Selection
from playtest.studies.models import Slot, Study
from playtest.studies.services import participant_withdraw, study_create, study_publish, use_decide
from playtest.studies.services.assignment import slot_issue_again
from playtest.studies.services.exports import export_note
from playtest.studies.services.links import link_change, links_create_labelled
from tests.playtest.studies.factory import make_participant, make_study, play_rounds, study_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(designer: User) -> Study:
    study = study_create(owner=designer, document=study_document(rounds=2))
    study_publish(study=study, by=designer)
    return study


def lines(client: Client, address: str) -> list[str]:
    body = client.get(address).text.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        re.sub(r"\s+", " ", strip_tags(row.replace("</td>", " | "))).strip()
        for row in body.split("<tr>")
        if row.strip()
    ]


def log_of(study: Study) -> str:
    return reverse("studies_staff:log", args=[study.pk])


def test_what_was_done_to_participants_and_rounds_stands_in_the_log_of_their_study(
    study: Study, designer: User, designer_client: Client
) -> None:
    one, _ = make_participant(study)
    play_rounds(one)
    use_decide(participant=one, row=None, use=Use.EXCLUDE, reason="A child played.", by=designer)
    use_decide(participant=one, row=one.rounds.get(position=2), use=Use.EXCLUDE, reason="The bell.", by=designer)
    other = make_study()
    stranger, _ = make_participant(other)
    use_decide(participant=stranger, row=None, use=Use.EXCLUDE, reason="No.", by=designer)
    found = lines(designer_client, log_of(study))
    assert f"Left a round out: {one.code}, round 2.1" in found[0]
    assert f"Left a participant out: {one.code}" in found[1]
    assert not any("annotation" in line or "study:" in line or "Participant " in line for line in found)
    assert not any(f": {stranger.code}" in line for line in found)
    site = lines(designer_client, reverse("accounts:log"))
    assert f"Left a participant out | {one.code} |" in site[1]


def test_log_keeps_what_was_done_to_who_withdrew_without_a_name(
    study: Study, designer: User, designer_client: Client
) -> None:
    one, _ = make_participant(study)
    play_rounds(one)
    code = one.code
    use_decide(participant=one, row=one.rounds.get(position=1), use=Use.EXCLUDE, reason="The bell.", by=designer)
    participant_withdraw(participant=one)
    found = lines(designer_client, log_of(study))
    assert "Left a round out: somebody who withdrew, round 1.1" in found[1]
    assert not any(str(code) in line for line in found)


def test_place_that_is_given_again_is_told_in_words(study: Study, designer_client: Client) -> None:
    make_participant(study)
    slot_issue_again(Slot.objects.get())
    line = lines(designer_client, log_of(study))[0]
    assert "The program | Gave a lost place in the orders again: nobody any more | whose: peopleplace: 1" in line


def test_details_are_words_and_not_those_of_python(study: Study, designer: User, designer_client: Client) -> None:
    options = ExportOptions(formats=("csv",), anonymous=True, selection=Selection(kinds=(Kind.PERSON,)))
    export_note(study=study, by=designer, options=options.to_json())
    link = links_create_labelled(study=study, labels=["L1"], by=designer)[0]
    link_change(link=link, comment="c", max_uses=1, expires_at=datetime(2099, 5, 4, 3, 2, tzinfo=UTC), by=designer)
    audit_record(actor=designer, action="study.odd", target=study, after={"new_thing": False, "names": []})
    odd, changed, made, export = lines(designer_client, log_of(study))[:4]
    assert "study: odd | names: nonenew thing: no" in odd
    assert "changed: comment, endvalid until: none → 4 May 2099, 03:02 UTC" in changed
    assert "kind of link: by labelhow many: 1" in made
    assert "anonymised: yeswhose: peoplestatus: allversion: allformats: csv" in export
