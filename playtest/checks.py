"""What is wrong with a deployment, said before it hurts. `manage.py check --deploy` adds Django's own."""

import sqlite3
from typing import Any

from django.conf import settings
from django.core import checks

OLDEST_SQLITE = (3, 35, 0)
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]"}


@checks.register(checks.Tags.database)
def check_sqlite_version(**kwargs: Any) -> list[checks.CheckMessage]:
    if not settings.USES_SQLITE or sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return []
    return [
        checks.Error(
            f"SQLite {sqlite3.sqlite_version} has no UPDATE … RETURNING, by which moves are stored once.",
            hint="Use a Python whose SQLite is 3.35 or later, or PostgreSQL by DATABASE_URL.",
            id="playtest.E001",
        )
    ]


@checks.register(checks.Tags.security)
def check_debug_is_local(**kwargs: Any) -> list[checks.CheckMessage]:
    if not settings.DEBUG or set(settings.ALLOWED_HOSTS) <= LOCAL_HOSTS:
        return []
    return [
        checks.Error(
            "DEBUG is on while ALLOWED_HOSTS names other machines: error pages would show code and data.",
            hint="Unset DEBUG, or leave ALLOWED_HOSTS at this machine.",
            id="playtest.E002",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def check_deployment(**kwargs: Any) -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = []
    if not settings.REDIS_URL:
        found.append(
            checks.Error(
                "REDIS_URL is not set: playtests and evolution have no broker.",
                hint="Set it to the Redis or Valkey server that web processes and workers share.",
                id="playtest.E003",
            )
        )
    if settings.USES_SQLITE:
        found.append(
            checks.Warning(
                "The database is SQLite: good for one machine.",
                hint="For several machines set DATABASE_URL to PostgreSQL.",
                id="playtest.W001",
            )
        )
    if not settings.USES_TLS:
        found.append(
            checks.Warning(
                "TESSERA_TLS is off: cookies travel without encryption.",
                hint="Serve over HTTPS behind a proxy that sets X-Forwarded-Proto, and set TESSERA_TLS=true.",
                id="playtest.W002",
            )
        )
    return found
