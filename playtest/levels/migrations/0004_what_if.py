"""Playtests of levels that are no version of anything yet, and the questions that they answer."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ONE_SOURCE = "playtestreport_one_source_of_boards"
SOURCES = ("level_version", "drawn", "document")


def only(source: str) -> models.Q:
    return models.Q(**{f"{name}__isnull": name != source for name in SOURCES})


class Migration(migrations.Migration):
    dependencies = [
        ("levels", "0003_trace_block_style"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("playtestreport", "document", models.JSONField(blank=True, null=True)),
        migrations.RemoveConstraint("playtestreport", ONE_SOURCE),
        migrations.AddConstraint(
            "playtestreport",
            models.CheckConstraint(
                condition=only("level_version") | only("drawn") | only("document"), name=ONE_SOURCE
            ),
        ),
        migrations.CreateModel(
            name="WhatIf",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "base",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="levels.playtestreport"
                    ),
                ),
                (
                    "level_version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="what_ifs",
                        to="levels.levelversion",
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="levels.playtestreport"
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("level_version", "base", "report"), name="whatif_question")
                ],
            },
        ),
    ]
