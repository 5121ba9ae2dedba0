"""Running management commands as people do: another process, its output, its exit status."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.core.management import execute_from_command_line

ROOT = Path(__file__).resolve().parents[2]


def command_line(*arguments: object) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *map(str, arguments)]


def environment() -> dict[str, str]:
    # The commit is named, so that two runs that are compared cannot have one between them.
    return os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings", "TESSERA_COMMIT": "0" * 40}


def run_command(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command_line(*arguments), capture_output=True, text=True, timeout=300, cwd=cwd, env=environment(), check=False
    )


def json_lines(*arguments: object) -> list[Any]:
    """The JSON lines that a command prints; it must succeed and print nothing else."""
    done = run_command(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def json_lines_here(*arguments: object) -> list[Any]:
    """`json_lines` in this process, by the same way through Django and argparse: for many calls."""
    status, stdout, stderr = _run_here(*arguments, "--json")
    assert status == 0, stderr
    return [json.loads(line) for line in stdout.splitlines()]


def refused_process(*arguments: object) -> str:
    """What a command in another process says that ends with status 2, without a traceback or any other output."""
    done = run_command(*arguments)
    return _said(done.returncode, done.stdout, done.stderr)


def without_room(*arguments: object) -> str:
    """What a command says whose output finds a full disk; it must end with status 2, without a traceback."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command_line(*arguments),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            env=environment(),
            check=False,
        )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


def refused(*arguments: object) -> str:
    """The same in this process, for the many kinds of wrong input."""
    return _said(*_run_here(*arguments))


def _run_here(*arguments: object) -> tuple[object, str, str]:
    """Exit status, standard output, standard error."""
    stdout, stderr = io.StringIO(), io.StringIO()
    status: object = 0
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            execute_from_command_line(["manage.py", *map(str, arguments)])
        except SystemExit as end:
            status = end.code
    return status, stdout.getvalue(), stderr.getvalue()


def _said(status: object, stdout: str, stderr: str) -> str:
    """The last line on standard error."""
    assert status == 2, (status, stdout, stderr)
    assert stdout == ""
    assert "Traceback" not in stderr
    return stderr.strip().splitlines()[-1]
