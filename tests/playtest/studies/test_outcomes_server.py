"""Bots in a study that screens out, watches and sends people on, against the real server."""

import json
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connections

from playtest.studies.bots.answers import answers_allowed
from playtest.studies.choices import Status
from playtest.studies.document import parse_study
from playtest.studies.models import Participant
from playtest.studies.selectors.flags import FlagKind, flags_of
from playtest.studies.services import study_create, study_publish
from tests.playtest.studies.server import WebServer
from tests.playtest.studies.test_outcomes import document

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    server = WebServer(tmp_path_factory.mktemp("web")).start()
    yield server
    server.kill()


def test_bots_answer_so_that_the_study_goes_on_and_stop_at_its_end(server: WebServer) -> None:
    study = study_create(owner=None, document=document())
    study_publish(study=study)
    connections.close_all()
    output = StringIO()
    words = ["--participants=4", "--at-once=2", "--agent=random", f"--url={server.url}", "--json"]
    call_command("bots", study.slug, *words, stdout=output)
    lines = [json.loads(line) for line in output.getvalue().splitlines()][:-1]
    people = list(Participant.objects.select_related("version"))
    assert {row.status for row in people} == {Status.COMPLETED}
    assert {row.code for row in people} == {line["code"] for line in lines}
    kinds = {flag.kind for found in flags_of(participants=people).values() for flag in found}
    assert FlagKind.ATTENTION not in kinds


def test_a_bot_that_is_screened_out_says_that_it_did_not_finish(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_create(owner=None, document=document())
    study_publish(study=study)
    connections.close_all()
    monkeypatch.setattr(
        "playtest.management.commands.bots.answers_allowed",
        lambda document: {"profile": {"often": ["never"], "age": ["20"]}},
    )
    output = StringIO()
    with pytest.raises(SystemExit):
        call_command("bots", study.slug, "--participants=1", "--agent=random", f"--url={server.url}", stdout=output)
    assert "NOT finished: the study ended for it before it was finished" in output.getvalue()
    assert Participant.objects.get().status == Status.SCREENED_OUT


def test_bots_know_every_answer_with_which_a_study_goes_on() -> None:
    made = document()
    made["pages"][1]["items"] = [
        *made["pages"][1]["items"],
        {"key": "free", "kind": "number", "label": "Any number"},
        {"key": "high", "kind": "number", "label": "High", "min": 5, "max": 9, "screen_out": {"above": 7}},
        {"key": "words", "kind": "text", "label": "Words"},
    ]
    allowed = answers_allowed(parse_study(made))["profile"]
    assert (allowed["often"], allowed["fun"], allowed["two"]) == (["weekly", "daily"], ["3", "4", "5"], ["2"])
    assert (allowed["age"][0], allowed["age"][-1], allowed["high"]) == ("18", "120", ["5", "6", "7"])
    assert (allowed["free"][0], len(allowed["free"])) == ("18", 1_001)
    assert "words" not in allowed
