"""Persona files into the library: what they bring, where they play, and what is refused in words."""

from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from engine.game import get_game
from personas.persona import LARGEST_FILE, Persona, catalogue, dump_persona
from playtest.accounts.models import AuditLog, User
from playtest.evolution.models import Persona as LibraryPersona
from playtest.evolution.services import personas_ensure_catalogue
from playtest.levels.models import AgentSpec, DefaultAgent

pytestmark = pytest.mark.django_db

MAXS = catalogue("match3")["maxs"]


def send(client: Client, content: bytes | str | None, name: str = ""):
    data: dict[str, object] = {"name": name}
    if content is not None:
        data["file"] = SimpleUploadedFile("mine.toml", content.encode() if isinstance(content, str) else content)
    return client.post(reverse("evolution:persona_new"), data)


def test_persona_file_becomes_a_persona_that_plays_where_it_is_asked_for(admin_client: Client, admin: User) -> None:
    personas_ensure_catalogue()
    mine = replace(MAXS, name="Mine", formula="add(mean, mul(0.5, gain))")
    response = send(admin_client, dump_persona(mine))
    persona = LibraryPersona.objects.get(slug="mine")
    assert response["Location"] == reverse("evolution:persona", args=[persona.pk])
    assert persona.owner == admin
    version = persona.versions.get()
    assert Persona.from_document(version.agent_spec.spec) == mine
    assert not DefaultAgent.objects.filter(agent_spec=version.agent_spec).exists()
    assert AuditLog.objects.filter(action="persona.add", actor=admin).count() == 1
    page = admin_client.get(response["Location"]).content.decode()
    assert "Playtests play it where somebody asks for it." in page
    assert "It plays only where it is asked for." in page
    assert "Mine" in admin_client.get(reverse("evolution:personas")).content.decode()
    assert admin_client.get(reverse("evolution:persona_file", args=[persona.pk])).content.decode() == dump_persona(mine)


def test_persona_file_may_get_another_name(admin_client: Client) -> None:
    personas_ensure_catalogue()
    assert send(admin_client, dump_persona(MAXS), "  Another   name ").status_code == 302
    assert LibraryPersona.objects.get(slug="another-name").versions.get().agent_spec.spec["name"] == "Another name"


@pytest.mark.parametrize(
    "mine",
    [
        replace(catalogue("match3")["vanilla"], name="Mine"),
        replace(catalogue("samegame")["minm"], name="Mine"),
        replace(MAXS, name="Mine", search=replace(MAXS.search, clairvoyant=True)),
    ],
    ids=["UCB1", "SameGame", "clairvoyant"],
)
def test_persona_file_of_any_kind_has_a_page_and_tells_where_it_says_it_is_from(
    admin_client: Client, mine: Persona
) -> None:
    page = admin_client.get(send(admin_client, dump_persona(mine))["Location"]).content.decode()
    assert get_game(mine.game).info.title in page
    assert ("a run elsewhere, as its file says" in page) == bool(mine.source.run)
    assert ("clairvoyant" in page) == mine.search.clairvoyant


def test_persona_that_the_program_brings_later_leaves_one_of_that_name_alone(admin_client: Client) -> None:
    mine = replace(MAXS, formula="mean")
    send(admin_client, dump_persona(mine))
    for _ in range(2):
        personas_ensure_catalogue()
    ours, theirs = LibraryPersona.objects.filter(game="match3", name="MaxS").order_by("pk")
    assert [one.versions.count() for one in (ours, theirs)] == [1, 1]
    assert ours.versions.get().agent_spec.spec["formula"] == "mean"
    assert theirs.versions.get().agent_spec.spec["formula"] == MAXS.formula
    assert theirs.owner is None


def test_names_in_any_script_are_names_of_their_own(admin_client: Client) -> None:
    for name in ("日本 1", "中国 1", "Élan", "x" * 70, "x" * 69 + "y"):
        assert send(admin_client, dump_persona(MAXS), name).status_code == 302
    assert send(admin_client, dump_persona(MAXS), "E\u0301lan").status_code == 422


@pytest.mark.parametrize(
    ("content", "name", "field", "words"),
    [
        (None, "", "file", "Choose the file."),
        ("", "", "file", "The file is empty."),
        ("kind = ", "", "file", "The persona file is no TOML"),
        (b"\xff\xfe", "", "file", "The persona file cannot be read: it is not UTF-8 text."),
        (b"#" * (LARGEST_FILE + 1), "", "file", "is larger than"),
        (".".join(["a"] * 30_000) + " = 1", "", "file", "a key in it has too many parts"),
        (dump_persona(MAXS).replace("fitness = ", "fitness = 1e300 #"), "", "file", "must be a number up to"),
        (dump_persona(MAXS).replace("wins", "luck"), "", "file", '"luck" is not a variable'),
        (dump_persona(replace(MAXS, game="chess")), "", "file", "which is no game here."),
        (dump_persona(replace(MAXS, game_version=99)), "", "file", "was made for version 99 of match3"),
        (dump_persona(MAXS), "", "name", "There is a persona called “MaxS” already."),
        (dump_persona(MAXS), "maxs!", "name", "is too close to “MaxS”"),
        (dump_persona(MAXS), "x" * 81, "name", "The name needs 1 to 80 characters."),
        (dump_persona(MAXS), "a\u202eb", "name", "cannot be printed"),
    ],
)
def test_persona_file_that_is_wrong_is_refused_in_words_and_leaves_nothing(
    admin_client: Client, content: bytes | str | None, name: str, field: str, words: str
) -> None:
    personas_ensure_catalogue()
    before = LibraryPersona.objects.count(), AgentSpec.objects.count()
    response = send(admin_client, content, name)
    assert response.status_code == 422
    (said,) = response.context["form"].errors[field]
    assert words in said
    assert (LibraryPersona.objects.count(), AgentSpec.objects.count()) == before


def test_persona_files_are_for_admins(client: Client, designer: User) -> None:
    client.force_login(designer)
    assert send(client, dump_persona(MAXS), "Mine").status_code == 403
    assert not LibraryPersona.objects.filter(slug="mine").exists()
    assert "Add from a file" not in client.get(reverse("evolution:personas")).content.decode()


def test_persona_form_sent_without_anything_says_what_is_missing(admin_client: Client) -> None:
    response = admin_client.post(reverse("evolution:persona_new"))
    assert response.context["form"].errors == {"file": ["Choose the file."]}
