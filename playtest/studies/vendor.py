"""What one of the two databases needs and the other has not. The only SQL of studies that names a vendor."""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

ROUND_FILLFACTOR = 70


def round_leave_room(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL: leave room on the pages of rounds, so that the update of each move stays on its page.

    SQLite updates in place and has nothing of the kind.
    """
    if schema_editor.connection.vendor == "postgresql":
        table = schema_editor.quote_name(apps.get_model("studies", "Round")._meta.db_table)
        schema_editor.execute(f"ALTER TABLE {table} SET (fillfactor = {ROUND_FILLFACTOR})")
