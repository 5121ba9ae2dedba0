"""Every figure of every staff page: words and numbers beside it, and files to take away."""

import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine.level import draw_level
from playtest.accounts.models import User
from playtest.evolution.models import Objective
from playtest.levels.services import DrawnBoards, playtest_request, playtest_request_drawn
from playtest.studies.models import Study
from tests.playtest.evolution.test_pages import make_played_run
from tests.playtest.levels.playing import make_specs, make_version, work_all
from tests.playtest.levels.test_what_ifs import asked

pytestmark = pytest.mark.django_db
FIGURE = re.compile(r'<figure class="chart".*?</figure>', re.DOTALL)


def figures_on(client: Client, address: str) -> list[dict[str, Any]]:
    """What each figure of a page says, after a look at all that it must have."""
    response = client.get(address)
    assert response.status_code == 200
    text = response.content.decode()
    found = []
    for one in FIGURE.findall(text):
        (key, title), script = re.findall(r'data-chart="(.*?)".*?data-chart-title="(.*?)"', one)[0], "application/json"
        assert len(re.findall(f'id="{re.escape(key)}"', text)) == 1, f"two things are called {key}"
        spec = json.loads(one.split(f'<script id="{key}" type="{script}">')[1].split("</script>")[0])
        assert re.findall(r'data-chart-save="(\w+)"', one) == ["svg", "png"]
        table = re.search(rf'<table class="table" id="{re.escape(key)}-table">.*?</table>', text, re.DOTALL)
        assert table, f"{title} has no table"
        assert table[0].count("<tr") > 1
        assert table[0].count('scope="col"') > 1
        said = unescape(re.sub("<.*?>", "", re.findall(r"<figcaption>(.*?)</figcaption>", one, re.DOTALL)[0]))
        (link,) = re.findall(r'href="([^"#]+)" download', one)
        rows = list(csv.reader(io.StringIO(csv_of(client, unescape(link)))))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
        found.append({"title": unescape(title), "said": said, "spec": spec, "rows": rows})
    return found


def csv_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"].startswith("attachment")
    return response.content.decode()


def check(figures: list[dict[str, Any]], *words: str) -> None:
    """Every caption says n and seed and these words, every chart says in a sentence what it shows."""
    assert figures
    for one in figures:
        assert re.search(r"\bn = [\d,]+ ", one["said"]), one["said"]
        assert re.search(r"\b[Ss]eed (of the intervals )?\d", one["said"]), one["said"]
        for word in words:
            assert word in one["said"]
        assert len(one["spec"]["description"]) > 10
        assert one["title"]


def test_figures_of_a_study_say_filters_and_versions(played_study: Study, designer_client: Client) -> None:
    people = figures_on(designer_client, reverse("insights:people", args=[played_study.pk]) + "?version=1")
    # Who came how far is counted, so nothing is drawn by chance that a seed could repeat.
    funnel, *others = people
    assert funnel["title"] == "How far they came (How do you play?)"
    assert funnel["said"].endswith("People only, version 1. n = 3 people who started.")
    check(others, "People only, version 1, finished rounds.", "n = 3 people")
    results = figures_on(designer_client, reverse("insights:study_results", args=[played_study.pk]))
    assert len(results) == 3
    check(results, "People and bots, apart.", "n = 3 participants", "of all versions", "rules version", "program")


def test_figures_of_a_level_of_a_study_name_it(played_study: Study, designer_client: Client) -> None:
    page = designer_client.get(reverse("insights:study_results", args=[played_study.pk])).content.decode()
    boards = re.findall(r"results/([0-9a-f]{64})/", page)[0]
    check(figures_on(designer_client, reverse("insights:level_results", args=[played_study.pk, boards])), boards[:12])
    of_level = figures_on(designer_client, reverse("insights:level_people", args=[played_study.pk, boards]))
    check(of_level, "People only, all versions")
    assert len(of_level) >= 4
    assert all("(Stepping stones, How do you play?)" in one["title"] for one in of_level)


def test_figures_of_a_playtest_say_what_was_played(designer_client: Client) -> None:
    version = make_version()
    report = playtest_request(level_version=version, agent_specs=make_specs("random", "greedy"), games=6, seed=4)
    work_all()
    figures = figures_on(designer_client, reverse("levels:detail", args=[version.level_id]))
    check(figures, "n = 6 games of each agent", "250 simulations a move", "seed 4", report.engine_digest[:12])
    scores, legal = figures
    assert scores["title"] == "Scores of agents on Small v1"
    assert [row[2] for row in scores["rows"]] == ["who", *["Random"] * 6, *["Greedy"] * 6]
    assert {row[0] for row in legal["rows"][1:]} == {"Random", "Greedy"}


def test_numbers_of_random_boards_are_there_too(designer_client: Client) -> None:
    drawn = DrawnBoards("match3", 5, 5, 5, 4)
    report = playtest_request_drawn(drawn=drawn, agent_specs=make_specs("random"), games=3)
    work_all()
    for name in ("levels:report_csv", "levels:report_legal_csv", "levels:report_places_csv"):
        assert csv_of(designer_client, reverse(name, args=[report.pk])).count("Random") >= 3


def test_figure_of_a_what_if_says_what_is_changed(designer_client: Client) -> None:
    what_if = asked()
    work_all()
    address = reverse("levels:what_if", args=[what_if.level_version.level_id, what_if.pk])
    (figure,) = figures_on(designer_client, address)
    check([figure], "rules version", "simulations a move")
    assert figure["rows"][0][:3] == ["who", "game", "seed"]


def test_figure_without_a_game_is_no_figure(designer_client: Client) -> None:
    version = make_version(draw_level(rows=5, cols=5, colours=5, moves=4, seed=8, name="Nobody"))
    playtest_request(level_version=version, agent_specs=make_specs("random"), games=1)
    assert figures_on(designer_client, reverse("levels:detail", args=[version.level_id])) == []


def test_figures_of_runs_say_their_settings(designer_client: Client, admin: User) -> None:
    one, two = (make_played_run(admin, seed=seed) for seed in (7, 8))
    moves = make_played_run(admin, objective=Objective.MAXM)
    (figure,) = figures_on(designer_client, reverse("evolution:detail", args=[one.pk]))
    check([figure], "generation 2 of 2", "seed 7", "preset replication")
    assert [row[3] for row in figure["rows"]] == ["generation", "1", "2"]
    query = "&".join(f"run={run.pk}" for run in (one, two, moves))
    points, legal = figures_on(designer_client, f"{reverse('evolution:compare')}?{query}")
    check([points], "seed 7", "seed 8")
    assert {row[0] for row in points["rows"][1:]} == {str(one.pk), str(two.pk)}
    assert {row[0] for row in legal["rows"][1:]} == {str(moves.pk)}


@pytest.mark.parametrize(
    "name", ["levels:report_csv", "levels:report_legal_csv", "levels:report_places_csv", "evolution:csv"]
)
def test_numbers_are_for_the_staff(client: Client, name: str) -> None:
    assert client.get(reverse(name, args=[1])).status_code == 302
