"""Children of `up` that come too late to be told of its end."""

import os
import subprocess
import sys
from pathlib import Path

from playtest.embedded.orphans import SUPERVISED

ROOT = Path(__file__).resolve().parents[2]
CODE = "from playtest.embedded.orphans import follow_parent; follow_parent(); print('lives')"


def follow(supervisor: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=ROOT,
        env=os.environ | {SUPERVISED: supervisor},
        capture_output=True,
        text=True,
        check=False,
    )


def test_child_that_is_ready_only_when_up_is_gone_ends() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    done = follow(str(gone.pid))
    assert (done.returncode, done.stdout) == (1, "")


def test_child_of_a_living_up_goes_on() -> None:
    assert follow(str(os.getpid())).stdout == "lives\n"
