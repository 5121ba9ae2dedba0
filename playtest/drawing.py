"""Charts as SVG without a browser, for reports in one file.

vl-convert holds a JavaScript engine of some hundred megabytes. It runs in a process of its own that ends with the
report, so that no process of the site ever holds it: `python -m playtest.drawing` reads a JSON list of specifications
and writes the list of their drawings.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

WIDTH = 720
PADDING = {"left": 14, "right": 28, "top": 4, "bottom": 4}
"""Room beside the labels: they are measured here in one font and shown in the reader's, which may be wider."""
SECONDS = 120


class DrawingError(RuntimeError):
    """Why nothing was drawn, in a sentence."""


def drawings(specs: Sequence[dict[str, Any]]) -> list[str]:
    """Each specification as an SVG of one width, in the values that its colours have there. Raises DrawingError."""
    if not specs:
        return []
    asked = json.dumps(
        [{**spec, "width": WIDTH, "config": {**spec.get("config", {}), "padding": PADDING}} for spec in specs]
    )
    command = [sys.executable, "-m", "playtest.drawing"]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        raise DrawingError("The figures could not be drawn on this machine.") from error
    found: list[str] = json.loads(done.stdout)
    return found


def inlined(svg: str, *, key: str, tokens: dict[str, str]) -> str:
    """A drawing to stand among others in a page: ids of its own, and colours that follow the page's theme.

    `tokens` are the names of CSS tokens by the colours that they have in the drawing.
    """
    ids = set(re.findall(r'\bid="([^"]+)"', svg))
    for name in ids:
        svg = svg.replace(f'id="{name}"', f'id="{key}-{name}"').replace(f"url(#{name})", f"url(#{key}-{name})")
    return re.sub(
        r'\b(fill|stroke)="(#[0-9a-f]{6})"',
        lambda found: f'{found[1]}="var(--{tokens[found[2]]})"' if found[2] in tokens else found[0],
        svg,
    )


def main() -> None:
    import vl_convert

    specs = json.load(sys.stdin)
    json.dump([vl_convert.vegalite_to_svg(spec) for spec in specs], sys.stdout)


if __name__ == "__main__":
    main()
