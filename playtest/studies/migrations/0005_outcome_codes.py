"""`outcome_code` was the word `complete` for everybody; it is the completion code of the study now, if it has one."""

from typing import Any

from django.db import migrations


def clear(apps: Any, schema_editor: Any) -> None:
    apps.get_model("studies", "Participant").objects.filter(outcome_code="complete").update(outcome_code=None)


class Migration(migrations.Migration):
    dependencies = [("studies", "0004_drafts_are_numbered")]
    operations = [migrations.RunPython(clear, migrations.RunPython.noop)]
