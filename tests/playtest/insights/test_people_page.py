"""The page "People and personas": few, equal and missing values in words, filters in captions, a store of figures."""

import csv
import io
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from playtest.accounts.models import User
from playtest.insights.models import FigureCache
from playtest.insights.report.filters import Filters, Outcome
from playtest.insights.services.figures import sections_ensure
from playtest.insights.services.opinions import opinions_request, opinions_work
from playtest.insights.services.playtests import study_playtest
from playtest.insights.who import AS_ONE, Who
from playtest.levels.models import DefaultAgent
from playtest.levels.services import agent_spec_ensure
from playtest.studies.choices import Kind, Use
from playtest.studies.models import Study
from playtest.studies.services.annotations import use_decide
from playtest.studies.services.link_uses import opened_note
from tests.playtest.insights.rows import make_participant, make_study, play_rounds, preset_levels
from tests.playtest.levels.playing import work_all

pytestmark = pytest.mark.django_db
SECTIONS = [
    "funnel",
    "table-1",
    "table-2",
    "predicted",
    "predictors",
    "calibration",
    "agreement",
    "nearest",
    "order",
    "think",
]
OF_LEVEL = ["scores", "differences", "agreement", "nearest", "legal", "think", "order"]


@pytest.fixture
def few_agents(db: None) -> None:
    for position, kind in enumerate(("greedy", "random")):
        spec = agent_spec_ensure(document={"kind": kind, "name": kind})
        DefaultAgent.objects.create(game="match3", slug=kind, position=position, agent_spec=spec)


@pytest.fixture
def study(designer: User, few_agents: None) -> Study:
    """Two preset levels and two random boards that nobody has played."""
    return make_study(owner=designer)


def people(study: Study, number: int, *, kind: Kind = Kind.PERSON, first: int = 40, agent: str = "random") -> None:
    for seed in range(first, first + number):
        play_rounds(make_participant(study, kind), seed=seed, agent=agent)


def opine(study: Study) -> None:
    opinions_request(study=study, by=None)
    while opinions_work(worker="test", seconds=60):
        pass


def document(study: Study, only: str | None = None, **filters: Any) -> dict[str, Any]:
    return sections_ensure(study=study, filters=Filters(**filters), versions=[1], only=only)


def section(found: dict[str, Any], key: str) -> dict[str, Any]:
    return next(one for one in found["sections"] if one["key"] == key)


def row(found: dict[str, Any], key: str, head: str) -> dict[str, dict[str, str]]:
    part = section(found, key)
    cells = next(cells for cells in part["rows"] if cells[0]["text"] == head)
    return dict(zip(part["columns"], cells, strict=True))


def pages(client: Client, study: Study, **query: str) -> list[str]:
    """The page of the study and of its first level."""
    level = document(study)["levels"][0]["hash"]
    addresses = [reverse("insights:people", args=[study.pk]), reverse("insights:level_people", args=[study.pk, level])]
    texts = []
    for address in addresses:
        response = client.get(address, query)
        assert response.status_code == 200
        text = response.content.decode()
        assert not re.search(r"\bnan\b|\binf\b|Infinity", text, re.IGNORECASE)
        texts.append(text)
    return texts


def test_nobody_gives_words(study: Study, designer_client: Client) -> None:
    whole, level = pages(designer_client, study)
    assert "No person has finished a round here yet." in whole
    assert "No persona has played these levels yet." in whole
    assert "Nobody has played this level yet, neither people nor personas." in level
    assert "Nobody has finished a round yet. Once somebody has" in whole


def test_one_person_gives_values_and_says_why_there_are_no_intervals(study: Study, designer_client: Client) -> None:
    people(study, 1)
    study_playtest(study=study, by=None)
    work_all()
    opine(study)
    whole, level = pages(designer_client, study)
    for text in (whole, level):
        assert "One person: fewer than 10" in text
        assert "No interval, because one alone says nothing of how others differ." in text
    assert "Not known, because two values on each side are the least from which it can be told." in level


def test_two_equal_people_give_words(study: Study, designer_client: Client) -> None:
    for _ in range(2):
        play_rounds(make_participant(study, Kind.PERSON), seed=7)
    study_playtest(study=study, by=None)
    work_all()
    opine(study)
    whole, level = pages(designer_client, study)
    assert "All 2 people scored exactly" in level
    assert "No interval, because all 2 values are equal." in level
    assert "NaN" not in whole


def test_level_without_personas_and_personas_without_people(study: Study, designer_client: Client) -> None:
    people(study, 2)
    _, level = pages(designer_client, study)
    assert "There are no people or no personas to hold against each other here." in level
    bots_only = pages(designer_client, study, who="bots")
    assert "No bot has finished a round here yet." in bots_only[0]


