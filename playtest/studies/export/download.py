"""An export for a browser: the command in a process of its own, whose output is passed on as it comes.

A thread of the web process that reads and replays rounds would hold up the players of that process; another process,
at a lower priority, does not.
"""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from io import BufferedReader
from threading import BoundedSemaphore, Event, Lock, Thread
from time import monotonic
from typing import cast

from django.conf import settings

from playtest.studies.export.options import ExportOptions
from playtest.studies.models import Study

MOST_AT_ONCE = 2
CHUNK = 64 * 1024
END_SECONDS = 10.0
IDLE_SECONDS = 60.0
WATCH_SECONDS = 1.0

_places = BoundedSemaphore(MOST_AT_ONCE)
_readers = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="export")


class BusyError(RuntimeError):
    """This process passes on as many exports as it may."""


class ExportFailedError(RuntimeError):
    """The process ended before the ZIP was whole; the log says why."""


class Download:
    """The bytes of an export, an asynchronous iterable once `start` has come back.

    Nobody need close it: a thread of its own, the keeper, ends the process and gives the place back when the iteration
    ends in any way, when `start` is cancelled, and when nobody has asked for more for IDLE_SECONDS, as happens to an
    answer that is dropped before it is sent. `close` does not come back before that is done.
    """

    def __init__(self, study: Study, options: ExportOptions, *, actor: int) -> None:
        self.command = export_command(study, options, actor)
        self.process: subprocess.Popen[bytes] | None = None
        self.first = b""
        self._keeper = Thread(target=self._keep, name="export-keeper", daemon=True)
        self._leaving = Event()
        # Held to begin a read and to find that nobody reads, so that never both happen.
        self._lock = Lock()
        self._idle_since: float | None = None

    async def start(self) -> None:
        """Start the process and wait for its first bytes.

        Raises BusyError where no place is free and ExportFailedError where not even a beginning came.
        """
        # Not in a thread: whoever leaves meanwhile would leave a process behind that nobody knows of.
        self._open()
        try:
            self.first = await self._read()
        except BaseException:
            self._leaving.set()
            raise
        if not self.first:
            await asyncio.to_thread(self.close)
            raise ExportFailedError

    def _open(self) -> None:
        """Take a place and start the process and its keeper."""
        if not _places.acquire(blocking=False):
            raise BusyError
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            self._idle_since = monotonic()
            self._keeper.start()
        except BaseException:
            if self.process is not None:
                _end(self.process)
            _places.release()
            raise

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert self.process is not None
        try:
            yield self.first
            while chunk := await self._read():
                yield chunk
            # Raised inside the answer: the connection breaks, and the browser says that the download failed.
            if await asyncio.get_running_loop().run_in_executor(_readers, self.process.wait):
                raise ExportFailedError
        finally:
            self._leaving.set()

    def close(self) -> None:
        """End the process, whatever was read of it, and give its place back; nothing where that has been done."""
        if self.process is not None:
            self._leaving.set()
            self._keeper.join()

    async def _read(self) -> bytes:
        """What there is, at least a byte; nothing at the end. The time it takes does not count as idle."""
        assert self.process is not None
        assert self.process.stdout is not None
        with self._lock:
            if self._leaving.is_set():
                raise ExportFailedError
            self._idle_since = None
        stdout = cast(BufferedReader, self.process.stdout)
        chunk = await asyncio.get_running_loop().run_in_executor(_readers, stdout.read1, CHUNK)
        self._idle_since = monotonic()
        return chunk

    def _keep(self) -> None:
        assert self.process is not None
        try:
            while not self._leaving.wait(WATCH_SECONDS):
                # One that has ended is reaped, although what it left in the pipe is still to be read.
                self.process.poll()
                with self._lock:
                    if self._idle_since is not None and monotonic() - self._idle_since > IDLE_SECONDS:
                        self._leaving.set()
            _end(self.process)
        finally:
            _places.release()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Have the process end, by force if need be; a reader that still waits finds the end of its output."""
    # It removes what it has written so far.
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    assert process.stdout is not None
    process.stdout.close()


def export_command(study: Study, options: ExportOptions, actor: int) -> list[str]:
    words = [sys.executable, str(settings.BASE_DIR / "manage.py"), "export", "--zip"]
    words += [f"--format={','.join(options.formats)}", f"--actor={actor}"]
    words += [f"--kind={','.join(str(kind.label) for kind in options.selection.kinds)}"]
    words += ["--anonymous"] if options.anonymous else []
    # A public id may begin with a hyphen.
    return [*words, "--", study.public_id]
