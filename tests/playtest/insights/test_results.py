"""Results of a study: people beside personas, bots never among people, and the numbers behind every figure."""

import csv
import io
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.insights.selectors.levels import LevelShown, boards_hash, levels_shown
from playtest.insights.services.playtests import level_playtest, study_playtest
from playtest.insights.who import Who
from playtest.levels.models import DefaultAgent, PlaytestReport, Trigger
from playtest.levels.services import agent_spec_ensure, block_work_next
from playtest.studies.choices import Kind, Use
from playtest.studies.models import Study
from playtest.studies.services.annotations import use_decide
from playtest.studies.services.participants import participant_withdraw
from playtest.studies.services.studies import study_create
from tests.playtest.insights.rows import make_participant, make_study, play_rounds, preset_levels, study_document
from tests.playtest.levels.playing import work_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(designer: User) -> Study:
    """Two people and one bot played two preset levels and two boards drawn for each."""
    study = make_study(owner=designer)
    for number, kind in enumerate((Kind.PERSON, Kind.PERSON, Kind.BOT, Kind.PREVIEW)):
        play_rounds(make_participant(study, kind), seed=40 + number)
    return study


@pytest.fixture
def few_agents(db: None) -> None:
    """Only agents that do not search play by default: seconds less."""
    for position, kind in enumerate(("greedy", "random")):
        spec = agent_spec_ensure(document={"kind": kind, "name": kind})
        DefaultAgent.objects.create(game="match3", slug=kind, position=position, agent_spec=spec)


def shown(study: Study, who: Who = Who.APART) -> list[LevelShown]:
    return levels_shown(study=study, who=who)


def page(client: Client, name: str, *args: Any, **query: Any) -> str:
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def test_every_preset_level_has_a_part_and_random_rounds_are_pooled(study: Study) -> None:
    levels = shown(study)
    assert [level.name for level in levels] == ["Stepping stones", "Quarry", "Random boards"]
    assert [len(level.results.results) for level in levels] == [3, 3, 6]
    assert levels[0].boards_hash == preset_levels()[0].content_hash()


@pytest.mark.parametrize(
    ("who", "labels", "rounds"),
    [
        (Who.APART, {"People": 2, "Bots": 1}, 3),
        (Who.PEOPLE, {"People": 2}, 2),
        (Who.BOTS, {"Bots": 1}, 1),
        (Who.TOGETHER, {"People and bots": 3}, 3),
    ],
)
def test_bots_are_among_people_only_if_that_is_asked_for(
    study: Study, who: Who, labels: dict[str, int], rounds: int
) -> None:
    level = shown(study, who)[0]
    assert {row.label: row.figures.n for row in level.rows if row.figures} == labels
    assert len(level.results.results) == rounds
    assert all(row.is_bot for row in level.rows if "ots" in row.label)
    assert not any(result.kind == Kind.PREVIEW for result in level.results.results)


def test_figures_of_people_are_those_of_their_scores(study: Study) -> None:
    level = shown(study, Who.PEOPLE)[0]
    scores = [result.score for result in level.results.results]
    (row,) = level.rows
    assert row.figures is not None
    assert row.figures.mean == np.mean(scores)
    assert sorted(point.value for point in row.points) == sorted(scores)
    assert row.legal is not None
    legal = [result.legal_mean for result in level.results.results if result.legal_mean is not None]
    assert row.legal.mean == pytest.approx(np.mean(legal))


def test_pooled_rounds_count_people_and_rounds(study: Study) -> None:
    (row,) = shown(study, Who.PEOPLE)[2].rows
    assert row.n_text == "n = 2\n4 rounds"


