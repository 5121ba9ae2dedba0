"""The table of figures in a document, between two marks; the rest of the document stays as it is."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from personas.files import write_atomically
from playtest.bench.figures import BenchError, Figure, machine, rounded

BEGIN = "<!-- The table of `make bench` begins. -->"
END = "<!-- The table of `make bench` ends. -->"


def place_in(path: Path) -> tuple[str, str]:
    """What stands before and after the table in the document at `path`; raises BenchError if it has no place for it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BenchError(f'{path} has no place for the table: "{BEGIN}" and "{END}".')
    return before, after


def write_table(path: Path, figures: Sequence[Figure], *, commit: str) -> None:
    """Put the table in the place of the one that stands in the document at `path`; raises BenchError."""
    before, after = place_in(path)
    write_atomically(path, f"{before}{BEGIN}\n\n{table(figures, commit=commit)}\n{END}{after}")


def table(figures: Sequence[Figure], *, commit: str) -> str:
    """The figures with the machine, versions, date and load that they belong to, as Markdown."""
    facts = machine()
    loads = [figure.load[0] for figure in figures]
    said = (
        f"{facts['processor']}, {facts['cores']} cores, {platform.system()}; Python {facts['python']}, "
        f"numba {facts['numba']}, numpy {facts['numpy']}; kernels with {facts['path']}. "
        f"{datetime.now(UTC):%Y-%m-%d}, commit {commit[:12] or 'unknown'}, "
        f"load average {min(loads):.1f} to {max(loads):.1f} while measuring."
    )
    lines = [said, "", "| Bench | What | Value | Unit |", "| --- | --- | ---: | --- |"]
    lines += [f"| {one.bench} | {one.what}{note(one)} | {shown(one.value)} | {one.unit} |" for one in figures]
    return "\n".join(lines) + "\n"


def note(figure: Figure) -> str:
    """The time of one beside a rate, which is what people compare."""
    if "ns_a_move" in figure.facts:
        return f" ({figure.facts['ns_a_move']} ns a move)"
    if figure.unit == "play-outs/s":
        return f" ({figure.facts['us_a_playout']} us each)"
    return ""


def shown(value: float) -> str:
    """Four digits that count, thousands apart."""
    value = rounded(value)
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"
