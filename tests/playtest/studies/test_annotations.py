"""Leaving participants and rounds out of the figures: with a reason, append-only, gone with the person's data."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from playtest.accounts.models import AuditLog, User
from playtest.immutable import ImmutableRowError
from playtest.studies.choices import Kind, Use
from playtest.studies.errors import StudyError
from playtest.studies.models import Annotation, Participant, Study
from playtest.studies.selectors.annotations import annotations_of, decisions_read
from playtest.studies.selectors.scores import scores_by_level
from playtest.studies.services import participant_withdraw, use_decide
from tests.playtest.studies.factory import make_participant, make_study, play_rounds

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study(rounds=2)


@pytest.fixture
def played(study: Study) -> Participant:
    participant, _ = make_participant(study)
    play_rounds(participant)
    return participant


def counts(study: Study) -> list[tuple[int, int]]:
    """Of each level: rounds that count, rounds left out."""
    return [(len(one.results), len(one.left_out)) for one in scores_by_level(study=study, kinds=[Kind.PERSON])]


def test_excluding_a_participant_leaves_all_their_rounds_out(study: Study, played: Participant, admin: User) -> None:
    other, _ = make_participant(study)
    play_rounds(other)
    assert counts(study) == [(2, 0), (2, 0)]
    use_decide(participant=played, row=None, use=Use.EXCLUDE, reason="Said that a child played.", by=admin)
    assert counts(study) == [(1, 1), (1, 1)]
    groups = scores_by_level(study=study, kinds=[Kind.PERSON])
    assert {one.participant_id for group in groups for one in group.left_out} == {played.pk}
    use_decide(participant=played, row=None, use=Use.INCLUDE, reason="It was a mistake.", by=admin)
    assert counts(study) == [(2, 0), (2, 0)]


def test_excluding_a_round_leaves_the_others_in(study: Study, played: Participant, admin: User) -> None:
    first = played.rounds.get(position=1)
    use_decide(participant=played, row=first, use=Use.EXCLUDE, reason="The bell rang.", by=admin)
    assert sorted(counts(study)) == [(0, 1), (1, 0)]
    decided = decisions_read(participant_ids=[played.pk])[played.pk]
    assert decided.of_round(first.pk).use == Use.EXCLUDE
    assert decided.of_round(played.rounds.get(position=2).pk).use == Use.INCLUDE
    # With the participant, every round is out; taken in again, the round's own decision still holds.
    use_decide(participant=played, row=None, use=Use.EXCLUDE, reason="All of it.", by=admin)
    assert counts(study) == [(0, 1), (0, 1)]
    use_decide(participant=played, row=None, use=Use.INCLUDE, reason="Only the one.", by=admin)
    assert sorted(counts(study)) == [(0, 1), (1, 0)]


def test_decisions_stay_as_history(played: Participant, admin: User) -> None:
    first = use_decide(participant=played, row=None, use=Use.EXCLUDE, reason="Slept.", by=admin)
    second = use_decide(participant=played, row=None, use=Use.INCLUDE, reason="No.", by=None)
    third = use_decide(participant=played, row=None, use=Use.EXCLUDE, reason="Yes.", by=admin)
    assert [one.pk for one in annotations_of(participant=played)] == [third.pk, second.pk, first.pk]
    assert [one.superseded_by_id for one in annotations_of(participant=played)] == [None, third.pk, second.pk]
    with pytest.raises(ImmutableRowError):
        Annotation.objects.filter(pk=first.pk).update(reason="Other words.")
    first.reason = "Other words."
    with pytest.raises(ImmutableRowError):
        first.save()


@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 1_001, "a\0b", "\0"])
def test_a_decision_needs_a_reason_of_some_words(played: Participant, reason: str) -> None:
    with pytest.raises(StudyError) as refused:
        use_decide(participant=played, row=None, use=Use.EXCLUDE, reason=reason, by=None)
    assert refused.value.code == "reason"
    assert not Annotation.objects.exists()


def test_what_changes_nothing_or_belongs_to_others_is_refused(study: Study, played: Participant) -> None:
    with pytest.raises(StudyError, match="counts already"):
        use_decide(participant=played, row=None, use=Use.INCLUDE, reason="Why not.", by=None)
    other, _ = make_participant(study)
    with pytest.raises(StudyError, match="somebody else"):
        use_decide(participant=played, row=other.rounds.first(), use=Use.EXCLUDE, reason="No.", by=None)
    assert not AuditLog.objects.filter(action__startswith="participant.").exists()


def test_two_decisions_cannot_hold_at_once(played: Participant) -> None:
    now = timezone.now()
    row = played.rounds.first()
    for one in (None, row):
        Annotation.objects.create(participant=played, round=one, use=Use.EXCLUDE, reason="One.", at=now)
        with pytest.raises(IntegrityError), transaction.atomic():
            Annotation.objects.create(participant=played, round=one, use=Use.INCLUDE, reason="Two.", at=now)


def test_reasons_go_with_the_data_of_who_withdraws(played: Participant, admin: User) -> None:
    row = played.rounds.first()
    use_decide(participant=played, row=None, use=Use.EXCLUDE, reason="Anna fell asleep.", by=admin)
    use_decide(participant=played, row=None, use=Use.INCLUDE, reason="Anna woke up.", by=admin)
    use_decide(participant=played, row=row, use=Use.EXCLUDE, reason="Anna again.", by=admin)
    participant_withdraw(participant=played)
    assert not Annotation.objects.exists()
    log = AuditLog.objects.filter(action__in=["participant.exclude", "participant.include", "round.exclude"])
    assert log.count() == 3
    assert "Anna" not in json.dumps(list(log.values("object_label", "reason", "after")))
    with pytest.raises(StudyError, match="withdrew"):
        use_decide(participant=played, row=None, use=Use.EXCLUDE, reason="Gone.", by=admin)