def test_personas_play_the_very_boards_and_stand_on_the_same_figure(
    study: Study, few_agents: None, designer: User
) -> None:
    reports = study_playtest(study=study, by=designer)
    assert study_playtest(study=study, by=designer) == reports
    assert {report.trigger for report in reports} == {Trigger.STUDY}
    assert [report.boards_hash for report in reports] == [level.boards_hash for level in shown(study)]
    assert reports[2].drawn == {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": 20}
    work_all()
    for level in shown(study):
        assert level.figure is not None
        rows = {row["label"]: row for row in level.figure["datasets"]["groups"]}
        assert list(rows) == ["People", "Bots", "Greedy", "Random"]
        assert [rows[name]["n"] for name in ("Greedy", "Random")] == [100, 100]
        assert all(rows[name]["ci_lo"] < rows[name]["mean"] < rows[name]["ci_hi"] for name in ("Greedy", "Random"))
        assert not level.is_unfinished


def test_level_of_a_study_joins_the_library_when_personas_play_it(
    study: Study, few_agents: None, designer: User
) -> None:
    group = shown(study)[0].results
    report = level_playtest(group=group, by=designer)
    assert report.level_version is not None
    assert report.level_version.level.name == "Stepping stones"
    assert level_playtest(group=group, by=None) == report


def test_page_shows_figure_table_and_n_for_each_level(study: Study, designer_client: Client) -> None:
    text = page(designer_client, "insights:study_results", study.pk)
    assert text.count('<figure class="chart"') == 3
    assert text.count("Playtest with personas") == 3
    assert "Playtest all levels with personas" in text
    assert "n = 2\\n4 rounds" in text
    assert "NaN" not in text


def test_study_that_nobody_played_teaches_in_words(designer_client: Client, designer: User) -> None:
    study = make_study(owner=designer)
    text = page(designer_client, "insights:study_results", study.pk)
    assert text.count("No person has finished this level yet.") == 3
    assert "<figure" not in text
    assert "NaN" not in text
    level = shown(study)[0]
    text = page(designer_client, "insights:level_results", study.pk, level.boards_hash)
    assert "No finished rounds" in text


def test_draft_has_no_results_and_says_why(designer_client: Client, designer: User) -> None:
    draft = study_create(owner=designer, document=study_document(preset_levels()))
    assert "Nothing was published yet" in page(designer_client, "insights:study_results", draft.pk)


def test_one_person_and_equal_scores_give_words(designer_client: Client, designer: User) -> None:
    study = make_study(owner=designer, levels=preset_levels()[:1], drawn=0)
    play_rounds(make_participant(study, Kind.PERSON), seed=7)
    text = page(designer_client, "insights:study_results", study.pk)
    assert "One person has finished one round here" in text
    assert "needs two" in text
    play_rounds(make_participant(study, Kind.PERSON), seed=7)
    text = page(designer_client, "insights:study_results", study.pk)
    assert "All 2 people scored exactly" in text
    assert "NaN" not in text


def test_who_withdrew_is_in_no_figure(study: Study, designer_client: Client) -> None:
    person = study.participants.filter(kind=Kind.PERSON).first()
    assert person is not None
    code = person.code
    participant_withdraw(participant=person)
    level = shown(study, Who.PEOPLE)[0]
    assert len(level.results.results) == 1
    assert code not in page(designer_client, "insights:level_results", study.pk, level.boards_hash)


def test_level_page_lists_every_round_the_best_first(study: Study, designer_client: Client) -> None:
    level = shown(study)[0]
    text = page(designer_client, "insights:level_results", study.pk, level.boards_hash).split("Every round</h2>", 1)[1]
    places = [text.index(result.code) for result in sorted(level.results.results, key=lambda one: -one.score)]
    assert places == sorted(places)
    bot = next(result.code for result in level.results.results if result.kind == Kind.BOT)
    assert 'badge--bot">Bot' in text.split(bot, 1)[1].split("</th>", 1)[0]


def test_button_starts_a_playtest_and_the_part_streams(
    study: Study, few_agents: None, designer: User, designer_client: Client
) -> None:
    level = shown(study)[0]
    response = designer_client.post(reverse("insights:level_playtest", args=[study.pk, level.boards_hash]))
    assert response.status_code == 302
    report = PlaytestReport.objects.get()
    assert report.requested_by == designer
    text = page(designer_client, "insights:study_results", study.pk)
    assert f'data-live-topic="report:{report.pk}"' in text
    live = reverse("insights:level_live", args=[study.pk, level.boards_hash])
    rev = shown(study)[0].rev
    assert designer_client.get(live, {"rev": rev}).status_code == 304
    block_work_next(worker="test")
    response = designer_client.get(live, {"rev": rev})
    assert response.status_code == 200
    assert response.content.decode().count("<section") == 1
    work_all()
    text = designer_client.get(live, {"rev": rev}).content.decode()
    assert "data-live-topic" not in text
    assert "Greedy" in text


def test_button_for_all_levels_starts_them_all(study: Study, few_agents: None, designer_client: Client) -> None:
    designer_client.post(reverse("insights:study_playtest", args=[study.pk]), {"who": "people"})
    assert PlaytestReport.objects.count() == 3


def test_csv_holds_every_value_behind_the_figure(study: Study, few_agents: None, designer_client: Client) -> None:
    group = shown(study)[0].results
    level_playtest(group=group, by=None)
    work_all()
    response = designer_client.get(reverse("insights:level_csv", args=[study.pk, boards_hash(group)]))
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "stepping-stones" in response.headers["Content-Disposition"]
    lines = list(csv.DictReader(io.StringIO(response.content.decode())))
    played = [(line["who"], line["kind"], int(line["score"])) for line in lines if line["kind"] != "agent"]
    assert played == [(result.code, result.kind.label, result.score) for result in group.results]
    level = shown(study)[0]
    for row in level.rows[2:]:
        scores = [int(line["score"]) for line in lines if line["who"] == row.label]
        assert row.figures is not None
        assert (len(scores), np.mean(scores), np.median(scores)) == (
            100,
            pytest.approx(row.figures.mean),
            pytest.approx(row.figures.median),
        )
    only = designer_client.get(reverse("insights:level_csv", args=[study.pk, boards_hash(group)]), {"who": "people"})
    assert ",bot," not in only.content.decode()


def test_level_of_another_study_is_not_found(study: Study, designer_client: Client) -> None:
    for name in ("level_results", "level_live", "level_csv"):
        assert designer_client.get(reverse(f"insights:{name}", args=[study.pk, "0" * 64])).status_code == 404


@pytest.mark.parametrize("name", ["study_results", "level_results", "level_live", "level_csv"])
def test_nobody_reads_results_without_signing_in(client: Client, study: Study, name: str) -> None:
    args = [study.pk] if name == "study_results" else [study.pk, shown(study)[0].boards_hash]
    response = client.get(reverse(f"insights:{name}", args=args))
    assert response.status_code == 302
    assert response.headers["Location"].startswith(reverse("accounts:login"))


def test_playtests_are_not_started_by_links_or_strangers(client: Client, study: Study, designer_client: Client) -> None:
    hash_ = shown(study)[0].boards_hash
    for address in (
        reverse("insights:study_playtest", args=[study.pk]),
        reverse("insights:level_playtest", args=[study.pk, hash_]),
    ):
        assert designer_client.get(address).status_code == 405
        assert client.post(address).status_code == 302
    assert not PlaytestReport.objects.exists()


def test_unknown_filter_falls_back_to_people_and_bots_apart(study: Study, designer_client: Client) -> None:
    text = page(designer_client, "insights:study_results", study.pk, who="everybody")
    assert 'href="?who=apart" aria-current="page"' in text


def test_what_staff_left_out_is_not_counted_and_said_with_both_numbers(designer_client: Client, designer: User) -> None:
    study = make_study(owner=designer)
    people = [make_participant(study, Kind.PERSON) for _ in range(3)]
    for seed, person in enumerate(people):
        play_rounds(person, seed=seed)
    use_decide(participant=people[0], row=None, use=Use.EXCLUDE, reason="A colleague who tried it.", by=designer)
    shown = levels_shown(study=study, who=Who.PEOPLE)[0]
    (row,) = shown.rows
    assert row.figures is not None
    assert (row.figures.n, row.n_text) == (2, "n = 2 of 3")
    assert "Staff left out 1 round of 1 person: 2 of 3 rounds are counted here." in shown.sentences
    address = reverse("insights:level_results", args=[study.pk, shown.boards_hash])
    text = designer_client.get(address).content.decode()
    assert "1 of 3 left out of the figures" in text
    assert text.count("Left out</span>") == 1
    lines = designer_client.get(reverse("insights:level_csv", args=[study.pk, shown.boards_hash])).content.decode()
    assert [line.rsplit(",", 1)[1] for line in lines.splitlines()] == ["use", "include", "include", "exclude"]


def test_a_level_of_which_everything_is_left_out_says_so(designer: User) -> None:
    study = make_study(owner=designer)
    person = make_participant(study, Kind.PERSON)
    play_rounds(person)
    use_decide(participant=person, row=None, use=Use.EXCLUDE, reason="A trial.", by=designer)
    shown = levels_shown(study=study, who=Who.PEOPLE)[0]
    assert (shown.rows, shown.figure) == ((), None)
    assert shown.sentences == ("Staff left out 1 round of 1 person: 0 of 1 rounds are counted here.",)
