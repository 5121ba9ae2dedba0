"""Reports as single files: everything is in them, and nothing is fetched from anywhere."""

import re
import subprocess
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from playtest import drawing
from playtest.accounts.models import Role, User
from playtest.drawing import DrawingError, drawings, inlined
from playtest.levels.services import DrawnBoards, playtest_request, playtest_request_drawn
from playtest.studies.models import Study
from playtest.theme import COLOURS
from tests.playtest.levels.playing import make_specs, make_version, work_all

pytestmark = pytest.mark.django_db
FETCHING = {"src", "srcset", "poster", "data", "action", "formaction", "background", "manifest"}


class Reader(HTMLParser):
    """What a browser would fetch or run, and the ids that stand twice."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in FETCHING or (name in ("href", "xlink:href") and tag in ("link", "use", "image", "base")):
                self.fetched += [value or ""] if not (value or "").startswith("#") else []
            if name == "id":
                self.ids.append(value or "")


def file_of(client: Client, name: str, *args: Any) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    assert response.headers["Content-Disposition"].startswith("attachment")
    return response.content.decode()


def check(text: str, *, figures: int) -> None:
    reader = Reader()
    reader.feed(text)
    assert reader.fetched == []
    assert not {"script", "form", "button", "iframe"} & set(reader.tags)
    assert not re.search(r"url\((?!#)|@import|data-live|json", text)
    own = [name for name in reader.ids if len(name) > 1 and name != "cell"]  # symbols of the board have letters
    assert len(own) == len(set(own))
    assert text.count('<figure class="chart">') == figures
    assert text.count('class="marks"') == figures
    assert reader.tags.count("table") >= figures
    assert "color-scheme: light dark" in text
    assert "nan" not in re.findall(r"\b(nan|inf)\b", text.lower())


def test_report_of_a_playtest_holds_board_figures_and_tables(designer_client: Client) -> None:
    version = make_version()
    report = playtest_request(level_version=version, agent_specs=make_specs("random", "greedy"), games=6, seed=4)
    work_all()
    text = file_of(designer_client, "levels:report_file", report.pk)
    check(text, figures=2)
    for words in (
        "Small v1",
        "Start board",
        "n = 6 games of each agent",
        "seed 4",
        "Where they move",
        "Legal at start",
    ):
        assert words in text
    assert text.count("<details open") == text.count("<details"), "paper cannot be unfolded"
    page = designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    assert reverse("levels:report_file", args=[report.pk]) in page


def test_report_of_random_boards_has_no_board(designer_client: Client) -> None:
    drawn = DrawnBoards("match3", 5, 5, 5, 4)
    report = playtest_request_drawn(drawn=drawn, agent_specs=make_specs("random"), games=3)
    work_all()
    text = file_of(designer_client, "levels:report_file", report.pk)
    check(text, figures=2)
    assert "Another one for every game" in text


def test_report_of_a_study_has_its_levels_too(played_study: Study, designer_client: Client) -> None:
    page = designer_client.get(reverse("insights:people", args=[played_study.pk]) + "?version=1").content.decode()
    (address,) = set(re.findall(r'href="([^"]+report\.html[^"]*)"', page))
    assert "version=1" in address
    text = designer_client.get(address.replace("&amp;", "&")).content.decode()
    check(text, figures=text.count('class="marks"'))
    assert text.count('class="marks"') >= 12
    for words in ("How do you play?: people and personas", "Stepping stones", "Quarry", "Random boards", "version 1"):
        assert words in text
    assert text.count("start board") == 2


def test_report_of_a_level_of_a_study_is_of_that_level(played_study: Study, designer_client: Client) -> None:
    page = designer_client.get(reverse("insights:study_results", args=[played_study.pk])).content.decode()
    boards = re.findall(r"results/([0-9a-f]{64})/", page)[0]
    text = file_of(designer_client, "insights:level_people_file", played_study.pk, boards)
    check(text, figures=text.count('class="marks"'))
    assert "Quarry" not in text


def test_report_of_a_study_is_for_those_who_see_the_study(played_study: Study, client: Client) -> None:
    address = reverse("insights:people_file", args=[played_study.pk])
    assert client.get(address).status_code == 302
    client.force_login(User.objects.create_user(username="eve", password="correct horse", role=Role.DESIGNER))
    assert client.get(address).status_code in (403, 404)


def test_no_drawing_is_a_sentence_on_the_page(designer_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise subprocess.CalledProcessError(1, "vl-convert")

    version = make_version()
    report = playtest_request(level_version=version, agent_specs=make_specs("random"), games=2)
    work_all()
    monkeypatch.setattr(drawing.subprocess, "run", fails)
    with pytest.raises(DrawingError):
        drawings([{}])
    response = designer_client.get(reverse("levels:report_file", args=[report.pk]), follow=True)
    assert "The figures could not be drawn on this machine." in response.content.decode()


def test_drawing_among_others_has_ids_of_its_own_and_follows_the_theme() -> None:
    svg = '<svg><clipPath id="clip0"/><g clip-path="url(#clip0)" fill="#1c2029" stroke="#123456"/></svg>'
    shown = inlined(svg, key="a", tokens={COLOURS["ink"]: "ink"})
    assert shown == (
        '<svg><clipPath id="a-clip0"/><g clip-path="url(#a-clip0)" fill="var(--ink)" stroke="#123456"/></svg>'
    )
