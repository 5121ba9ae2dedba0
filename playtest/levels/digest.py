"""Which code plays: results of different code are different answers, so workers and reports carry its digest."""

import hashlib
from pathlib import Path

import personas
from engine.cache import source_digest


def _source_digest() -> str:
    digest = hashlib.sha256(source_digest().encode())
    root = Path(personas.__file__).resolve().parent
    for path in sorted(path for path in root.rglob("*") if path.suffix in {".py", ".toml"}):
        content = path.read_bytes()
        digest.update(f"\n{path.relative_to(root).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


# Taken when the process starts: files that change under it later are not the code that it runs.
_DIGEST = _source_digest()


def engine_digest() -> str:
    """SHA-256 in hex over the source of the engine and of the personas that this process runs."""
    return _DIGEST
