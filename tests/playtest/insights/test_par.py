"""What people and personas reach of par, on the page of one level of a study."""

import re
from statistics import fmean, median

import pytest
from django.test import Client
from django.urls import reverse

from engine.level import draw_level
from playtest.insights.report.filters import Filters
from playtest.insights.services.figures import sections_ensure
from playtest.insights.services.playtests import study_playtest
from playtest.insights.statistics import Sample
from playtest.levels.board_key import board_key
from playtest.levels.models import DefaultAgent, LevelVersion, Restart
from playtest.levels.par import par_of
from playtest.levels.services import agent_spec_ensure, level_create, restart_work_next, search_request
from playtest.studies.choices import Kind
from playtest.studies.models import Study
from tests.playtest.insights.rows import make_participant, make_study, play_rounds
from tests.playtest.levels.playing import work_all

pytestmark = pytest.mark.django_db
GROUPS = draw_level(game="samegame", rows=5, cols=5, colours=3, seed=4, name="Groups")


@pytest.fixture
def study(db: None) -> Study:
    spec = agent_spec_ensure(document={"kind": "random", "name": "random"})
    DefaultAgent.objects.create(game="samegame", slug="random", position=0, agent_spec=spec)
    return make_study(levels=[GROUPS], drawn=0)


def shares(study: Study) -> dict[str, list[str]] | None:
    """The rows of the section by whose they are; None without the section."""
    found = sections_ensure(study=study, filters=Filters(), versions=[1], only=GROUPS.content_hash())
    for section in found["sections"]:
        if section["key"] == "par":
            return {line[0]: line[1:] for line in section["lines"][1:]}
    return None


def test_scores_of_people_and_personas_are_shares_of_the_best_play(study: Study) -> None:
    scores = [play_rounds(make_participant(study, Kind.PERSON), seed=seed)[0] for seed in range(40, 46)]
    study_playtest(study=study, by=None)
    work_all()
    assert shares(study) is None, "nobody has searched"
    search_request(level_version=LevelVersion.objects.get(hash=GROUPS.content_hash()), seconds=1)
    while restart_work_next(worker="test"):
        pass
    par = par_of(board_key(GROUPS.to_document()))
    assert par is not None
    found = shares(study)
    assert found is not None, "what is kept of the page is older than par"
    n, mean, low, high, middle, _, _, best = found["People"]
    assert n == "6"
    assert float(mean) == pytest.approx(100 * fmean(scores) / par.score)
    assert float(low) < float(mean) < float(high)
    assert float(middle) == pytest.approx(100 * median(scores) / par.score)
    assert float(best) == pytest.approx(100 * max(scores) / par.score)
    assert float(best) <= 100
    assert "Random" in found


def test_par_that_is_no_gain_has_no_shares(study: Study) -> None:
    search_request(level_version=level_create(owner=None, level=GROUPS), seconds=1)
    while restart_work_next(worker="test"):
        pass
    Restart.objects.update(score=-20)
    assert shares(study) is None


def test_scaled_sample_keeps_its_owners_and_what_is_missing() -> None:
    sample = Sample.of([("a", 1.0), ("a", 3.0), ("b", None), ("c", 5.0)])
    scaled = sample.scaled(2.0)
    assert scaled.groups == ((2.0, 6.0), (10.0,))
    assert (scaled.n, scaled.missing) == (sample.n, 1)


def test_level_page_has_people_s_share_without_a_playtest(designer_client: Client) -> None:
    study = make_study(levels=[GROUPS], drawn=0)
    version = level_create(owner=None, level=GROUPS)
    scores = [play_rounds(make_participant(study, Kind.PERSON), seed=seed)[0] for seed in range(40, 43)]
    play_rounds(make_participant(study, Kind.BOT), seed=50)
    search_request(level_version=version, seconds=1)
    Restart.objects.update(score=1_000, codes=[], found_after=1.0)
    assert not version.reports.exists()
    page = designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    shares = page[page.index("Scores as a share of par") :]
    found = re.search(r"People</th><td[^>]*>–</td><td[^>]*>(-?\d+) %</td>", shares)
    assert found is not None
    assert int(found[1]) == round(median(scores) / 10)
    assert "3 people's own mean scores" in shares.replace("&#x27;", "'")
