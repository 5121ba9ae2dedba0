"""Log files of the children: they append, the supervisor keeps the files short."""

import contextlib
import os
import shutil
from pathlib import Path
from typing import BinaryIO

LARGEST = 10 * 1024 * 1024
"""Bytes after which a log is set aside; one older file is kept of each."""


def open_log(path: Path) -> BinaryIO:
    """Opened for appending, so that every process goes on at the end, also after the file was cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("ab", buffering=0)


def shorten_log(path: Path, largest: int = LARGEST) -> None:
    """Copy a log that grew too long to `<name>.1` and cut it: its writers keep their open file."""
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size > largest:
            shutil.copyfile(path, path.with_suffix(path.suffix + ".1"))
            os.truncate(path, 0)


def last_lines(path: Path, number: int = 15, most: int = 8192) -> str:
    """The end of a log, for a message that says why something did not start."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - most))
            text = file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-number:])
