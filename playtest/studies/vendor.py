"""What one of the two databases needs and the other has not. The only SQL of studies that names a vendor."""

from django.apps.registry import Apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

ROUND_FILLFACTOR = 70
PATIENCE_MS = 50
"""How long cutting the log waits for others, and so the longest that players wait for it beside its own work."""


def round_leave_room(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL: leave room on the pages of rounds, so that the update of each move stays on its page.

    SQLite updates in place and has nothing of the kind.
    """
    if schema_editor.connection.vendor == "postgresql":
        table = schema_editor.quote_name(apps.get_model("studies", "Round")._meta.db_table)
        schema_editor.execute(f"ALTER TABLE {table} SET (fillfactor = {ROUND_FILLFACTOR})")


def keeps_write_ahead_log(connection: BaseDatabaseWrapper) -> bool:
    """Whether old pages stay in a file beside the database until it is cut. PostgreSQL sees to its own log."""
    return connection.vendor == "sqlite"


def write_ahead_log_cut(connection: BaseDatabaseWrapper) -> bool:
    """SQLite: bring all of the log into the database's file and leave the log empty.

    False where somebody reads or writes just now: then part of it is done. Outside of any transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (patience,) = cursor.fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        try:
            # Holds nobody up, and leaves next to nothing to the second, which takes the lock for writing.
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (is_held_up, _, _) = cursor.fetchone()
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {patience}")
    return not is_held_up
