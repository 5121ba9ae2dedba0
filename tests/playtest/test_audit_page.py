"""The audit log as a page: admins read every line, designers those of their own studies, and nobody else any."""

import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import AuditLog, User
from playtest.accounts.services import audit_record
from playtest.levels.models import Level
from playtest.studies.choices import Use
from playtest.studies.models import Study
from playtest.studies.services import study_create, study_publish, use_decide
from tests.playtest.studies.factory import make_participant, make_study, study_document

pytestmark = pytest.mark.django_db
PAGE = reverse("accounts:log")


@pytest.fixture
def study(designer: User) -> Study:
    return study_create(owner=designer, document=study_document())


def rows(client: Client, **asked: object) -> list[str]:
    """The lines of the table as text."""
    text = client.get(PAGE, asked).text
    body = text.partition("<tbody>")[2].partition("</tbody>")[0]
    return [part for part in body.split("<tr>") if part.strip()]


def test_an_admin_reads_every_line_and_narrows_them_down(study: Study, admin: User, admin_client: Client) -> None:
    make_study()
    level = Level.objects.create(name="Board", owner=admin)
    audit_record(actor=admin, action="level.create", target=level, after={"hash": "x"})
    lines = rows(admin_client)
    assert len(lines) == AuditLog.objects.count() == 4
    assert "Made a level" in lines[0]
    own = rows(admin_client, kind="studies.study", object=study.pk)
    assert len(own) == 1
    assert "Made the study" in own[0]
    assert "dora" in own[0]
    assert reverse("studies_staff:detail", args=[study.pk]) in own[0]
    assert len(rows(admin_client, kind="studies.study")) == 3
    only = rows(admin_client, kind="levels.level")
    assert len(only) == 1
    assert reverse("levels:detail", args=[level.pk]) in only[0]
    for odd in ({"kind": "x\0"}, {"kind": "studies.study", "object": "9" * 40}, {"object": "1"}, {"page": "-1"}):
        assert admin_client.get(PAGE, odd).status_code == 200


def test_a_designer_reads_the_lines_of_own_studies_alone(study: Study, designer_client: Client, admin: User) -> None:
    foreign = make_study()
    Study.objects.filter(pk=foreign.pk).update(owner=admin)
    study_publish(study=study, by=study.owner)
    for one in (study, foreign):
        participant, _ = make_participant(one)
        for row in (None, participant.rounds.first()):
            use_decide(participant=participant, row=row, use=Use.EXCLUDE, reason="Tried it out.", by=admin)
    lines = rows(designer_client)
    assert len(lines) == 4
    assert all(f"/staff/studies/{study.pk}/" in line for line in lines)
    assert rows(designer_client, kind="studies.study", object=foreign.pk) == []
    assert rows(designer_client, kind="accounts.user") == []


def test_nobody_else_reads_a_line(client: Client) -> None:
    assert client.get(PAGE).status_code == 302


def test_the_log_is_paged(admin: User, admin_client: Client) -> None:
    for _ in range(60):
        audit_record(actor=None, action="user.password", target=admin)
    assert len(rows(admin_client)) == 50
    assert len(rows(admin_client, page=2)) == AuditLog.objects.count() - 50
    assert "The program" in rows(admin_client)[0]
    assert f'href="{PAGE}"' in admin_client.get(reverse("accounts:dashboard")).text
