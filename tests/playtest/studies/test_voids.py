"""Rounds that staff declare void: kept, counted nowhere, not played on; and new attempts, which their people find."""

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import Kind, RoundState, Status, Use
from playtest.studies.errors import StudyError
from playtest.studies.models import Annotation, Move, Participant, Round, Study
from playtest.studies.play.hub import Hub
from playtest.studies.selectors.annotations import decisions_read
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.participants import participants_with_scores
from playtest.studies.selectors.scores import scores_by_level
from playtest.studies.selectors.steps import step_due
from playtest.studies.services import page_submit
from playtest.studies.services.annotations import use_decide
from playtest.studies.services.completion import participant_complete_if_due
from playtest.studies.services.pages import Shown
from playtest.studies.services.voids import round_again, round_void
from tests.playtest.studies.client import PlayClient
from tests.playtest.studies.exporting import export, finished, play, rescored, table
from tests.playtest.studies.factory import make_participant, make_study, play_rounds

WHY = "The screen broke."


def round_at(participant: Participant, position: int, attempt: int = 1) -> Round:
    return Round.objects.get(participant=participant, position=position, attempt=attempt)


def fresh(participant: Participant) -> Participant:
    return Participant.objects.select_related("version").get(pk=participant.pk)


@pytest.fixture
def participant(db: None) -> Participant:
    return make_participant(make_study(rounds=3))[0]


@pytest.fixture
def by(designer: User) -> User:
    return designer


def results(study: Study) -> list[int]:
    return [one.round_id for group in scores_by_level(study=study, kinds=[Kind.PERSON]) for one in group.results]


def test_void_round_is_kept_logged_and_in_no_figure(participant: Participant, by: User) -> None:
    play_rounds(participant, position=1)
    row = round_at(participant, 1)
    assert results(participant.study) == [row.pk]
    round_void(row=row, reason=WHY, again=False, by=by)
    assert (row.state, row.seq, row.moves.count()) == (RoundState.VOID, 3, 3)
    assert results(participant.study) == []
    assert participants_with_scores([fresh(participant)])[0].total == 0
    made = Annotation.objects.get(round=row)
    assert (made.use, made.reason, made.by) == (Use.EXCLUDE, WHY, by)
    line = AuditLog.objects.get(action="round.void")
    assert (line.actor, line.object_id, line.after) == (
        by,
        row.pk,
        {"study": participant.study_id, "annotation": made.pk},
    )
    assert WHY not in str(line.after)


def test_void_round_cannot_be_counted_again(participant: Participant, by: User) -> None:
    play_rounds(participant, position=1)
    row = round_at(participant, 1)
    round_void(row=row, reason=WHY, again=False, by=by)
    with pytest.raises(StudyError, match="no figure counts it"):
        use_decide(participant=participant, row=row, use=Use.INCLUDE, reason="After all", by=by)


def test_what_was_left_out_before_can_be_void_and_has_one_decision(participant: Participant, by: User) -> None:
    play_rounds(participant, position=1)
    row = round_at(participant, 1)
    use_decide(participant=participant, row=row, use=Use.EXCLUDE, reason="Odd", by=by)
    round_void(row=row, reason=WHY, again=False, by=by)
    assert decisions_read(participant_ids=[participant.pk])[participant.pk].of_round(row.pk).reason == WHY


def test_without_a_new_attempt_one_goes_on_and_completes(participant: Participant, by: User) -> None:
    play_rounds(participant, position=1, moves=1)
    round_void(row=round_at(participant, 1), reason=WHY, again=False, by=by)
    assert step_due(fresh(participant)).position == 2
    play_rounds(participant, position=2)
    play_rounds(participant, position=3)
    assert participant_complete_if_due(participant_id=participant.pk)


def test_nobody_is_asked_about_a_round_that_is_void(db: None, by: User) -> None:
    participant, _ = make_participant(make_study(rounds=1, after_round=True))
    play_rounds(participant)
    assert step_due(participant).kind == "questionnaire"
    round_void(row=round_at(participant, 1), reason=WHY, again=False, by=by)
    assert fresh(participant).status == Status.COMPLETED


