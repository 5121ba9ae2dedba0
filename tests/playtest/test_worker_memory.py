"""How much memory a worker keeps, from its first start on."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site import ROOT, site_environment

PROBE = """
from pathlib import Path
from playtest.celery import compile_before_forking
compile_before_forking()
print(Path("/proc/self/status").read_text())
"""
MOST_MEGABYTES = 600


@pytest.mark.slow
def test_worker_that_finds_nothing_compiled_does_not_keep_what_compiling_took(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=ROOT,
        env=site_environment(tmp_path) | {"NUMBA_CACHE_DIR": str(tmp_path / "numba")},
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"VmHWM:\s+(\d+) kB", done.stdout)
    assert found is not None
    assert int(found[1]) / 1000 < MOST_MEGABYTES
