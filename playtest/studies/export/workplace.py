"""Where the files of an export lie until they have been sent, and what becomes of them when its process is killed."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

YOUNG_SECONDS = 60
"""A folder is locked right after it is made; so old, one that is not has nobody any more."""


@contextmanager
def working_folder() -> Iterator[Path]:
    """A private folder on disk, gone afterwards. What a killed process leaves is removed by `exports_left_remove`.

    It lies with the data, since a system's temporary folder may be memory.
    """
    place = _place()
    place.mkdir(mode=0o700, exist_ok=True)
    exports_left_remove()
    with tempfile.TemporaryDirectory(dir=place) as folder, _held(Path(folder)):
        yield Path(folder)


def exports_left_remove() -> int:
    """Remove folders whose process was killed: they hold people's data. Gives how many there were."""
    place = _place()
    found = list(place.iterdir()) if place.is_dir() else []
    return sum(_remove_left(folder) for folder in found)


def _place() -> Path:
    return Path(settings.VAR) / "exports"


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Lock a folder; in whatever way the process ends, the kernel lets go of it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def _remove_left(folder: Path) -> bool:
    # It may be locked; whoever uses it may remove it at any moment; and others look for what is left too.
    with suppress(OSError):
        if folder.stat().st_mtime > time.time() - YOUNG_SECONDS:
            return False
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
            return True
        finally:
            os.close(descriptor)
    return False