def test_new_attempt_is_at_the_same_level_and_comes_next(participant: Participant, by: User) -> None:
    play_rounds(participant, position=1)
    row = round_at(participant, 1)
    new = round_void(row=row, reason=WHY, again=True, by=by)
    assert new is not None
    assert (new.position, new.attempt, new.state, new.seq) == (1, 2, RoundState.PLANNED, 0)
    assert (new.level_hash, new.seed, new.level, new.level_version_id) == (
        row.level_hash,
        row.seed,
        row.level,
        row.level_version_id,
    )
    due = step_due(fresh(participant))
    assert (due.kind, due.position) == ("rounds", 1)
    assert AuditLog.objects.get(action="round.again").object_id == new.pk


def test_open_round_is_played_to_its_end_before_a_new_attempt_at_an_earlier_one(
    participant: Participant, by: User
) -> None:
    play_rounds(participant, position=1)
    play_rounds(participant, position=2, moves=1)
    round_void(row=round_at(participant, 1), reason=WHY, again=True, by=by)
    assert step_due(fresh(participant)).position == 2
    Round.objects.filter(pk=round_at(participant, 2).pk).update(state=RoundState.PLANNED)
    assert step_due(fresh(participant)).position == 1


def test_new_attempt_can_be_granted_later_and_once(participant: Participant, by: User) -> None:
    play_rounds(participant, position=1)
    row = round_at(participant, 1)
    round_void(row=row, reason=WHY, again=False, by=by)
    round_again(row=row, by=by)
    with pytest.raises(StudyError, match="last attempt"):
        round_again(row=row, by=by)


def test_completion_asks_for_the_new_attempt(participant: Participant, by: User) -> None:
    play_rounds(participant, position=1)
    play_rounds(participant, position=2)
    round_void(row=round_at(participant, 1), reason=WHY, again=True, by=by)
    play(participant, position=3)
    assert not participant_complete_if_due(participant_id=participant.pk)
    play(participant, position=1)
    assert participant_complete_if_due(participant_id=participant.pk)


def test_answers_given_about_a_void_round_stay_and_are_not_asked_again(db: None, by: User) -> None:
    participant, _ = make_participant(make_study(rounds=1, after_round=True))
    play_rounds(participant)
    document = version_document(participant.version)
    questions = document.rounds_page_at(1).questions_after(1)
    assert questions is not None
    answers: dict[str, Any] = {item.key: 3 for item in questions.items}
    page_submit(participant=participant, page=questions, answers=answers, shown=Shown("visit-for-a-test-00001"))
    round_void(row=round_at(participant, 1), reason=WHY, again=True, by=by)
    play(participant, position=1)
    assert participant_complete_if_due(participant_id=participant.pk)
    assert participant.answers.count() == len(questions.items)


@pytest.mark.parametrize(("reason", "words"), [("  ", "say why"), ("x" * 1_001, "at most 1,000 characters")])
def test_void_needs_a_reason(participant: Participant, by: User, reason: str, words: str) -> None:
    play_rounds(participant, position=1)
    with pytest.raises(StudyError, match=words):
        round_void(row=round_at(participant, 1), reason=reason, again=False, by=by)
    assert round_at(participant, 1).state == RoundState.DONE


def test_what_nobody_began_and_what_is_void_already_cannot_be_void(participant: Participant, by: User) -> None:
    with pytest.raises(StudyError, match="nobody began it"):
        round_void(row=round_at(participant, 1), reason=WHY, again=False, by=by)
    play_rounds(participant, position=1)
    round_void(row=round_at(participant, 1), reason=WHY, again=False, by=by)
    with pytest.raises(StudyError, match="void already"):
        round_void(row=round_at(participant, 1), reason=WHY, again=False, by=by)


