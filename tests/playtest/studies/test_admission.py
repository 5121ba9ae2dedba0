"""Who may start: everybody by the start page, everybody who has the address, or only who has a link of their own."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import Admission, Kind, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.identity import start_marker
from playtest.studies.models import LinkDay, Participant, Study
from playtest.studies.recruiting import Recruited
from playtest.studies.services import participant_start, readymade_load, study_create
from playtest.studies.services.admission import admission_change
from playtest.studies.services.previews import preview_start
from tests.playtest.studies.factory import make_study, study_document
from tests.playtest.studies.linking import begin, one_time

pytestmark = pytest.mark.django_db

RECRUITED = Recruited("prolific", "ABC")


@pytest.fixture
def study(designer: User) -> Study:
    study = make_study()
    Study.objects.filter(pk=study.pk).update(owner=designer)
    study.refresh_from_db()
    return study


@pytest.fixture
def invited(study: Study) -> Study:
    """A study for those who have a link alone."""
    admission_change(study=study, admission=Admission.LINKS, by=None)
    return study


def entry(study: Study) -> str:
    return reverse("studies:entry", args=[study.public_id])


def test_a_new_study_is_not_on_the_start_page_before_somebody_says_so(study: Study, client: Client) -> None:
    assert study.admission == Admission.ADDRESS
    assert entry(study) not in client.get("/").text
    admission_change(study=study, admission=Admission.LISTED, by=None)
    assert entry(study) in client.get("/").text
    admission_change(study=study, admission=Admission.LINKS, by=None)
    assert entry(study) not in client.get("/").text


def test_the_ready_made_studies_are_listed_and_copies_of_them_are_not(admin: User, client: Client) -> None:
    study = readymade_load(owner=admin, slug="paper")
    assert study.admission == Admission.LISTED
    assert entry(study) in client.get("/").text
    assert study_create(owner=admin, document=study.draft).admission == Admission.ADDRESS


def test_loading_a_ready_made_study_again_leaves_who_may_start(admin: User) -> None:
    study = readymade_load(owner=admin, slug="paper")
    admission_change(study=study, admission=Admission.LINKS, by=admin)
    assert readymade_load(owner=admin, slug="paper").admission == Admission.LINKS


def test_the_plain_address_of_an_invited_study_lets_nobody_new_in_and_says_so(invited: Study, client: Client) -> None:
    page = client.get(entry(invited))
    assert page.status_code == 200
    assert "by a link of their own" in page.text
    assert 'type="submit"' not in page.text
    answer = client.post(reverse("studies:start", args=[invited.public_id]))
    assert answer["Location"] == entry(invited)
    assert not Participant.objects.exists()
    client.post(reverse("studies:opened", args=[invited.public_id]))
    assert not LinkDay.objects.exists()


def test_the_links_of_an_invited_study_let_people_in(invited: Study) -> None:
    assert begin(one_time(invited)).kind == Kind.PERSON


def test_who_began_by_the_plain_address_goes_on_after_it_was_closed_to_newcomers(study: Study, client: Client) -> None:
    start = reverse("studies:start", args=[study.public_id])
    client.post(start)
    known = participant_start(study=study, kind=Kind.PERSON, recruited=RECRUITED).participant
    admission_change(study=study, admission=Admission.LINKS, by=None)
    assert "Go on" in client.get(entry(study)).text
    assert client.post(start)["Location"] == reverse("studies:next", args=[study.public_id])
    assert "Go on" in Client().get(entry(study) + "?PROLIFIC_PID=ABC").text
    assert participant_start(study=study, kind=Kind.PERSON, recruited=RECRUITED).participant == known


def test_who_must_type_an_id_goes_on_by_it_and_newcomers_are_told(study: Study) -> None:
    participant_start(study=study, kind=Kind.PERSON, recruited=RECRUITED)
    admission_change(study=study, admission=Admission.LINKS, by=None)
    client, start = Client(), reverse("studies:start", args=[study.public_id]) + "?PROLIFIC_PID="
    new = client.post(start, {"recruiter_id": "NEW"}, follow=True)
    assert "nobody began by this id" in new.text
    assert client.post(start, {"recruiter_id": "ABC"})["Location"] == reverse("studies:next", args=[study.public_id])
    assert Participant.objects.count() == 1


def test_bots_and_previews_start_an_invited_study(invited: Study, designer: User, client: Client) -> None:
    marker = start_marker(study_id=invited.public_id, kind=Kind.BOT)
    page = client.get(entry(invited), headers={"start-marker": marker})
    start = reverse("studies:start", args=[invited.public_id])
    assert f'action="{start}"' in page.text
    client.post(start, {"marker": marker})
    preview_start(study=invited, by=designer)
    assert sorted(Participant.objects.values_list("kind", flat=True)) == [Kind.BOT, Kind.PREVIEW]


def test_who_may_start_is_changed_on_the_page_of_links_and_in_the_log(study: Study, designer_client: Client) -> None:
    links = reverse("studies_staff:links", args=[study.pk])
    text = designer_client.get(links).text
    assert "Who may start" in text
    answer = designer_client.post(reverse("studies_staff:admission", args=[study.pk]), {"admission": Admission.LINKS})
    assert answer["Location"] == links
    study.refresh_from_db()
    assert study.admission == Admission.LINKS
    line = AuditLog.objects.get(action="study.admission")
    assert (line.before, line.after) == ({"who may start": "address"}, {"who may start": "links"})
    text = designer_client.get(links).text
    assert "lets nobody new in" in text
    assert "Changed who may start" in designer_client.get(reverse("studies_staff:log", args=[study.pk])).text
    detail = designer_client.get(reverse("studies_staff:detail", args=[study.pk])).text
    assert "Everybody who opens it" not in detail


@pytest.mark.parametrize("value", ["", "4", "x", "\0"])
def test_what_is_no_such_choice_changes_nothing(study: Study, designer_client: Client, value: str) -> None:
    answer = designer_client.post(
        reverse("studies_staff:admission", args=[study.pk]), {"admission": value}, follow=True
    )
    assert answer.status_code == 200
    study.refresh_from_db()
    assert study.admission == Admission.ADDRESS
    assert not AuditLog.objects.filter(action="study.admission").exists()


def test_choosing_what_is_so_already_is_no_line_of_the_log(study: Study) -> None:
    assert not admission_change(study=study, admission=Admission.ADDRESS, by=None)
    assert not AuditLog.objects.filter(action="study.admission").exists()


def test_a_closed_study_stays_as_it_is(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    with pytest.raises(StudyError):
        admission_change(study=study, admission=Admission.LISTED, by=None)


def test_other_designers_do_not_change_who_may_start(study: Study, client: Client) -> None:
    other = User.objects.create_user("other", password="long enough for tests 1")
    client.force_login(other)
    client.post(reverse("studies_staff:admission", args=[study.pk]), {"admission": Admission.LISTED})
    study.refresh_from_db()
    assert study.admission == Admission.ADDRESS


@pytest.mark.parametrize(
    ("admission", "says"),
    [
        (Admission.LISTED, "start page of this site lists it"),
        (Admission.ADDRESS, "everybody who has its address"),
        (Admission.LINKS, "only who has a link"),
    ],
)
def test_the_page_of_publishing_says_who_may_start(
    designer: User, designer_client: Client, admission: Admission, says: str
) -> None:
    study = study_create(owner=designer, document=study_document())
    admission_change(study=study, admission=admission, by=designer)
    text = designer_client.get(reverse("studies_staff:publish", args=[study.pk])).text
    assert says in text
    assert reverse("studies_staff:links", args=[study.pk]) in text


@pytest.mark.django_db(transaction=True)
def test_studies_from_before_stay_as_open_as_they_were() -> None:
    executor = MigrationExecutor(connection)
    before, after = ("studies", "0009_study_time_limit"), ("studies", "0010_admission")
    executor.migrate([before])
    try:
        old = executor.loader.project_state([before]).apps.get_model("studies", "Study")
        old.objects.create(public_id="a" * 22, slug="old", title="Old", draft={})
    finally:
        MigrationExecutor(connection).migrate([after])
    assert Study.objects.get(slug="old").admission == Admission.LISTED
    Study.objects.all().delete()
