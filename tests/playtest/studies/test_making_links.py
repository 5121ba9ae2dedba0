"""Links as staff make, change and switch them: all of a list or nothing, and never more uses than allowed."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import LinkMode, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.labels import labels_read
from playtest.studies.models import Link, Study
from playtest.studies.services import study_set_state
from playtest.studies.services.links import (
    MOST_LINKS,
    link_change,
    link_create,
    links_create_labelled,
    links_create_one_time,
    links_switch,
)
from tests.playtest.racing import race
from tests.playtest.studies.factory import make_study
from tests.playtest.studies.linking import begin, labelled, one_time, open_link, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study()


def test_labels_are_read_a_line_each_and_bad_lines_are_named() -> None:
    labels, faults = labels_read("  A 1 \r\n\n=B;2\nA 1\nzażółć\n" + "x" * 101 + "\na\x07b\n🎲\n")
    assert labels == ["A 1", "=B;2", "zażółć", "🎲"]
    assert faults == [
        "Line 4: “A 1” stands in line 1 already.",
        "Line 6 has 101 characters; a label has at most 100.",
        "Line 7 holds a character that cannot be printed.",
    ]


def test_labels_that_are_taken_make_no_link_at_all(study: Study) -> None:
    labelled(study, "B")
    with pytest.raises(StudyError) as caught:
        links_create_labelled(study=study, labels=["A", "B", "C"], by=None)
    assert caught.value.code == "label"
    assert list(Link.objects.values_list("label", flat=True)) == ["B"]
    links_create_labelled(study=make_study(), labels=["B"], by=None)


@pytest.mark.parametrize("number", [0, -1, MOST_LINKS + 1])
def test_too_many_links_or_none_are_refused(study: Study, number: int) -> None:
    with pytest.raises(StudyError):
        links_create_one_time(study=study, number=number, by=None)
    assert not Link.objects.exists()


def test_a_closed_study_gets_no_link_and_no_link_is_born_over(study: Study) -> None:
    with pytest.raises(StudyError, match="over"):
        link_create(study=study, expires_at=timezone.now(), by=None)
    study_set_state(study=study, state=StudyState.CLOSED)
    with pytest.raises(StudyError, match="closed"):
        link_create(study=study, by=None)


def test_fewer_uses_than_there_were_are_refused(study: Study) -> None:
    link = open_link(study)
    begin(link)
    begin(link)
    with pytest.raises(StudyError, match="2 started"):
        link_change(link=link, comment="", max_uses=1, expires_at=None, by=None)
    assert link_change(link=link, comment="", max_uses=2, expires_at=None, by=None)
    assert not link_change(link=link, comment="", max_uses=2, expires_at=None, by=None)
    assert "As many people as were wanted" in refused(link)


def test_the_database_itself_refuses_more_uses_than_allowed(study: Study) -> None:
    link = one_time(study)
    for values in ({"uses": 2}, {"max_uses": 2}, {"max_uses": None}, {"mode": LinkMode.LABELLED}, {"label": "A"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Link.objects.filter(pk=link.pk).update(**values)


def test_every_change_is_a_line_of_the_log_without_token_label_and_comment(study: Study, designer: User) -> None:
    link = links_create_labelled(study=study, labels=["Her name"], comment="class 4", by=designer)[0]
    link_change(link=link, comment="class 5", max_uses=9, expires_at=None, by=designer)
    assert links_switch(study=study, keys=[link.pk], active=False, by=designer) == 1
    assert links_switch(study=study, keys=[link.pk], active=False, by=designer) == 0
    lines = AuditLog.objects.filter(action__startswith="link.", object_id=study.pk).order_by("id")
    assert [(line.action, line.actor) for line in lines] == [
        ("link.create", designer),
        ("link.change", designer),
        ("link.off", designer),
    ]
    assert lines[1].after == {"link": link.pk, "changed": ["comment"]}
    link.refresh_from_db()
    assert link.max_uses == 1
    for line in lines:
        said = f"{line.object_label} {line.before} {line.after}"
        assert "Her name" not in said
        assert "class" not in said
        assert link.token not in said


@pytest.mark.django_db(transaction=True)
def test_the_same_labels_pasted_twice_at_once_make_one_link_each() -> None:
    study = make_study()
    labels = [f"A {number}" for number in range(20)]

    def make() -> bool:
        try:
            links_create_labelled(study=study, labels=labels, by=None)
        except StudyError:
            return False
        return True

    assert sorted(race([make] * 4)) == [False, False, False, True]
    assert Link.objects.filter(study=study).count() == 20
