"""Archived personas: out of sight and out of playtests, with all that they were, until somebody brings them back."""

import pytest
from django.test import Client
from django.urls import reverse

from personas.persona import catalogue, dump_persona
from playtest.accounts.models import AuditLog, User
from playtest.evolution.models import Persona
from playtest.evolution.selectors.personas import personas_list
from playtest.evolution.services import (
    RunError,
    persona_add,
    persona_archive,
    persona_keep,
    persona_offer,
    personas_ensure_catalogue,
)
from playtest.levels.services import default_agents_ensure
from playtest.levels.services.agents import default_specs
from tests.playtest.evolution.running import start, undisturbed, work_all


@pytest.fixture
def persona() -> Persona:
    default_agents_ensure(game="match3")
    personas_ensure_catalogue()
    return Persona.objects.get(game="match3", slug="maxs")


def archive(client: Client, persona: Persona, archived: str = "1") -> str:
    address = reverse("evolution:persona_archive", args=[persona.pk])
    return client.post(address, {"archived": archived}, follow=True).content.decode()


@pytest.mark.django_db
def test_archived_persona_leaves_library_and_playtests_and_comes_back(admin_client: Client, persona: Persona) -> None:
    spec = persona.versions.get().agent_spec
    page = archive(admin_client, persona)
    assert "is out of the library and of playtests" in page
    assert "· archived" in page
    assert "Put back into the library" in page
    assert "Play in every playtest" not in page
    assert "it plays in no playtest of a level any more" in page
    assert admin_client.get(reverse("evolution:persona_file", args=[persona.pk])).content.decode() == dump_persona(
        catalogue("match3")["maxs"]
    )
    default_agents_ensure(game="match3")
    personas_ensure_catalogue()
    assert spec not in default_specs(game="match3")
    assert persona not in [line.persona for line in personas_list()]
    assert [line.persona for line in personas_list(archived=True)] == [persona]
    address = reverse("evolution:persona", args=[persona.pk])
    library = reverse("evolution:personas")
    text = admin_client.get(library).content.decode()
    assert f'"{address}"' not in text
    assert "Archived ones" in text
    assert f'"{address}"' in admin_client.get(library, {"archived": "1"}).content.decode()
    page = archive(admin_client, persona, "0")
    assert "is back in the library" in page
    assert "Play in every playtest" in page, "it plays where it is asked for, until somebody says otherwise"
    assert persona in [line.persona for line in personas_list()]
    assert "Archived ones" not in admin_client.get(library).content.decode()
    assert "No archived personas" in admin_client.get(library, {"archived": "1"}).content.decode()


@pytest.mark.django_db
def test_persona_archived_twice_is_noted_once(admin_client: Client, persona: Persona) -> None:
    for archived in ("1", "1", "0", "0"):
        archive(admin_client, persona, archived)
    noted = AuditLog.objects.filter(object_id=persona.pk, action__startswith="persona.").order_by("id")
    assert list(noted.values_list("action", flat=True)) == ["persona.archive", "persona.restore"]


@pytest.mark.django_db
def test_archived_persona_is_not_offered(admin_client: Client, admin: User, persona: Persona) -> None:
    persona_archive(persona=persona, archived=True, actor=admin)
    with pytest.raises(RunError, match="is archived"):
        persona_offer(persona=persona, offered=True, actor=admin)
    address = reverse("evolution:persona_offer", args=[persona.pk])
    page = admin_client.post(address, {"offered": "yes"}, follow=True).content.decode()
    assert "This persona is archived. Put it back into the library first." in page


@pytest.mark.django_db
def test_personas_are_archived_by_admins_only(designer_client: Client, persona: Persona) -> None:
    address = reverse("evolution:persona_archive", args=[persona.pk])
    assert designer_client.post(address, {"archived": "1"}).status_code == 403
    persona.refresh_from_db()
    assert persona.archived_at is None
    assert (
        "Archive</button>" not in designer_client.get(reverse("evolution:persona", args=[persona.pk])).content.decode()
    )


@pytest.mark.django_db
def test_persona_is_archived_by_a_post_only(admin_client: Client, persona: Persona) -> None:
    assert admin_client.get(reverse("evolution:persona_archive", args=[persona.pk])).status_code == 405
    assert admin_client.post(reverse("evolution:persona_archive", args=[10**6]), {"archived": "1"}).status_code == 404


@pytest.mark.django_db
def test_name_of_an_archived_persona_stays_its_own(admin: User, persona: Persona) -> None:
    persona_archive(persona=persona, archived=True, actor=admin)
    with pytest.raises(RunError, match="There is an archived persona called “MaxS” already"):
        persona_add(file=catalogue("match3")["maxs"], name="MaxS", owner=admin)


@pytest.mark.django_db(transaction=True)
def test_individual_whose_persona_is_archived_is_not_kept_again() -> None:
    run = start()
    work_all()
    place = {"run": run, "generation": run.generations, "idx": undisturbed()[-1].generation.best.idx}
    version = persona_keep(**place, name="Climber", owner=run.owner)
    persona_archive(persona=version.persona, archived=True, actor=run.owner)
    with pytest.raises(RunError, match="It was kept as “Climber”, which is archived"):
        persona_keep(**place, name="Another", owner=run.owner)
    persona_archive(persona=version.persona, archived=False, actor=run.owner)
    assert persona_keep(**place, name="Another", owner=run.owner) == version
