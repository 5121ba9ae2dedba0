"""What the commands for researchers share: plain words for wrong input, exit status 2, no traceback, no database."""

import errno
import io
import json
import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from engine import numerals
from engine.level import Level, LevelError, load_level
from personas.files import partial_path

SEED_LIMIT = 2**53
LARGEST_JSON = 10_000_000
INTERRUPTED = 130
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""What the system says where output cannot be written."""


class Error(CommandError):
    """Wrong input: Django prints the class's name and the sentence, and exits with status 2."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, returncode=2)


class PlainCommand(BaseCommand):
    """A command that works without the site: it checks nothing of it and opens no database."""

    requires_system_checks: Any = []

    def write_json(self, value: object) -> None:
        """One JSON line, at once: whoever reads along sees it."""
        self.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False))
        self.stdout.flush()

    @contextmanager
    def quiet_end(self, hint: str = "") -> Iterator[None]:
        """End with status 130 at a keyboard interrupt, and quietly when nobody reads the output any more.

        All output is written when the block ends; raises Error if there is no room for it.
        """
        try:
            yield
            self.stdout.flush()
        except KeyboardInterrupt:
            self.stderr.write(f"Interrupted. {hint}".strip())
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            drop_output()
            sys.exit(0)
        except OSError as error:
            # With a name it is about a file, which is for the command to tell.
            if error.filename is not None or error.errno not in NO_ROOM:
                raise
            drop_output()
            raise Error(f"The output cannot be written: {error.strerror}.") from None


def drop_output() -> None:
    """Send standard output nowhere: Python would complain once more when it flushes at exit."""
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def named_path(text: str) -> Path:
    """An argparse type: a path that has a name. Without one it would be the current folder."""
    if not text:
        raise ArgumentTypeError("must not be empty")
    return Path(text)


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """An argparse type: a whole number in that range, both ends included."""

    def read(text: str) -> int:
        try:
            value = int(plain_number(text))
        except ValueError:
            raise ArgumentTypeError(f"must be a whole number, not {shortened(text)!r}") from None
        if not low <= value <= high:
            raise ArgumentTypeError(f"must be a whole number from {low} to {high}, not {shortened(text)}")
        return value

    return read


def plain_number(text: str) -> str:
    """The text of a number. Raises ValueError for what only Python takes for one, such as 1_000.

    Raises ArgumentTypeError with a sentence for digits of other scripts.
    """
    if numerals.has_other_digits(text):
        raise ArgumentTypeError(f"must be a number with the digits 0 to 9, not {shortened(text.strip())!r}")
    return numerals.plain_number(text)


def shortened(text: str, most: int = 60) -> str:
    """What somebody wrote, for a message of one line."""
    line = "".join(one if one.isprintable() else "?" for one in text)
    return line if len(line) <= most else line[: most - 3] + "..."


def seconds(low: float, high: float) -> Callable[[str], float]:
    """An argparse type: a number of seconds in that range, both ends included."""

    def read(text: str) -> float:
        try:
            value = float(plain_number(text))
        except ValueError:
            raise ArgumentTypeError(f"must be a number of seconds, not {shortened(text)!r}") from None
        # Also refuses what is no number at all.
        if not low <= value <= high:
            raise ArgumentTypeError(f"must be from {low:g} to {high:g} seconds, not {shortened(text)}")
        return value

    return read


def available_workers() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_level(path: str) -> Level:
    """The level in a file; raises Error that names the file."""
    try:
        return load_level(path)
    except LevelError as error:
        text = str(error)
        raise Error(text if path in text else f"{path}: {text}") from None


def read_json_file(path: str) -> Any:
    """The JSON value in a file; raises Error that names the file."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST_JSON + 1)
        if len(content) > LARGEST_JSON:
            raise Error(f"{path} is larger than {LARGEST_JSON:,} bytes.")
        return json.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise Error(f"{path} cannot be read: {error.strerror or error}.") from None
    except RecursionError:
        raise Error(f"{path} is nested too deep.") from None
    except ValueError as error:
        raise Error(f"{path} is no JSON: {error}.") from None


def check_writable(path: Path) -> None:
    """Raise Error unless a file can be put at `path`: better before hours of work than after."""
    folder = path.parent
    try:
        if path.is_dir():
            raise Error(f"{path} is a folder, not a file.")
        # The longer of the two names that are written.
        partial_path(path).exists()
    except OSError as error:
        raise Error(f"{shortened(str(path))} cannot be written: {error.strerror or error}.") from None
    if path.exists() and not path.is_file():
        # A device such as /dev/null would be replaced by a file.
        raise Error(f"{path} is there and no ordinary file.")
    if not folder.is_dir():
        raise Error(f"The folder {folder} does not exist.")
    if not os.access(folder, os.W_OK):
        raise Error(f"The folder {folder} cannot be written to.")


def make_folder(path: Path) -> None:
    """Make a folder with its parents; raises Error if that cannot be done."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"The folder {path} cannot be made: {error.strerror or error}.") from None


def progress_bar(total: int, unit: str) -> "tqdm[Any]":
    """A bar on standard error, shown on a terminal only."""
    return tqdm(
        total=total, unit=unit, file=sys.stderr, disable=not sys.stderr.isatty(), leave=False, dynamic_ncols=True
    )
