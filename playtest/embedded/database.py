"""What happens to a database before it is migrated."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BACKUP_DAYS = 30
"""Copies hold what people took back since; they go after this time, as the operating guide promises."""


class NewerDatabaseError(RuntimeError):
    """The database was written by a later version of the program."""


def refuse_newer_database() -> None:
    """Stop before a migration runs on tables that this version does not know."""
    loader = MigrationExecutor(connection).loader
    own = {app for app, _ in loader.disk_migrations}
    unknown = sorted(
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app in own and (app, name) not in loader.disk_migrations
    )
    if unknown:
        raise NewerDatabaseError(
            f"This database was last used by a newer version of Tessera (it knows {', '.join(unknown)}; this one does "
            "not). Start that version again, or use another TESSERA_VAR. Nothing was changed."
        )


def has_pending_migrations() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def backup_before_migration(folder: Path) -> Path | None:
    """Copy a SQLite database that has tables; gives the copy. PostgreSQL is backed up by whoever runs it."""
    if connection.vendor != "sqlite" or not connection.introspection.table_names():
        return None
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    copy = folder / f"db-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.sqlite3"
    connection.ensure_connection()
    with closing(sqlite3.connect(copy)) as target:
        connection.connection.backup(target)
    copy.chmod(0o600)
    return copy


def remove_old_backups(folder: Path, days: int = BACKUP_DAYS) -> list[Path]:
    oldest = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    removed = [path for path in folder.glob("db-*.sqlite3") if path.stat().st_mtime < oldest]
    for path in removed:
        path.unlink()
    return removed
