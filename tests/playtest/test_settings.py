"""Settings as a fresh process reads them, and the checks of a deployment."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core import checks
from django.core.exceptions import SuspiciousOperation
from django.db import connection
from django.test import override_settings

from playtest.celery import broker_address
from playtest.logs import LONGEST, ShortLine

ROOT = Path(__file__).resolve().parent.parent.parent
ASK = """
import json, sys
from django.conf import settings
print(json.dumps({name: getattr(settings, name) for name in sys.argv[1:]}))
"""


def settings_with(var: Path, *names: str, **variables: str) -> dict[str, Any]:
    base = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "TESSERA_VAR": str(var)}
    result = subprocess.run(
        [sys.executable, "-c", ASK, *names],
        cwd=ROOT,
        env={**base, "DJANGO_SETTINGS_MODULE": "playtest.settings", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return dict(json.loads(result.stdout))


def test_nothing_set_means_safe_for_production(tmp_path: Path) -> None:
    found = settings_with(
        tmp_path, "DEBUG", "ALLOWED_HOSTS", "SECRET_KEY", "SESSION_COOKIE_HTTPONLY", "X_FRAME_OPTIONS"
    )
    assert found["DEBUG"] is False
    assert "*" not in found["ALLOWED_HOSTS"]
    assert found["SECRET_KEY"] == (tmp_path / "secret_key").read_text().strip()
    assert found["SESSION_COOKIE_HTTPONLY"] is True
    assert found["X_FRAME_OPTIONS"] == "DENY"


def test_tls_switches_on_every_secure_flag(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS")
    assert not any(settings_with(tmp_path, *names).values())
    assert all(settings_with(tmp_path, *names, TESSERA_TLS="true").values())


def test_broker_of_a_running_up_is_found_by_its_note(tmp_path: Path) -> None:
    (tmp_path / "broker_url").write_text("unix:///run/somewhere/valkey.sock")
    assert settings_with(tmp_path, "REDIS_URL")["REDIS_URL"] == "unix:///run/somewhere/valkey.sock"
    assert settings_with(tmp_path, "REDIS_URL", REDIS_URL="redis://elsewhere/3")["REDIS_URL"] == "redis://elsewhere/3"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("redis://broker:6379/1", "redis://broker:6379/1"),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock?virtual_host=0"),
        ("unix:///run/valkey.sock?db=2", "redis+socket:///run/valkey.sock?virtual_host=2"),
        ("", ""),
    ],
)
def test_broker_address_is_written_as_kombu_reads_it(given: str, meant: str) -> None:
    assert broker_address(given) == meant


def test_sqlite_stores_on_disk_before_it_answers(db: None) -> None:
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        found = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}


def ids_of(**changes: Any) -> set[str | None]:
    with override_settings(**changes):
        return {message.id for message in checks.run_checks(include_deployment_checks=True)}


def test_debug_for_other_machines_is_an_error() -> None:
    assert "playtest.E002" in ids_of(DEBUG=True, ALLOWED_HOSTS=["play.example"])
    assert "playtest.E002" not in ids_of(DEBUG=True, ALLOWED_HOSTS=["localhost"])


def test_deployment_without_broker_is_an_error() -> None:
    assert "playtest.E003" in ids_of(REDIS_URL="")
    assert "playtest.E003" not in ids_of(REDIS_URL="redis://broker")


def test_deployment_without_encryption_or_with_sqlite_is_warned_about() -> None:
    assert {"playtest.W001", "playtest.W002"} <= ids_of(USES_SQLITE=True, USES_TLS=False)
    assert not {"playtest.W001", "playtest.W002"} & ids_of(USES_SQLITE=False, USES_TLS=True)


def test_old_sqlite_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 34, 1))
    assert "playtest.E001" in ids_of(USES_SQLITE=True)
    assert "playtest.E001" not in ids_of(USES_SQLITE=False)


def test_django_starts_without_kernels_charts_or_algebra(tmp_path: Path) -> None:
    """Each costs most of a second, in every command and every process of a test."""
    code = "import sys, django; django.setup(); print(*sys.modules)"
    base = {"PATH": os.environ["PATH"], "TESSERA_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "playtest.settings"}
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=base, capture_output=True, text=True, check=True
    )
    assert not {"numba", "sympy", "altair", "scipy", "deap"} & set(loaded.stdout.split())


def test_refused_request_takes_one_short_line_of_the_log() -> None:
    try:
        raise SuspiciousOperation("x" * 5000 + "\n")
    except SuspiciousOperation as error:
        information = (type(error), error, error.__traceback__)
    for name, lines in (("django.security.DisallowedHost", 1), ("django.request", 4)):
        record = logging.LogRecord(name, logging.ERROR, "", 1, "%s", ("x" * 5000 + "\n",), information)
        assert ShortLine().filter(record)
        text = logging.Formatter().format(record)
        assert (len(text.splitlines()) >= lines) if lines > 1 else (len(text) <= LONGEST)
