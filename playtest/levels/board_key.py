"""Under which key the best play of a board is kept: what decides about scores in a game without chance, and no more.

Apart from the engine, so that Django starts without it.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

WITHOUT_PART = frozenset({"name", "seed", "colours", "horizon"})
"""What scores nothing where nothing falls in: the board is there and needs no seed, no other colours come, and
the horizon only says before which moves legal ones are counted."""


def board_key(document: Mapping[str, Any]) -> str:
    """SHA-256 in hex of what changes scores, of a level file with its board (`Level.to_document`)."""
    kept = {key: value for key, value in document.items() if key not in WITHOUT_PART}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
