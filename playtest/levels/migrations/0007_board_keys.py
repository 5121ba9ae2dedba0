"""Searches are found by what changes the score of a board, no longer by all that changes play."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.db import migrations

WITHOUT_PART = {"name", "seed", "colours", "horizon"}


def board_key(document: dict[str, Any]) -> str:
    kept = {key: value for key, value in document.items() if key not in WITHOUT_PART}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def to_board_keys(apps: Any, schema_editor: Any) -> None:
    _fill(apps, schema_editor, lambda version: board_key(version.document))


def to_hashes(apps: Any, schema_editor: Any) -> None:
    _fill(apps, schema_editor, lambda version: version.hash)


def _fill(apps: Any, schema_editor: Any, key_of: Callable[[Any], str]) -> None:
    searches = apps.get_model("levels", "ParSearch").objects.using(schema_editor.connection.alias)
    versions = apps.get_model("levels", "LevelVersion").objects.using(schema_editor.connection.alias)
    for pk in sorted(set(searches.values_list("level_version_id", flat=True))):
        searches.filter(level_version=pk).update(boards_hash=key_of(versions.only("document", "hash").get(pk=pk)))


class Migration(migrations.Migration):
    dependencies = [("levels", "0006_offered")]

    operations = [migrations.RunPython(to_board_keys, to_hashes)]
