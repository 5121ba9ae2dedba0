"""Names that people give to things, and which of them cannot be shown."""

import unicodedata

from engine.level import UNPRINTABLE

# Characters of format: they are not seen, and some turn round the direction of what follows.
_UNSEEN = UNPRINTABLE | {"Cf"}


def name_problem(name: str) -> str | None:
    """What is wrong with a name, as a sentence, or None. An empty name is nobody's fault."""
    if any(unicodedata.category(character) in _UNSEEN for character in name):
        return "The name holds a character that cannot be printed."
    return None
