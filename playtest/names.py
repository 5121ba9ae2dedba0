"""Names that people give to things, and which of them cannot be shown."""

import unicodedata

from engine.level import UNPRINTABLE

# Characters of format: they are not seen, and some turn round the direction of what follows.
_UNSEEN = UNPRINTABLE | {"Cf"}
# Persian words and pictures of several people are written with these.
_JOINERS = {"\u200c", "\u200d"}


def name_problem(name: str) -> str | None:
    """What is wrong with a name, as a sentence, or None. An empty name is nobody's fault."""
    seen = [character for character in name if character not in _JOINERS]
    if any(unicodedata.category(character) in _UNSEEN for character in seen):
        return "The name holds a character that cannot be printed."
    if name and not "".join(seen).strip():
        return "The name holds no character that can be seen."
    return None
