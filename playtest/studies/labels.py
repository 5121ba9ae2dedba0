"""A pasted list of labels, one a line: what is read of it, and what is wrong with which line."""

import unicodedata
from collections.abc import Iterable, Sequence

LIMIT_LABEL = 100
MOST_FAULTS = 10


def labels_read(text: str) -> tuple[list[str], list[str]]:
    """The labels in order, and sentences about lines that hold none. Empty lines are passed over."""
    labels: dict[str, int] = {}
    faults = []
    for number, line in enumerate(text.splitlines(), 1):
        label = unicodedata.normalize("NFC", line.strip())
        if not label:
            continue
        if any(unicodedata.category(letter) in {"Cc", "Cs", "Cn", "Co"} for letter in label):
            faults.append(f"Line {number} holds a character that cannot be printed.")
        elif len(label) > LIMIT_LABEL:
            faults.append(f"Line {number} has {len(label)} characters; a label has at most {LIMIT_LABEL}.")
        elif label in labels:
            faults.append(f"Line {number}: “{label}” stands in line {labels[label]} already.")
        else:
            labels[label] = number
    return list(labels), faults


def taken_faults(labels: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Sentences about labels that the study has links for already."""
    known = set(taken)
    return [f"There is a link for “{label}” already." for label in labels if label in known]


def faults_shown(faults: Sequence[str]) -> list[str]:
    """The first of many faults, and how many more there are."""
    more = len(faults) - MOST_FAULTS
    return [*faults[:MOST_FAULTS], *([f"And {more} more."] if more > 0 else [])]
