"""The process that serves pages and play."""

import subprocess
import sys
from pathlib import Path

from tests.site import ROOT, site_environment

PROBE = """
import gc
import playtest.asgi
print(gc.get_freeze_count(), len(gc.get_objects()))
"""


def test_what_is_loaded_at_the_start_is_out_of_the_way_of_collections(tmp_path: Path) -> None:
    """A full collection goes through every object that is not frozen, and nobody's move is answered meanwhile."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=ROOT,
        env=site_environment(tmp_path) | {"DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}"},
        capture_output=True,
        text=True,
        check=True,
    )
    frozen, others = map(int, done.stdout.split())
    assert frozen > 100_000
    assert others < frozen / 20
