"""Which personas playtests play: what an admin decided stays, over starts and over releases."""

from dataclasses import replace
from functools import partial
from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.test import Client
from django.urls import reverse

from engine.level import draw_level
from personas.persona import Persona as PersonaFile
from personas.persona import catalogue
from playtest.accounts.models import User
from playtest.evolution.models import Persona, PersonaVersion
from playtest.evolution.selectors.personas import personas_list
from playtest.evolution.services import persona_keep, persona_offer, personas_ensure_catalogue
from playtest.levels.advice import advisers
from playtest.levels.models import AgentSpec, DefaultAgent
from playtest.levels.services import default_agents_ensure, level_create, playtest_request
from playtest.levels.services.agents import default_specs
from tests.playtest.evolution.running import start, undisturbed, work_all
from tests.playtest.racing import race

CATALOGUE = "playtest.evolution.services.personas.catalogue"


def content_ensure() -> None:
    """What each start of the site does about agents and personas."""
    default_agents_ensure(game="match3")
    personas_ensure_catalogue()


def ship(monkeypatch: pytest.MonkeyPatch, slug: str, file: PersonaFile) -> None:
    """A release in which this persona of Match-3 is another."""
    changed = catalogue("match3") | {slug: file}
    monkeypatch.setattr(CATALOGUE, lambda game: changed if game == "match3" else catalogue(game))


def migrate() -> None:
    """What the start of this release does once to the data of an earlier one."""
    apps = MigrationLoader(connection).project_state(("evolution", "0007_left_out")).apps
    migration = import_module("playtest.evolution.migrations.0007_left_out")
    migration.left_out_keep(apps, None)
    migration.notes_fill(apps, None)


def playing(persona: Persona) -> list[AgentSpec]:
    """The versions of the persona that playtests play."""
    specs = set(persona.versions.values_list("agent_spec", flat=True))
    return [spec for spec in default_specs(game=persona.game) if spec.pk in specs]


def is_default(persona: Persona) -> bool:
    (line,) = [line for line in personas_list() if line.persona == persona]
    return line.is_default


@pytest.mark.django_db
def test_persona_left_out_of_playtests_stays_out_at_every_start(admin_client: Client, admin: User) -> None:
    content_ensure()
    level = level_create(owner=admin, level=draw_level(seed=3), name="Pond")
    for slug in ("maxs", "vanilla"):
        persona = Persona.objects.get(game="match3", slug=slug)
        place = [spec.pk for spec in default_specs(game="match3")]
        admin_client.post(reverse("evolution:persona_offer", args=[persona.pk]), {"offered": "no"})
        for _ in range(2):
            content_ensure()
        (spec,) = [version.agent_spec for version in persona.versions.all()]
        assert spec not in default_specs(game="match3")
        assert slug not in {adviser.slug for adviser in advisers("match3")}
        assert not playtest_request(level_version=level, games=1, iterations=5).entries.filter(agent_spec=spec).exists()
        assert not is_default(persona)
        page = admin_client.get(reverse("evolution:persona", args=[persona.pk])).content.decode()
        assert "Play in every playtest" in page
        admin_client.post(reverse("evolution:persona_offer", args=[persona.pk]), {"offered": "yes"})
        content_ensure()
        assert [spec.pk for spec in default_specs(game="match3")] == place, "where it stood before"


@pytest.mark.django_db
def test_default_agents_that_a_site_never_had_are_added(admin: User) -> None:
    content_ensure()
    persona_offer(persona=Persona.objects.get(game="match3", slug="mins"), offered=False, actor=admin)
    DefaultAgent.objects.filter(game="match3", slug="maxm").delete()
    content_ensure()
    shown = set(DefaultAgent.objects.filter(game="match3", offered=True).values_list("slug", flat=True))
    assert shown == {"maxs", "vanilla", "greedy", "maxm", "random", "minm"}


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["maxs-replication", "maxs"])
def test_new_version_of_a_shipped_persona_plays_where_the_old_one_did(
    monkeypatch: pytest.MonkeyPatch, admin: User, slug: str
) -> None:
    content_ensure()
    persona = Persona.objects.get(game="match3", slug=slug)
    persona_offer(persona=persona, offered=True, actor=admin)
    ship(monkeypatch, slug, replace(catalogue("match3")[slug], formula="mean"))
    personas_ensure_catalogue()
    old, new = persona.versions.order_by("number")
    assert playing(persona) == [new.agent_spec]
    assert is_default(persona)
    persona_offer(persona=persona, offered=False, actor=admin)
    personas_ensure_catalogue()
    assert playing(persona) == []
    assert not is_default(persona)
    assert not DefaultAgent.objects.filter(agent_spec=old.agent_spec).exists()


