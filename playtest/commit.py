"""The commit of the running code, for the provenance of what it makes."""

import os
from functools import cache
from pathlib import Path


@cache
def code_commit() -> str:
    """The commit of the running code if the repository is there or TESSERA_COMMIT names it, else empty."""
    if named := os.environ.get("TESSERA_COMMIT"):
        return named
    folder = Path(__file__).resolve().parents[1] / ".git"
    try:
        head = (folder / "HEAD").read_text(encoding="ascii").strip()
        if not head.startswith("ref: "):
            return head
        branch = folder / head.removeprefix("ref: ")
        if branch.exists():
            return branch.read_text(encoding="ascii").strip()
        packed = (folder / "packed-refs").read_text(encoding="ascii").splitlines()
    except OSError:
        return ""
    name = head.removeprefix("ref: ")
    return next((line.split()[0] for line in packed if line.endswith(" " + name)), "")
