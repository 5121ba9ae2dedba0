"""People on a level predicted from other levels: the line, what it says, and what a level's page shows of it."""

import math
import re
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from scipy import stats

from engine.level import Level, draw_level
from playtest.accounts.models import User
from playtest.insights.calibration import PlayedLevel, people_means, people_observed, people_predicted, predict
from playtest.insights.report.filters import Filters
from playtest.insights.services.figures import sections_ensure
from playtest.insights.statistics import Estimate, Interval, Line, NotKnown, left_one_out, line_fit, mean_absolute_error
from playtest.insights.who import Who
from playtest.levels.models import DefaultAgent, LevelVersion
from playtest.levels.models import Level as LevelRow
from playtest.levels.people import Prediction
from playtest.levels.selectors import entries_shown, report_newest
from playtest.levels.services import level_create, playtest_request
from playtest.studies.choices import Kind, Use
from playtest.studies.models import Round, Study
from playtest.studies.services.annotations import use_decide
from tests.playtest.insights.rows import make_participant, make_study, play_rounds
from tests.playtest.levels.playing import make_specs, work_all

# NIST Statistical Reference Datasets, linear regression, "Norris": calibration of ozone monitors.
NORRIS_Y = [0.1, 338.8, 118.1, 888.0, 9.2, 228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3, 0.1, 778.1, 668.8, 339.3]
NORRIS_Y += [448.9, 10.8, 557.7, 228.3, 998.0, 888.8, 119.6, 0.3, 0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2, 117.6]
NORRIS_Y += [228.9, 668.4, 449.2, 0.2]
NORRIS_X = [0.2, 337.4, 118.2, 884.6, 10.1, 226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4, 0.6, 775.5, 666.9, 338.0]
NORRIS_X += [447.5, 11.6, 556.0, 228.1, 995.8, 887.6, 120.2, 0.3, 0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1, 118.3]
NORRIS_X += [229.2, 669.1, 448.9, 0.5]


def line_of(xs: list[float], ys: list[float]) -> Line:
    line = line_fit(xs, ys)
    assert isinstance(line, Line)
    return line


def test_line_has_the_certified_values() -> None:
    line = line_of(NORRIS_X, NORRIS_Y)
    assert line.n == 36
    assert line.intercept == pytest.approx(-0.262323073774029, rel=1e-10)
    assert line.slope == pytest.approx(1.00211681802045, rel=1e-12)
    assert line.sd == pytest.approx(0.884796396144373, rel=1e-10)


def test_prediction_interval_holds_one_more_value_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(1_000):
        xs = rng.uniform(0, 10, 5)
        ys = 3 + 2 * xs + rng.normal(0, 1, 5)
        found = line_of(xs.tolist(), ys.tolist()).prediction(7.0)
        assert isinstance(found, Estimate)
        assert isinstance(found.interval, Interval)
        hits += found.interval.lo <= 17 + rng.normal() <= found.interval.hi
    assert stats.binomtest(hits, 1_000, 0.95).pvalue > 0.001


def test_each_pair_is_predicted_without_itself() -> None:
    xs, ys = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 9.0]
    predicted = left_one_out(xs, ys)
    last = predicted[-1]
    assert isinstance(last, Estimate)
    assert last.value == pytest.approx(4.0)
    assert isinstance(last.interval, NotKnown)
    first = stats.linregress(xs[1:], ys[1:])
    assert isinstance(predicted[0], Estimate)
    assert predicted[0].value == pytest.approx(first.intercept + first.slope)
    assert mean_absolute_error(predicted[-1:], ys[-1:]) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("xs", "ys"), [([], []), ([1.0], [2.0]), ([1.0, 2.0], [1.0, 5.0]), ([3.0, 3.0, 3.0], [1.0, 2.0, 3.0])]
)
def test_too_few_or_equal_pairs_give_words(xs: list[float], ys: list[float]) -> None:
    assert isinstance(line_fit(xs, ys), NotKnown)
    predicted = left_one_out(xs, ys)
    assert all(isinstance(one, NotKnown) for one in predicted)
    assert mean_absolute_error(predicted, ys) is None


def test_prediction_is_the_line_through_quartiles_of_people() -> None:
    levels = [PlayedLevel(x, [x * share for share in (1.0, 1.2, 1.4, 1.6, 1.8)]) for x in (100.0, 200.0, 400.0)]
    found = predict(levels, 300.0)
    assert isinstance(found, Prediction)
    assert (found.low, found.median, found.high) == pytest.approx((360.0, 420.0, 480.0))
    assert (found.levels, found.people, found.is_outside) == (3, 15, False)
    # On one line there is no spread to tell an interval from, and with three levels none can be left out.
    assert (found.lo, found.hi, found.error) == (None, None, None)
    bent = predict([*levels, PlayedLevel(800.0, [900.0] * 5)], 1_000.0)
    assert isinstance(bent, Prediction)
    assert bent.is_outside
    assert bent.lo is not None
    assert bent.hi is not None
    assert bent.lo < bent.median < bent.hi
    assert bent.error is not None
    assert bent.low <= bent.median <= bent.high
    assert all(math.isfinite(value) for value in astuple(bent) if value is not None)


