"""Before a site serves: copies, migrations, first content."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from playtest.accounts.models import User
from playtest.embedded.database import (
    BACKUP_DAYS,
    NewerDatabaseError,
    backup_before_migration,
    refuse_newer_database,
    remove_old_backups,
)

ROOT = Path(__file__).resolve().parent.parent.parent


def prepare(var: Path) -> subprocess.CompletedProcess[str]:
    unset = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    return subprocess.run(
        [sys.executable, "manage.py", "prepare", "--json"],
        cwd=ROOT,
        env={**environment, "TESSERA_VAR": str(var)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.embedded
def test_prepare_makes_the_first_content_once_and_refuses_a_newer_database(tmp_path: Path) -> None:
    first = prepare(tmp_path)
    assert first.returncode == 0, first.stderr
    made = json.loads(first.stdout)
    assert made["login"]["username"]
    assert made["study"].startswith("/s/")
    assert (tmp_path / "static" / "staticfiles.json").exists()
    assert not (tmp_path / "backups").exists(), "an empty database is not worth a copy"

    again = json.loads(prepare(tmp_path).stdout)
    assert again == {"login": None, "study": made["study"]}

    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('studies', '9999_later', '2030-01-01')"
        )
    refused = prepare(tmp_path)
    assert refused.returncode == 2
    assert "newer version" in refused.stderr
    assert "studies.9999_later" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_database_of_this_version_is_accepted_and_a_newer_one_named(db: None) -> None:
    refuse_newer_database()
    MigrationRecorder(connection).record_applied("accounts", "0099_later")
    with pytest.raises(NewerDatabaseError, match=r"accounts\.0099_later"):
        refuse_newer_database()


def test_migrations_of_programs_that_are_gone_do_not_matter(db: None) -> None:
    MigrationRecorder(connection).record_applied("some_removed_app", "0001_initial")
    refuse_newer_database()


@pytest.mark.django_db(transaction=True)
def test_copy_before_a_migration_holds_the_rows(tmp_path: Path) -> None:
    User.objects.create_user("ada", password="correct horse battery")
    copy = backup_before_migration(tmp_path)
    if connection.vendor != "sqlite":
        assert copy is None
        return
    assert copy is not None
    assert copy.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT username FROM accounts_user").fetchall() == [("ada",)]


def test_old_copies_go_and_young_ones_stay(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in ("db-1.sqlite3", "db-2.sqlite3", "notes.txt"))
    for path in (old, young, other):
        path.touch()
    for path, days in ((old, BACKUP_DAYS + 1), (young, BACKUP_DAYS - 1), (other, BACKUP_DAYS + 1)):
        os.utime(path, (time.time() - days * 86_400,) * 2)
    assert remove_old_backups(tmp_path) == [old]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["db-2.sqlite3", "notes.txt"]