@pytest.mark.django_db
def test_new_version_of_a_persona_left_out_is_left_out(monkeypatch: pytest.MonkeyPatch, admin: User) -> None:
    content_ensure()
    persona = Persona.objects.get(game="match3", slug="maxs-replication")
    for offered in (True, False):
        persona_offer(persona=persona, offered=offered, actor=admin)
    ship(monkeypatch, persona.slug, replace(catalogue("match3")[persona.slug], formula="mean"))
    personas_ensure_catalogue()
    assert persona.versions.count() == 2
    assert playing(persona) == []


@pytest.mark.django_db
@pytest.mark.parametrize("offered", [True, False])
def test_old_version_that_an_earlier_release_left_playing_is_offered_and_left_out_with_the_persona(
    monkeypatch: pytest.MonkeyPatch, admin: User, offered: bool
) -> None:
    content_ensure()
    persona = Persona.objects.get(game="match3", slug="maxs-replication")
    old = persona.versions.get().agent_spec
    ship(monkeypatch, persona.slug, replace(catalogue("match3")[persona.slug], formula="mean"))
    personas_ensure_catalogue()
    new = persona.versions.get(number=2).agent_spec
    for position, spec in enumerate((old, new), 20):
        DefaultAgent.objects.create(game="match3", slug=f"left-{position}", agent_spec=spec, position=position)
    assert is_default(persona)
    persona_offer(persona=persona, offered=offered, actor=admin)
    assert playing(persona) == ([new] if offered else [])
    personas_ensure_catalogue()
    assert playing(persona) == ([new] if offered else [])
    assert DefaultAgent.objects.filter(agent_spec__in=(old, new)).count() == 1


@pytest.mark.django_db
def test_old_version_left_playing_alone_shows_as_playing_until_the_next_start_moves_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content_ensure()
    persona = Persona.objects.get(game="match3", slug="maxs-replication")
    old = persona.versions.get().agent_spec
    ship(monkeypatch, persona.slug, replace(catalogue("match3")[persona.slug], formula="mean"))
    personas_ensure_catalogue()
    DefaultAgent.objects.create(game="match3", slug=persona.slug, agent_spec=old, position=20)
    assert is_default(persona)
    personas_ensure_catalogue()
    assert playing(persona) == [persona.versions.get(number=2).agent_spec]


@pytest.mark.django_db(transaction=True)
def test_individual_kept_under_many_names_at_the_same_moment_is_kept_once() -> None:
    run = start()
    work_all()
    best = undisturbed()[-1].generation.best.idx
    keep = partial(persona_keep, run=run, generation=run.generations, idx=best, owner=run.owner)
    versions = race([partial(keep, name=f"Climber {number}") for number in range(6)])
    assert len({version.pk for version in versions}) == 1
    assert (PersonaVersion.objects.count(), Persona.objects.count(), DefaultAgent.objects.count()) == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_persona_offered_twice_at_the_same_moment_plays_once(admin: User) -> None:
    content_ensure()
    persona = Persona.objects.get(game="match3", slug="maxs-replication")
    race([partial(persona_offer, persona=persona, offered=True, actor=admin)] * 4)
    assert len(playing(persona)) == 1


@pytest.mark.django_db
def test_site_of_an_earlier_release_keeps_who_is_left_out_and_gets_the_notes(admin: User) -> None:
    content_ensure()
    noted = [version for version in PersonaVersion.objects.all() if version.note]
    assert noted, "some shipped personas say where they come from"
    PersonaVersion.blanking().update(note="")
    DefaultAgent.objects.filter(game="match3", slug__in=("maxs", "greedy")).delete()
    for _ in range(2):
        migrate()
    content_ensure()
    shown = set(DefaultAgent.objects.filter(game="match3", offered=True).values_list("slug", flat=True))
    assert shown == {"vanilla", "greedy", "maxm", "random", "minm", "mins"}
    assert all(PersonaVersion.objects.get(pk=version.pk).note == version.note for version in noted)
    assert DefaultAgent.objects.get(game="match3", slug="maxs").position == 0


@pytest.mark.django_db
def test_fresh_site_leaves_nobody_out() -> None:
    migrate()
    content_ensure()
    assert not DefaultAgent.objects.filter(offered=False).exists()
