"""Who scored what: levels apart, kinds never mixed."""

import itertools

import pytest

from playtest.levels.services import levels_ensure_shipped
from playtest.studies.choices import Kind, Status
from playtest.studies.models import (
    Round,
)
from playtest.studies.selectors.participants import participants_listed, participants_with_scores
from playtest.studies.selectors.scores import scores_by_level
from playtest.studies.services import (
    participant_withdraw,
)
from tests.playtest.studies.factory import make_participant, make_study, play_rounds


@pytest.mark.django_db
def test_scores_are_grouped_by_level_and_kinds_never_mixed() -> None:
    levels_ensure_shipped()
    study = make_study(rounds=3)
    people = [make_participant(study)[0] for _ in range(2)]
    bot, _ = make_participant(study, kind=Kind.BOT)
    for participant in (*people, bot):
        play_rounds(participant)
    groups = scores_by_level(study=study, kinds=[Kind.PERSON])
    assert [(group.name, group.level is None, len(group.results)) for group in groups] == [
        ("Board 11", False, 2),
        ("Board 12", False, 2),
        ("Random boards", True, 2),
    ]
    assert groups[2].drawn == {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": 3}
    for group, participant in itertools.product(groups, people):
        [result] = [result for result in group.results if result.participant_id == participant.pk]
        row = Round.objects.get(pk=result.round_id)
        counts = list(row.moves.values_list("legal_before", flat=True))
        assert result.legal_mean == pytest.approx(sum(counts) / 3)
        assert (result.score, result.code, result.kind) == (row.score, participant.code, Kind.PERSON)
    assert [len(group.results) for group in scores_by_level(study=study, kinds=[Kind.BOT])] == [1, 1, 1]
    assert [len(group.results) for group in scores_by_level(study=study, kinds=[])] == [0, 0, 0]


@pytest.mark.django_db
def test_participants_are_listed_with_the_scores_of_their_rounds() -> None:
    study = make_study()
    played, _ = make_participant(study)
    play_rounds(played)
    gone, _ = make_participant(study)
    participant_withdraw(participant=gone)
    listed = participants_listed(study=study, kinds=[Kind.PERSON])
    rows = {row.pk: row for row in participants_with_scores(listed)}
    assert [score.score for score in rows[played.pk].rounds] == list(
        played.rounds.order_by("position").values_list("score", flat=True)
    )
    assert rows[played.pk].total == sum(score.score for score in rows[played.pk].rounds)
    assert (rows[gone.pk].code, rows[gone.pk].rounds, rows[gone.pk].status) == ("", (), Status.WITHDRAWN)
    assert not participants_listed(study=study, kinds=[Kind.BOT]).exists()
