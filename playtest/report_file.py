"""A whole report as one file: it asks for nothing from anywhere, opens without the site and prints well."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone

from playtest.drawing import drawings, inlined
from playtest.figure import Figure
from playtest.theme import COLOURS

STYLES = (
    "tokens",
    "base",
    "arrangement",
    "controls",
    "components",
    "pages",
    "pages/charts",
    "pages/levels",
    "pages/maps",
    "pages/insights",
    "pages/report",
)
TOKENS = {value: name for name, value in reversed(COLOURS.items())}
"""CSS tokens by their light values; of those that share one, the first."""


def report_response(request: HttpRequest, template: str, context: dict[str, Any], *, name: str) -> HttpResponse:
    """The template as a file for download, under a name without its ending. The template extends `report_base.html`."""
    words = {"is_file": True, "styles": _styles(), "made_at": timezone.now(), **context}
    response = HttpResponse(render_to_string(template, words, request), content_type="text/html; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.html"'
    return response


def figures_drawn(figures: Sequence[Figure | None]) -> list[Figure | None]:
    """The figures with their drawings in them. Raises DrawingError."""
    found = [figure for figure in figures if figure is not None]
    drawn = iter(drawings([figure.spec for figure in found]))
    return [
        figure and replace(figure, svg=inlined(next(drawn), key=figure.key, tokens=TOKENS), spec={})
        for figure in figures
    ]


@cache
def _styles() -> str:
    """The site's own styles in one element. What they fetch is left out: a file has nowhere to fetch it from."""
    texts = []
    for style in STYLES:
        path = finders.find(f"css/{style}.css")
        if not isinstance(path, str):
            raise FileNotFoundError(style)
        texts.append(re.sub(r"url\([^)]*\)", "none", Path(path).read_text(encoding="utf-8")))
    return f"<style>{''.join(texts)}</style>"