def test_few_levels_and_equal_ones_are_told_in_words() -> None:
    one = PlayedLevel(100.0, [1.0] * 5)
    assert "no level besides this one" in str(predict([], 1.0))
    assert "1 level besides" in str(predict([one], 1.0))
    assert "scored the same" in str(predict([one, one, one], 1.0))


def levels() -> list[Level]:
    return [
        draw_level(rows=5, cols=5, colours=5, moves=moves, seed=seed, name=f"Level {moves}")
        for seed, moves in enumerate((3, 5, 8, 12), start=21)
    ]


@pytest.fixture
def study(designer: User) -> Study:
    """Four levels that two agents have played; nobody else has."""
    for position, spec in enumerate(make_specs("random", "vanilla")):
        DefaultAgent.objects.create(game="match3", slug=spec.name.lower(), position=position, agent_spec=spec)
    for level in levels():
        playtest_request(level_version=level_create(owner=designer, level=level), games=5, iterations=4)
    work_all()
    return make_study(owner=designer, levels=levels(), drawn=1)


def play(study: Study, number: int, kind: Kind = Kind.PERSON) -> None:
    for one in range(number):
        play_rounds(make_participant(study, kind), seed=40 + one)


def known(version: LevelVersion) -> Any:
    report = report_newest(boards_hash=version.hash)
    assert report is not None
    observed = people_observed(game=version.game, level_hash=version.hash)
    return people_predicted(report, entries_shown(report=report)), observed


def page(client: Client, version: LevelVersion) -> str:
    return client.get(reverse("levels:detail", args=[version.level_id])).content.decode()


@pytest.mark.django_db
def test_level_page_says_why_nothing_is_calibrated_until_people_have_played(
    study: Study, designer_client: Client
) -> None:
    version = LevelRow.objects.get(name="Level 8").current
    assert version is not None
    play(study, 6, Kind.BOT)
    text = page(designer_client, version)
    assert "People, predicted" not in text
    assert "People, observed" not in text
    assert known(version) == ("5 people or more and Vanilla have played no level besides this one, it takes 3", None)
    play(study, 4)
    assert "no level besides this one" in known(version)[0]
    assert "middle half of 4 people" in page(designer_client, version)
    play(study, 1)
    found, observed = known(version)
    assert isinstance(found, Prediction)
    assert (found.levels, found.people, observed.people) == (3, 15, 5)
    text = page(designer_client, version)
    assert "People, predicted" in text
    assert "from 15 people on 3 other levels" in text
    assert not re.search(r"\bnan\b", text.lower().split("people, predicted")[1])


@pytest.mark.django_db
def test_only_rounds_that_count_and_means_of_participants_calibrate(study: Study, designer: User) -> None:
    play(study, 5)
    play(study, 2, Kind.PREVIEW)
    wanted = levels()[0].content_hash()
    scores = people_means(game="match3")[wanted]
    expected = Round.objects.filter(level_hash=wanted, kind=Kind.PERSON).order_by("participant_id")
    assert scores == [float(score) for score in expected.values_list("score", flat=True)]
    row = expected[0]
    use_decide(participant=row.participant, row=row, use=Use.EXCLUDE, reason="It was interrupted.", by=designer)
    assert people_means(game="match3")[wanted] == scores[1:]
    assert people_means(game="match3", level_hash=wanted) == {wanted: scores[1:]}
    assert people_means(game="samegame") == {}


@pytest.mark.django_db
def test_study_page_holds_predictions_from_other_levels_against_what_was(study: Study) -> None:
    def section(who: Who) -> dict[str, Any]:
        document = sections_ensure(study=study, filters=Filters(who=who), versions=[1])
        found: dict[str, Any] = next(one for one in document["sections"] if one["key"] == "calibration")
        return found

    assert section(Who.PEOPLE)["rows"] == []
    play(study, 5)
    found = section(Who.PEOPLE)
    assert [row[0]["text"] for row in found["rows"]] == [f"Level {moves}" for moves in (3, 5, 8, 12)]
    assert found["figure"] is not None
    lines = found["lines"]
    head = lines[0]
    xs, observed = ([float(line[head.index(name)]) for line in lines[1:]] for name in (head[2], "Observed median"))
    others = stats.linregress(xs[1:], observed[1:])
    assert float(lines[1][head.index("Predicted median")]) == pytest.approx(others.intercept + others.slope * xs[0])
    assert section(Who.BOTS)["rows"] == []
