"""What is said of many people, of few, of one and of none."""

import json

import pytest

from playtest.charts import Figures, Group, Point, distribution_figure, dodged
from playtest.insights.people import people_count_text, people_figures, people_legal, people_sentence
from playtest.levels.selectors import summary_figures
from playtest.studies.choices import Kind, Status
from playtest.studies.selectors.scores import RoundResult

WORDS = {"one": "person", "many": "people", "nobody": "Nobody yet."}


def results(*rounds: tuple[int, int], legal: float | None = 5.0) -> list[RoundResult]:
    """Rounds given as (participant, score)."""
    return [
        RoundResult(
            round_id=number,
            participant_id=participant,
            code=f"P{participant}",
            kind=Kind.PERSON,
            status=Status.COMPLETED,
            position=number,
            level_hash="",
            score=score,
            moves_used=20,
            legal_mean=legal,
        )
        for number, (participant, score) in enumerate(rounds, start=1)
    ]


def test_nobody_gives_no_figures_but_a_sentence() -> None:
    assert people_figures([]) is None
    assert people_legal([]) is None
    assert people_sentence([], **WORDS) == "Nobody yet."


def test_one_person_has_a_score_and_no_interval() -> None:
    one = results((1, 1500))
    figures = people_figures(one)
    assert figures is not None
    assert (figures.n, figures.mean, figures.median, figures.sd, figures.ci_lo, figures.ci_hi) == (
        *(1, 1500, 1500),
        *(None, None, None),
    )
    assert "One person has finished one round" in people_sentence(one, **WORDS)


def test_equal_scores_are_said_in_words() -> None:
    equal = results((1, 1200), (2, 1200), (3, 1200))
    assert people_sentence(equal, **WORDS) == "All 3 people scored exactly 1,200."
    figures = people_figures(equal)
    assert figures is not None
    assert (figures.ci_lo, figures.ci_hi, figures.sd) == (1200, 1200, 0)


def test_different_scores_need_no_sentence() -> None:
    assert people_sentence(results((1, 1200), (2, 1300)), **WORDS) == ""


def test_interval_counts_people_not_rounds() -> None:
    rounds = results((1, 1000), (1, 2000), (2, 3000), (2, 5000), (3, 4000))
    figures = people_figures(rounds)
    of_means = summary_figures([1500.0, 4000.0, 4000.0])
    assert figures is not None
    assert of_means is not None
    # Quartiles are those of the five rounds, the mean is that of the three people's own means.
    assert (figures.n, figures.median, figures.least, figures.most) == (5, 3000, 1000, 5000)
    assert figures.mean == pytest.approx((1500 + 4000 + 4000) / 3)
    assert (figures.ci_lo, figures.ci_hi) == (of_means.ci_lo, of_means.ci_hi)
    assert people_count_text(rounds) == "n = 3\n5 rounds"
    assert people_count_text(results((1, 1000), (2, 1000))) == "n = 2"


def test_rounds_of_one_person_alone_have_no_interval() -> None:
    rounds = results((1, 1000), (1, 2000))
    figures = people_figures(rounds)
    assert figures is not None
    assert figures.ci_lo is None
    assert "One person has finished 2 rounds" in people_sentence(rounds, **WORDS)


def test_rounds_without_moves_have_no_legal_moves_to_speak_of() -> None:
    assert people_legal(results((1, 0), legal=None)) is None
    legal = people_legal(results((1, 1000), (2, 2000)))
    assert legal is not None
    assert (legal.mean, legal.lo, legal.hi) == (5, 5, 5)


@pytest.mark.parametrize("values", [[1500.0], [1500.0, 1500.0], [0.0] * 6, [1200.0, 9000.0, 1300.0, 1250.0, 4000.0]])
def test_figure_of_few_or_equal_values_holds_no_nan(values: list[float]) -> None:
    points = tuple(Point(f"P{n}", value) for n, value in enumerate(values))
    groups = [
        Group("people", "People", summary_figures(values), points),
        Group("maxs", "Max'S\\", summary_figures(values)),
        Group("greedy", "Nobody", None),
    ]
    spec = distribution_figure(groups, axis="Score", description="A test.")
    text = json.dumps(spec, allow_nan=False)
    assert "Nobody" not in text
    rows = {row["label"]: row for row in spec["datasets"]["groups"]}
    assert rows["People"]["box"] == (len(values) >= 5)
    assert rows["People"]["centre"] == (len(values) > 1)
    assert rows["Max'S\\"]["centre"]
    assert rows["People"]["n_text"] == f"n = {len(values)}"
    assert (rows["People"]["ci_lo"] is None) == (len(values) == 1)


def test_figure_without_groups_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        distribution_figure([Group("people", "People", None)], axis="Score", description="")


def test_equal_points_are_drawn_side_by_side() -> None:
    offsets = dodged([5.0, 5.0, 5.0, 900.0], width=10.0)
    assert len(set(offsets[:3])) == 3
    assert offsets[3] == 0
    assert max(map(abs, dodged([1.0] * 50, width=1.0))) < 0.4


def test_figures_can_be_of_anything() -> None:
    figures = Figures(1, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0)
    assert distribution_figure([Group("none", "Someone", figures)], axis="Legal moves", description="")["layer"]
