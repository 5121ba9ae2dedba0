"""A watched child process: started in a group of its own, restarted with growing pauses, ended with its group."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from playtest.embedded.logs import open_log
from playtest.embedded.orphans import SUPERVISED, kill_with_parent

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 15.0
CALM_AFTER = 30.0
"""Seconds of running after which a child counts as well again."""


@dataclass
class Child:
    """What to run and how to end it. `started`, `stopped` and `restart_at` are monotonic seconds."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    log: Path
    niceness: int = 0
    death_signal: signal.Signals = signal.SIGKILL
    """What the kernel sends when the supervisor dies. The broker is asked to end, so that it writes out its data."""
    ends_last: bool = False
    """True for the broker: the others can then still say goodbye to it."""
    process: subprocess.Popen[bytes] | None = None
    pause: float = FIRST_PAUSE
    started: float = 0.0
    restart_at: float | None = None
    restarts: int = 0

    def start(self) -> None:
        parent = os.getpid()

        def before_program() -> None:
            kill_with_parent(parent, self.death_signal)
            if self.niceness:
                os.nice(self.niceness)

        with open_log(self.log) as log:
            self.process = subprocess.Popen(
                self.command,
                env={**self.environment, SUPERVISED: str(parent)},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                preexec_fn=before_program,
            )
        self.started = time.monotonic()
        self.restart_at = None

    def has_ended(self) -> bool:
        """Whether it ran and runs no more. What it left behind in its group is ended too."""
        if self.process is None or self.process.poll() is None:
            return False
        self.signal_group(signal.SIGKILL)
        return True

    def plan_restart(self) -> float:
        """Note when to start it again; gives the pause in seconds. A child that ran well begins with a short one."""
        assert self.process is not None, "only a child that ran is restarted"
        now = time.monotonic()
        if now - self.started >= CALM_AFTER:
            self.pause = FIRST_PAUSE
        pause = self.pause
        self.pause = min(LONGEST_PAUSE, self.pause * 2)
        self.process = None
        self.restart_at = now + pause
        self.restarts += 1
        return pause

    def signal_group(self, number: signal.Signals) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)

    def ask_to_end(self) -> None:
        """Tell the program itself; it knows how to end its own children."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def end(self, deadline: float) -> None:
        """Wait until `deadline` (monotonic) for a child that was asked to end, then end its whole group."""
        if self.process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, deadline - time.monotonic()))
        self.signal_group(signal.SIGKILL)
        self.process.wait()
