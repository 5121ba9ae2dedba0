"""Bring database, static files and shipped content up to date. `up` runs it; in production it runs at each release."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from playtest.embedded.database import (
    NewerDatabaseError,
    backup_before_migration,
    has_pending_migrations,
    refuse_newer_database,
    remove_old_backups,
)


class Command(BaseCommand):
    help = "Migrate the database (a SQLite file is copied first), collect static files, make the first content."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print what was made as one JSON line")

    def handle(self, *args: Any, **options: Any) -> None:
        # Imported here: it needs all apps, and the command's help does not.
        from playtest.first_start import content_ensure

        backups = settings.VAR / "backups"
        try:
            refuse_newer_database()
        except NewerDatabaseError as error:
            raise CommandError(str(error), returncode=2) from None
        remove_old_backups(backups)
        if has_pending_migrations():
            if copy := backup_before_migration(backups):
                self.stderr.write(f"The database was copied to {copy} before it is migrated.")
            call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False, clear=False)
        content = content_ensure()
        if options["json"]:
            login = (
                None
                if content.login is None
                else {"username": content.login.username, "password": content.login.password}
            )
            self.stdout.write(json.dumps({"login": login, "study": content.study_path}))
        elif content.login is not None:
            self.stdout.write(f"Staff login: {content.login.username} / {content.login.password}")
