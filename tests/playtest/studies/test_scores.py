"""Who scored what: levels apart, kinds never mixed."""

import itertools

import pytest

from playtest.levels.services import levels_ensure_shipped
from playtest.studies.choices import Kind, MoveKind, Status
from playtest.studies.models import Move, Round
from playtest.studies.selectors.participants import participants_listed, participants_with_scores
from playtest.studies.selectors.scores import counts_mean, scores_by_level, standing_counts
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


@pytest.mark.parametrize(("horizon", "mean"), [(None, (2 + 3 + 9) / 3), (2, (2 + 3) / 2), (4, (2 + 3 + 9) / 4)])
@pytest.mark.django_db
def test_moves_that_were_taken_back_are_not_among_the_legal_moves(horizon: int | None, mean: float) -> None:
    participant, _ = make_participant(make_study())
    play_rounds(participant)
    own = Round.objects.filter(participant=participant)
    row = own[0]
    Move.objects.all().delete()
    kinds = (MoveKind.MOVE, MoveKind.MOVE, MoveKind.MOVE, MoveKind.UNDO, MoveKind.MOVE)
    for seq, (kind, legal) in enumerate(zip(kinds, (2, 3, 5, 7, 9), strict=True), start=1):
        Move.objects.create(
            round=row,
            seq=seq,
            kind=kind,
            client_id=f"entry-{seq:04}",
            action=None if kind == MoveKind.UNDO else 1,
            gained=0,
            score_after=0,
            steps=0,
            cleared=0,
            legal_before=legal,
            check_hex="",
            received_at=participant.started_at,
            conn=1,
        )
    [counts] = standing_counts(own).values()
    assert counts_mean(counts, horizon) == pytest.approx(mean)
    if horizon is None:
        groups = scores_by_level(study=participant.study, kinds=[Kind.PERSON])
        [found] = [one for group in groups for one in group.results if one.round_id == row.pk]
        assert found.legal_mean == pytest.approx(mean)
