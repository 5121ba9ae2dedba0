"""Start the children in order, keep them running, end them all."""

import contextlib
import http.client
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from playtest.embedded.children import Child
from playtest.embedded.logs import shorten_log
from playtest.embedded.orphans import kill_with_parent

LOOK_SECONDS = 1.0
LOG_SECONDS = 60.0
POLITE_SECONDS = 4.0
"""How long programs may take to end by themselves. Work that is cut off is done again by whoever comes next."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Supervisor:
    """Watches its children until a signal says stop. Use `stopping_on_signals` around everything it does."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.children: list[Child] = []
        self._stop_wanted = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)

    @contextlib.contextmanager
    def stopping_on_signals(self) -> Iterator[None]:
        """Signals end the watch; whatever happens inside, no child is left afterwards."""
        numbers = (*STOP_SIGNALS, signal.SIGCHLD)
        before = {number: signal.signal(number, self._note) for number in numbers}
        wakeup = signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        try:
            yield
        finally:
            self.end_all()
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _note(self, number: int, frame: object) -> None:
        if number in STOP_SIGNALS:
            self._stop_wanted = True

    def is_stopping(self) -> bool:
        return self._stop_wanted

    def start(self, child: Child) -> None:
        shorten_log(child.log)
        self.children.append(child)
        child.start()

    def watch(self) -> None:
        """Restart what ends, until a signal says stop."""
        next_logs = time.monotonic() + LOG_SECONDS
        while not self.is_stopping():
            self._wait(LOOK_SECONDS)
            self.look()
            if time.monotonic() >= next_logs:
                next_logs += LOG_SECONDS
                for child in self.children:
                    shorten_log(child.log)

    def look(self) -> None:
        """One round: note which children ended, start those whose pause is over."""
        for child in self.children:
            if child.has_ended():
                assert child.process is not None, "it ended, so it ran"
                code = child.process.returncode
                pause = child.plan_restart()
                how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
                self.say(f"{child.name} {how}; it starts again in {pause:.1f} s (see {child.log})")
            if child.restart_at is not None and time.monotonic() >= child.restart_at and not self.is_stopping():
                child.start()

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Whether `condition` came true in time; children are looked after meanwhile. A stop signal ends the wait."""
        end = time.monotonic() + seconds
        while not self.is_stopping() and time.monotonic() < end:
            if condition():
                return True
            self._wait(0.05)
            self.look()
        return False

    def run_to_end(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> tuple[int, bytes] | None:
        """Run a program that ends by itself: its status and what it printed, or None if a stop signal ended it.

        It prints little: its output waits in the pipe until it ends.
        """
        parent = os.getpid()
        with subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            process_group=0,
            preexec_fn=lambda: kill_with_parent(parent),
        ) as process:
            while process.poll() is None and not self.is_stopping():
                self._wait(LOOK_SECONDS)
                self.look()
            if process.poll() is None:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(POLITE_SECONDS)
                process.kill()
                return None
            assert process.stdout is not None
            return process.returncode, process.stdout.read()

    def end_all(self) -> None:
        """End all children, those that are to end last in a second round."""
        for last in (False, True):
            group = [child for child in self.children if child.ends_last == last]
            deadline = time.monotonic() + POLITE_SECONDS
            for child in group:
                child.ask_to_end()
            for child in group:
                child.end(deadline)
        self.children.clear()

    def _wait(self, seconds: float) -> None:
        """Sleep, but wake for a signal at once: a child that ended, or the wish to stop."""
        waiting = [child.restart_at - time.monotonic() for child in self.children if child.restart_at is not None]
        select.select([self._wake_read], [], [], max(0.0, min([seconds, *waiting])))
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_read, 512)


def answers(host: str, port: int, path: str) -> bool:
    """Whether the site answers with 200 there."""
    connection = http.client.HTTPConnection(host, port, timeout=2.0)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
