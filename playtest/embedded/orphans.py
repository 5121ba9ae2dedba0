"""A child process that never outlives its parent, however the parent dies."""

import ctypes
import os
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 1.0
SUPERVISED = "TESSERA_SUPERVISED"
"""Holds the process that watches, for its children and theirs; nobody else ties processes together."""

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def kill_with_parent(parent: int, death_signal: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel for `death_signal` when process `parent` dies. Safe between fork and exec: it allocates nothing.

    The parent may have died before the question was put; then there is nobody to wait for.
    """
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, int(death_signal))
    if os.getppid() != parent:
        os._exit(1)


def follow_parent() -> None:
    """For Python children under `up`, and for the children that they fork: end when the parent is gone.

    The kernel does it on Linux; the thread serves other systems and costs one look a second. A forked child may get
    here when its parent is gone already and it hangs on another process: then it asks whether `up` still lives.
    """
    supervisor = os.environ.get(SUPERVISED)
    if not supervisor:
        return
    parent = os.getppid()
    kill_with_parent(parent)
    if not _lives(int(supervisor)):
        os._exit(1)
    if _libc is None:
        threading.Thread(target=_watch, args=(parent,), name="follow-parent", daemon=True).start()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(1)
