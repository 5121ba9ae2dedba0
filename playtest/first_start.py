"""What a fresh site holds: an admin, the shipped levels and personas, the ready-made studies."""

from dataclasses import dataclass

from django.db import transaction
from django.urls import reverse

from playtest.accounts.models import Role, User
from playtest.accounts.services import NewLogin, admin_ensure
from playtest.evolution.services import personas_ensure_catalogue
from playtest.levels.services import levels_ensure_shipped
from playtest.studies.readymade import READY_MADE
from playtest.studies.services import demo_load, readymade_load


@dataclass(frozen=True)
class FirstContent:
    """What whoever started the site wants to know. `login` is there only when the account was made just now."""

    login: NewLogin | None
    study_path: str


@transaction.atomic
def content_ensure() -> FirstContent:
    """Make what is missing. Doing it again changes nothing.

    All or nothing: an account whose password nobody was told must not stay behind when a later step fails.
    """
    login = admin_ensure()
    levels_ensure_shipped()
    personas_ensure_catalogue()
    owner = User.objects.filter(role=Role.ADMIN, is_active=True).order_by("pk").first()
    study = demo_load(owner)
    for slug in READY_MADE:
        readymade_load(owner=owner, slug=slug)
    return FirstContent(login=login, study_path=reverse("studies:entry", args=[study.public_id]))
