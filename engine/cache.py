"""Where compiled kernels are kept: one folder for each state of the engine's source.

Numba notices a change of the file that a kernel stands in, not of the files that it calls. So the folder is named by
a digest of every source file of the engine: other source, other folder. Folders of other digests are removed when no
running process holds them, all but the most recent few.
"""

import atexit
import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shutil
import tempfile
from pathlib import Path

import llvmlite
import numba
import numpy

ENGINE_ROOT = Path(__file__).resolve().parent
KEPT_FOLDERS = 3
_FOLDER_NAME = re.compile(r"[0-9a-f]{16}\Z")
_DOOMED_NAME = re.compile(r"[0-9a-f]{16}\.old-\d+\Z")
_LOCK_NAME = "in-use.lock"

# File descriptors, open as long as the process lives: the lock on each tells others that its folder is in use.
_held_locks: list[int] = []


def source_digest() -> str:
    """SHA-256 in hex over the paths and bytes of `engine/**/*.py` and the versions that decide what is compiled."""
    digest = hashlib.sha256()
    versions = (numba.__version__, llvmlite.__version__, numpy.__version__, platform.python_version())
    versions += (os.environ.get("TESSERA_PORTABLE", ""),)
    digest.update(" ".join(versions).encode())
    for path in sorted(ENGINE_ROOT.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"\n{path.relative_to(ENGINE_ROOT).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def parent_folder() -> Path:
    """What holds the folders of all digests: `NUMBA_CACHE_DIR` if set, `var/numba` here, else the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR", "")
    if chosen:
        return Path(chosen)
    repository = ENGINE_ROOT.parent
    beside = repository / "var" / "numba"
    if (repository / "manage.py").exists() and _is_writable(beside):
        return beside
    user_cache = os.environ.get("XDG_CACHE_HOME", "") or str(Path.home() / ".cache")
    return Path(user_cache) / "tessera" / "numba"


def use_digest_folder() -> Path:
    """Point numba at the folder of the present source and say which it is; old ones go when this one is new.

    Where nothing can be written the folder is a private one that lasts as long as the process. Numba's own way out,
    `__pycache__`, would give kernels of other source.
    """
    parent = parent_folder()
    folder = parent / source_digest()[:16]
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _hold(folder)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="tessera-numba-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    else:
        if is_new:
            remove_old_folders(parent, keep=folder)
    numba.config.CACHE_DIR = str(folder)
    return folder


def remove_old_folders(parent: Path, *, keep: Path, kept: int = KEPT_FOLDERS) -> list[Path]:
    """Delete digest folders in `parent` that no process uses, except `keep` and the `kept` most recently used ones."""
    names = [path for path in parent.iterdir() if path.is_dir()]
    for unfinished in filter(lambda path: _DOOMED_NAME.match(path.name), names):
        shutil.rmtree(unfinished, ignore_errors=True)
    others = [path for path in names if path != keep and _FOLDER_NAME.match(path.name)]
    others.sort(key=_last_use, reverse=True)
    removed = []
    for folder in others[kept:]:
        if _is_held(folder):
            continue
        # Renamed first: of two processes that clean up at once only one goes on, and nobody loads half a folder.
        doomed = folder.with_name(f"{folder.name}.old-{os.getpid()}")
        with contextlib.suppress(OSError):
            folder.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
            removed.append(folder)
    return removed


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _hold(folder: Path) -> None:
    """Take the shared lock of `folder` until the process ends."""
    lock = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    _held_locks.append(lock)
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    os.utime(folder / _LOCK_NAME)


def _is_held(folder: Path) -> bool:
    """Whether a running process holds the lock of `folder`."""
    try:
        with (folder / _LOCK_NAME).open("rb+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _last_use(folder: Path) -> float:
    """When a process last began to use `folder`, in seconds of the epoch; 0 if nothing tells."""
    try:
        return (folder / _LOCK_NAME).stat().st_mtime
    except OSError:
        return 0.0
