"""Load the ready-made studies."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError
from django.urls import reverse

from playtest.accounts.models import Role, User
from playtest.management.plain import Error
from playtest.studies.readymade import READY_MADE
from playtest.studies.services import readymade_load


class Command(BaseCommand):
    help = "Load the ready-made studies that are not there yet, and print their addresses."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "studies", nargs="*", metavar="STUDY", choices=[[], *READY_MADE], help=f"{', '.join(READY_MADE)} (all)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.load(options["studies"] or list(READY_MADE))
        except DatabaseError as error:
            raise Error(f"The database cannot be read ({error}). Start the site first.") from None

    def load(self, slugs: list[str]) -> None:
        owner = User.objects.filter(role=Role.ADMIN, is_active=True).order_by("pk").first()
        for slug in slugs:
            study = readymade_load(owner=owner, slug=slug)
            self.stdout.write(f"{slug}: {study.title}, {reverse('studies:entry', args=[study.public_id])}")
