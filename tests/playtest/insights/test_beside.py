"""A person's game beside another's and beside an agent's, on the same boards and in the same study only."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.accounts.models import Role, User
from playtest.insights.selectors.beside import choices_beside, trace_beside
from playtest.studies.choices import AttemptReason, Kind
from playtest.studies.models import Attempt, Round, Study
from tests.playtest.insights.rows import make_participant, make_study, play_rounds, preset_levels

pytestmark = pytest.mark.django_db


def preset_boards() -> str:
    return preset_levels()[0].content_hash()


def rounds_of(study: Study) -> list[Round]:
    return list(Round.objects.filter(participant__study=study, level_hash=preset_boards()).order_by("pk"))


def test_people_and_personas_stand_side_by_side(played_study: Study, designer_client: Client) -> None:
    choices = choices_beside(study=played_study, boards=preset_boards())
    rounds = rounds_of(played_study)
    assert [key for key, _ in choices[:3]] == [f"round-{row.pk}" for row in sorted(rounds, key=lambda row: -row.score)]
    assert len(choices) == 3 + 2 * 3
    address = reverse("insights:beside", args=[played_study.pk, preset_boards()])
    text = designer_client.get(address, {"one": f"round-{rounds[1].pk}", "other": choices[-1][0]}).content.decode()
    left, right = (json.loads(one) for one in re.findall(r'type="application/json">(.*?)</script>', text))
    assert left["steps"][-1]["score"] == rounds[1].score
    assert left["start"]["board"] == right["start"]["board"]
    assert f"{rounds[1].participant.code or 'No. ' + str(rounds[1].participant_id)}, round" in text
    page = reverse("studies_staff:replay", args=[played_study.pk, rounds[1].participant_id, rounds[1].pk])
    assert f"{address}?one=round-{rounds[1].pk}" in designer_client.get(page).content.decode()


def test_attempts_do_not_shift_the_steps(played_study: Study) -> None:
    row = rounds_of(played_study)[0]
    Attempt.objects.create(
        round=row,
        before_seq=1,
        client_id="attempt-1",
        action=[[0, 0], [0, 1]],
        reason=AttemptReason.values[0],
        received_at=timezone.now(),
    )
    trace = trace_beside(f"round-{row.pk}", study=played_study, boards=preset_boards())
    assert trace is not None
    assert [step.anchor for step in trace.replay.steps] == [f"move-{number}" for number in range(1, 21)]


def test_a_game_of_another_study_or_board_is_not_shown(played_study: Study, designer: User) -> None:
    other = make_study(owner=designer)
    play_rounds(make_participant(other, Kind.PERSON), seed=9)
    foreign = rounds_of(other)[0]
    assert trace_beside(f"round-{foreign.pk}", study=other, boards=preset_boards()) is not None
    assert trace_beside(f"round-{foreign.pk}", study=played_study, boards=preset_boards()) is None
    elsewhere = Round.objects.filter(participant__study=played_study).exclude(level_hash=preset_boards())[0]
    assert trace_beside(f"round-{elsewhere.pk}", study=played_study, boards=preset_boards()) is None


def test_only_one_game_gives_a_sentence(designer: User, designer_client: Client) -> None:
    study = make_study(owner=designer)
    play_rounds(make_participant(study, Kind.BOT), seed=9)
    text = designer_client.get(reverse("insights:beside", args=[study.pk, preset_boards()])).content.decode()
    assert "There is only one game on these boards so far." in text


def test_games_are_for_those_who_see_the_study(played_study: Study, client: Client) -> None:
    address = reverse("insights:beside", args=[played_study.pk, preset_boards()])
    assert client.get(address).status_code == 302
    client.force_login(User.objects.create_user(username="eve", password="correct horse", role=Role.DESIGNER))
    assert client.get(address).status_code in (403, 404)