def test_every_section_has_a_table_and_the_caption_says_what_is_counted(study: Study, designer_client: Client) -> None:
    people(study, 4)
    people(study, 2, kind=Kind.BOT, first=70)
    people(study, 1, kind=Kind.PREVIEW, first=80)
    study_playtest(study=study, by=None)
    work_all()
    opine(study)
    whole, level = document(study), document(study, document(study)["levels"][0]["hash"])
    assert [one["key"] for one in whole["sections"]] == SECTIONS
    assert [one["key"] for one in level["sections"]] == OF_LEVEL
    for one in whole["sections"] + level["sections"]:
        # These levels are too few to predict one from the others, and the page says so instead of a table.
        assert one["rows"] or one["key"] == "calibration", one["key"]
        assert all(len(cells) == len(one["columns"]) for cells in one["rows"])
        assert len({len(line) for line in one["lines"]}) == 1
        if one["key"] == "funnel":
            assert one["note"] == "People only, all versions. n = 4 people who started."
        else:
            assert "People only, all versions, finished rounds." in one["note"]
            assert "Seed of the intervals 1." in one["note"]
    assert "n = 4 people, 16 rounds" in whole["note"]
    assert "n = 4 people, 4 rounds" in level["note"]
    assert {one["key"] for one in level["sections"] if one["figure"]} == {*OF_LEVEL} - {"nearest", "think"} - (
        set() if section(level, "order")["figure"] else {"order"}
    )
    texts = pages(designer_client, study)
    assert texts[0].count("<table") == len(SECTIONS) - 1
    assert texts[1].count("<table") == len(OF_LEVEL)


def test_bots_are_among_people_only_if_asked_for(study: Study) -> None:
    people(study, 3)
    people(study, 2, kind=Kind.BOT, first=70)
    counts = {who: row(document(study, who=who), "table-1", "n")["Stepping stones"]["text"] for who in AS_ONE}
    assert counts == {Who.PEOPLE: "3", Who.BOTS: "2", Who.TOGETHER: "5"}
    assert document(study, who=Who.TOGETHER)["note"].startswith("People and bots together")


def test_filters_stand_in_the_address_and_what_is_unknown_is_ignored(study: Study, designer_client: Client) -> None:
    people(study, 1)
    play_rounds(make_participant(study, Kind.PERSON), seed=50, rounds=2)
    whole, _ = pages(designer_client, study, outcome="completed", version="1", flags="none", who="together")
    assert "People and bots together, version 1, rounds of who completed the study, without quality flags." in whole
    assert '<option value="completed" selected>' in whole
    assert "n = 1 player, 4 rounds" in whole
    whole, _ = pages(designer_client, study, outcome="x", version="99", flags="", who="everybody")
    assert "People only, all versions, finished rounds." in whole
    assert "n = 2 people, 6 rounds" in whole
    # The page has one figure for all: they cannot stand apart in it.
    whole, _ = pages(designer_client, study, who="apart")
    assert "People only, all versions" in whole


def test_rounds_left_out_are_not_counted_and_both_numbers_are_said(study: Study, designer: User) -> None:
    people(study, 3)
    person = study.participants.order_by("pk").first()
    assert person is not None
    use_decide(participant=person, row=None, use=Use.EXCLUDE, reason="A trial.", by=designer)
    assert "n = 2 people, 8 rounds, 4 more left out by staff" in document(study)["note"]


def test_figures_are_kept_until_something_is_newer(study: Study, designer_client: Client) -> None:
    people(study, 2)
    address = reverse("insights:people", args=[study.pk])
    with CaptureQueriesContext(connection) as first:
        designer_client.get(address)
    kept = FigureCache.objects.get()
    with CaptureQueriesContext(connection) as second:
        designer_client.get(address)
    assert len(second) < len(first)
    assert len(second) <= 20
    assert FigureCache.objects.get().made_at == kept.made_at
    people(study, 1, first=60)
    assert "n = 3 people" in designer_client.get(address).content.decode()
    assert FigureCache.objects.get().rev != kept.rev


def test_openings_of_the_first_page_are_in_the_funnel_and_newer_ones_too(study: Study) -> None:
    for number in (1, 2):
        opened_note(study=study, link=None)
        assert row(document(study), "funnel", "Saw the first page")["People"]["text"] == str(number)
    bots = document(study, who=Who.BOTS)
    assert row(bots, "funnel", "Saw the first page")["Bots"]["text"] == "not counted"


