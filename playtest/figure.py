"""A figure as a page shows it: the chart, how to read it, what it is made of, and the table with its numbers."""

from dataclasses import dataclass
from typing import Any

from django.utils.text import slugify


@dataclass(frozen=True)
class Figure:
    """What `templates/charts/figure.html` shows and what `static/js/charts/save.js` puts into a downloaded picture."""

    key: str
    """Names the figure on its page."""
    title: str
    """Says without the page what is drawn: it stands above the chart in a downloaded picture."""
    spec: dict[str, Any]
    caption: str
    """How to read it."""
    note: str
    """What it is made of: n, filters, versions, seed."""
    csv: str
    """Address of the numbers."""
    svg: str = ""
    """The drawing itself, where the page is a file without scripts; else the browser draws `spec`."""

    @property
    def table(self) -> str:
        """The id of the table that holds the numbers on the page."""
        return f"{self.key}-table"

    @property
    def file(self) -> str:
        """The name of a downloaded file, without its ending."""
        return slugify(self.title)[:80] or self.key