def test_who_completed_gets_no_new_attempt_and_nothing_is_half_done(participant: Participant, by: User) -> None:
    play_rounds(participant)
    participant_complete_if_due(participant_id=participant.pk)
    with pytest.raises(StudyError, match="came to an end"):
        round_void(row=round_at(participant, 1), reason=WHY, again=True, by=by)
    assert round_at(participant, 1).state == RoundState.DONE
    round_void(row=round_at(participant, 1), reason=WHY, again=False, by=by)
    assert fresh(participant).status == Status.COMPLETED


def test_staff_page_declares_void_and_grants_a_new_attempt(
    participant: Participant, designer: User, designer_client: Client
) -> None:
    Study.objects.filter(pk=participant.study_id).update(owner=designer)
    play_rounds(participant, position=1)
    row = round_at(participant, 1)
    page = reverse("studies_staff:participant", args=[participant.study_id, participant.pk])
    void = reverse("studies_staff:round_void", args=[participant.study_id, participant.pk, row.pk])
    assert "Declare void" in designer_client.get(page).text
    assert "Please say why" in designer_client.post(void, {"reason": ""}, follow=True).text
    shown = designer_client.post(void, {"reason": WHY}, follow=True).text
    assert WHY in shown
    assert "Grant a new attempt" in shown
    assert "attempt 2" in designer_client.post(void, {"again": "1"}, follow=True).text


def test_strangers_declare_nothing_void(participant: Participant, designer_client: Client) -> None:
    play_rounds(participant, position=1)
    row = round_at(participant, 1)
    void = reverse("studies_staff:round_void", args=[participant.study_id, participant.pk, row.pk])
    assert designer_client.post(void, {"reason": WHY}).status_code in {403, 404}
    assert round_at(participant, 1).state == RoundState.DONE


async def test_board_that_is_open_is_left_and_who_comes_back_finds_the_new_attempt(hub: Hub, designer: User) -> None:
    study = await sync_to_async(make_study)(rounds=1)
    participant, token = await sync_to_async(make_participant)(study)
    client = PlayClient(study.public_id, token)
    await client.hello()
    await client.play()
    row = await sync_to_async(round_at)(participant, 1)
    await sync_to_async(round_void)(row=row, reason=WHY, again=True, by=designer)
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("error"))["code"] == "ended"
    assert await sync_to_async(Move.objects.count)() == 1
    again = PlayClient(study.public_id, token)
    state = await again.hello()
    assert (state["round"], state["seq"], state["score"]) == ("1.2", 0, 0)
    await again.leave()


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_export_has_void_rounds_marked_and_the_wide_table_the_last_attempt(tmp_path: Path, designer: User) -> None:
    study = make_study(rounds=2)
    participant, _ = make_participant(study)
    play(participant, position=1)
    round_void(row=round_at(participant, 1), reason=WHY, again=True, by=designer)
    play(participant, position=1, choice=1)
    done = finished(study, kind=Kind.PERSON)
    round_void(row=round_at(done, 1), reason=WHY, again=False, by=designer)
    folder = export(study, tmp_path / "out", "--format", "csv")
    connections["reading"].close()
    rounds = {row["round"]: row for row in table(folder, "rounds")}
    names = (f"{participant.code}-1.1", f"{participant.code}-1.2", f"{done.code}-1.1")
    void, again, last = (rounds[name] for name in names)
    assert [(one["state"], one["use"], one["use_reason"]) for one in (void, again, last)] == [
        ("void", "exclude", WHY),
        ("done", "include", ""),
        ("void", "exclude", WHY),
    ]
    assert len([row for row in table(folder, "moves") if row["round"] == void["round"]]) == 3
    assert rescored(folder)["faults"] == []
    wide = {row["participant"]: row for row in table(folder, "wide")}
    assert wide[participant.code or ""]["rounds.fixed-1.state"] == "done"
    assert wide[done.code or ""]["rounds.fixed-1.use"] == "exclude"
    assert "void: staff decided so" in (folder / "codebook.md").read_text("utf-8")
