"""What admins left out of playtests stays out, and versions say what their files say of where they come from."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

DEFAULT_AGENTS = ("maxs", "vanilla", "greedy", "maxm", "random", "minm", "mins")
"""Those of the releases before, which brought every one of them back at each start."""


def left_out_keep(apps: Apps, schema_editor: BaseDatabaseSchemaEditor | None) -> None:
    """Until now a persona was left out by deleting its row, so whoever has none was left out since the last start."""
    default_agent = apps.get_model("levels", "DefaultAgent")
    shipped = apps.get_model("evolution", "Persona").objects.filter(owner__isnull=True, slug__in=DEFAULT_AGENTS)
    for persona in shipped:
        rows = default_agent.objects.filter(game=persona.game)
        version = persona.versions.order_by("-number").first()
        if version is None or not rows.exists() or rows.filter(slug=persona.slug).exists():
            continue
        if not rows.filter(agent_spec__in=persona.versions.values("agent_spec")).exists():
            default_agent.objects.create(
                game=persona.game,
                slug=persona.slug,
                position=DEFAULT_AGENTS.index(persona.slug),
                agent_spec_id=version.agent_spec_id,
                offered=False,
            )


def notes_fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor | None) -> None:
    versions = apps.get_model("evolution", "PersonaVersion").objects
    for version in versions.filter(note="").select_related("agent_spec"):
        note = (version.agent_spec.spec.get("source") or {}).get("note")
        if note:
            versions.filter(pk=version.pk).update(note=note)


class Migration(migrations.Migration):

    dependencies = [
        ('evolution', '0006_flaws'),
        ('levels', '0006_offered'),
    ]

    operations = [
        migrations.RunPython(left_out_keep, migrations.RunPython.noop),
        migrations.RunPython(notes_fill, migrations.RunPython.noop),
    ]
