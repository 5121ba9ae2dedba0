"""When two formulas count as the same.

The paper calls two formulas equivalent if their difference simplifies to 0. A computer algebra system takes about half
a second for a pair and minutes for a generation, so fingerprints decide: values at fixed random points, compared after
rounding (`engine.formula.fingerprint`). A test holds the two definitions side by side.
"""

from engine.formula import Formula, fingerprint, parse_formula


class Pool:
    """A growing set of formulas of which no two are equivalent; `signed` as in `engine.formula.fingerprint`."""

    def __init__(self, *, signed: bool = False) -> None:
        self._signed = signed
        self._fingerprints: set[str] = set()

    def __len__(self) -> int:
        return len(self._fingerprints)

    def add(self, formula: Formula) -> str | None:
        """The fingerprint of `formula`, which is taken in; None if an equivalent one is there already."""
        mark = fingerprint(formula, signed=self._signed)
        if mark in self._fingerprints:
            return None
        self._fingerprints.add(mark)
        return mark


def are_equivalent(first: str, second: str, *, signed: bool = False) -> bool:
    """Whether the formulas of two texts are equivalent."""
    return fingerprint(parse_formula(first), signed=signed) == fingerprint(parse_formula(second), signed=signed)