def test_funnel_counts_whom_the_filters_let_through_and_its_caption_says_so(study: Study) -> None:
    people(study, 2)
    play_rounds(make_participant(study, Kind.PERSON), seed=9, rounds=1)
    out = make_participant(study, Kind.PERSON)
    play_rounds(out, seed=10, rounds=1)
    use_decide(participant=out, row=None, use=Use.EXCLUDE, reason="Tried it out.", by=None)
    found = document(study)
    assert (
        section(found, "funnel")["note"]
        == "People only, all versions. n = 3 people who started, 1 more left out by staff."
    )
    assert row(found, "funnel", "Started")["People"]["text"] == "3"
    assert row(found, "funnel", "Finished round 1")["People"]["text"] == "3"
    assert "9 rounds, 1 more left out" in section(found, "table-1")["note"]
    found = document(study, outcome=Outcome.COMPLETED)
    assert section(found, "funnel")["note"] == (
        "People only, all versions, only who completed the study. n = 2 people who started."
    )
    for step in ("Started", "Agreed to take part", "Finished round 1", "Finished the study"):
        assert row(found, "funnel", step)["People"]["text"] == "2"


def test_number_of_queries_does_not_grow_with_people(study: Study) -> None:
    people(study, 2)
    study_playtest(study=study, by=None)
    work_all()
    opine(study)
    with CaptureQueriesContext(connection) as few:
        document(study)
    people(study, 6, first=60)
    opine(study)
    with CaptureQueriesContext(connection) as many:
        document(study)
    # The first one also reads documents that a process keeps.
    assert len(many) <= len(few) <= 40


def test_nobody_is_named_as_a_persona_who_plays_by_chance(study: Study) -> None:
    people(study, 3)
    study_playtest(study=study, by=None)
    work_all()
    opine(study)
    part = section(document(study), "nearest")
    assert [cells[0]["text"] for cells in part["rows"]] == ["Greedy", "None fits"]
    assert "It says nothing of why" in part["lead"][0]


def test_who_plays_greedily_is_nearest_to_greedy(study: Study) -> None:
    people(study, 2, agent="greedy")
    study_playtest(study=study, by=None)
    work_all()
    opine(study)
    found = document(study)
    assert row(found, "nearest", "Greedy")["Of these it fits"]["text"] == "2"
    agreed = {name: row(found, "agreement", name)["Times chance"]["text"] for name in ("Greedy", "Random")}
    assert float(agreed["Greedy"]) > 2 > float(agreed["Random"])


def test_csv_holds_every_digit_of_the_table(study: Study, designer_client: Client) -> None:
    people(study, 3)
    response = designer_client.get(reverse("insights:people_csv", args=[study.pk, "table-1"]))
    assert response.headers["Content-Disposition"].endswith('table-1.csv"')
    lines = list(csv.reader(io.StringIO(response.content.decode())))
    assert lines[0][:4] == ["value", "Stepping stones", "Stepping stones, low", "Stepping stones, high"]
    assert float(lines[1][2]) <= float(lines[1][1]) <= float(lines[1][3])
    assert designer_client.get(reverse("insights:people_csv", args=[study.pk, "nothing"])).status_code == 404


def test_button_asks_the_personas_and_shows_how_far_they_are(
    study: Study, designer: User, designer_client: Client
) -> None:
    people(study, 1)
    address = reverse("insights:opinions", args=[study.pk])
    assert designer_client.get(address).status_code == 405
    back = reverse("insights:people", args=[study.pk]) + "?who=people"
    response = designer_client.post(address, {"next": back})
    assert response.headers["Location"] == back
    assert designer_client.post(address, {"next": "https://elsewhere.example/"}).headers["Location"] == reverse(
        "insights:people", args=[study.pk]
    )
    live = reverse("insights:opinions_live", args=[study.pk])
    text = designer_client.get(live, {"next": back}).content.decode()
    assert f'data-live-topic="opinions:{study.pk}"' in text
    assert "0 of 8" in text
    rev = text.split('data-live-rev="', 1)[1].split('"', 1)[0]
    assert designer_client.get(live, {"rev": rev}).status_code == 304
    while opinions_work(worker="test", seconds=60):
        pass
    text = designer_client.get(live, {"rev": rev}).content.decode()
    assert "data-live-topic" not in text
    assert "8 opinions on 4 of 4 rounds" in text


def test_pages_are_for_those_who_may_see_the_study(study: Study, client: Client) -> None:
    other = User.objects.create_user(username="otto", password="correct horse battery")
    hash_ = preset_levels()[0].content_hash()
    addresses = [
        reverse("insights:people", args=[study.pk]),
        reverse("insights:level_people", args=[study.pk, hash_]),
        reverse("insights:people_csv", args=[study.pk, "table-1"]),
        reverse("insights:opinions_live", args=[study.pk]),
    ]
    assert {client.get(address).status_code for address in addresses} == {302}
    client.force_login(other)
    assert not {client.get(address).status_code for address in addresses} & {200, 302}
    assert client.post(reverse("insights:opinions", args=[study.pk])).status_code not in (200, 302)


def test_level_of_another_study_is_not_found(study: Study, designer_client: Client) -> None:
    assert designer_client.get(reverse("insights:level_people", args=[study.pk, "0" * 64])).status_code == 404
