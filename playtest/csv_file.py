"""Numbers of a page as a file."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse


def csv_response(name: str, lines: Iterable[Sequence[object]]) -> HttpResponse:
    """The lines as UTF-8 CSV, verbatim, for download under a name without its ending."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(lines)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
