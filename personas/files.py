"""Files that are there whole or not at all."""

import os
from pathlib import Path


def partial_path(path: Path) -> Path:
    """Where this process writes what is to become `path`."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def write_atomically(path: Path, text: str) -> None:
    """Write a file in one step: after a crash there is the old one or the new one, whole and on disk.

    Raises OSError, which names `path` where the system names no file, such as on a full disk.
    """
    partial = partial_path(path)
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)
