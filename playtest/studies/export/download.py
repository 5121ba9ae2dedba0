"""An export for a browser: the command in a process of its own, whose output is passed on as it comes.

A thread of the web process that reads and replays rounds would hold up the players of that process; another process,
at a lower priority, does not.
"""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore

from django.conf import settings

from playtest.studies.export.options import ExportOptions
from playtest.studies.models import Study

MOST_AT_ONCE = 2
CHUNK = 64 * 1024
END_SECONDS = 10.0

_places = BoundedSemaphore(MOST_AT_ONCE)
_readers = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="export")


class BusyError(RuntimeError):
    """This process passes on as many exports as it may."""


class ExportFailedError(RuntimeError):
    """The process ended before the ZIP was whole; the log says why."""


class Download:
    """The bytes of an export, an asynchronous iterable. `close` ends the process, whatever was read of it.

    Starting raises BusyError, or ExportFailedError where not even a beginning came.
    """

    def __init__(self, study: Study, options: ExportOptions, *, actor: int) -> None:
        if not _places.acquire(blocking=False):
            raise BusyError
        self.open = True
        try:
            self.process = subprocess.Popen(
                export_command(study, options, actor), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
            )
        except BaseException:
            self.open = False
            _places.release()
            raise
        self.first = self.read()
        if not self.first:
            self.close()
            raise ExportFailedError

    def read(self) -> bytes:
        """What there is, at least a byte; nothing at the end."""
        assert self.process.stdout is not None
        return self.process.stdout.read1(CHUNK)  # type: ignore[attr-defined, no-any-return]

    async def __aiter__(self) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        yield self.first
        while chunk := await loop.run_in_executor(_readers, self.read):
            yield chunk
        # Raised inside the answer: the connection breaks, and the browser says that the download failed.
        if await loop.run_in_executor(_readers, self.process.wait):
            raise ExportFailedError

    def close(self) -> None:
        if not self.open:
            return
        self.open = False
        try:
            # It removes what it has written so far.
            self.process.terminate()
            try:
                self.process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()
        finally:
            _places.release()


def export_command(study: Study, options: ExportOptions, actor: int) -> list[str]:
    words = [sys.executable, str(settings.BASE_DIR / "manage.py"), "export", study.public_id, "--zip"]
    words += [f"--format={','.join(options.formats)}", f"--actor={actor}"]
    words += [f"--kind={','.join(str(kind.label) for kind in options.selection.kinds)}"]
    return [*words, "--anonymous"] if options.anonymous else words
