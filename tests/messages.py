"""Every string that participants can see, taken from the sources, and the catalogues of `locale` made from it.

    python -m tests.messages         note what is new in each .po, and compile each .mo

Babel does it, so that no program of the system is needed.
"""

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
DOMAINS = ("django", "djangojs")
KEYWORDS: dict[str, Any] = {"_": None, "gettext": None, "gettext_noop": None, "gettext_lazy": None, "ngettext": (1, 2)}
# Scripts that pages of participants load.
SCRIPTS = ("static/js/play", "static/js/games", "static/js/pages")

Text = str | tuple[str, ...]


def sources(domain: str) -> Iterator[tuple[Path, str, bytes]]:
    """Files of a domain: where, Babel's name of the language, and the text."""
    if domain == "djangojs":
        for folder in SCRIPTS:
            for path in sorted((ROOT / folder).rglob("*.js")):
                yield path, "javascript", path.read_bytes()
        return
    for path in sorted((ROOT / "playtest").rglob("*.py")):
        yield path, "python", path.read_bytes()
    for path in sorted((ROOT / "templates").rglob("*.html")):
        # Django writes a template as calls of gettext between other letters, which reads as JavaScript better than as
        # Python: nothing hangs on how lines begin.
        calls = re.sub(r"([(,]\s*)u(?=['\"])", r"\1", templatize(path.read_text("utf-8")))
        yield path, "javascript", calls.encode()


def extracted(domain: str) -> dict[Text, list[tuple[str, int]]]:
    """Each text of a domain, a pair where it has a plural, with the places where it stands."""
    found: dict[Text, list[tuple[str, int]]] = {}
    for path, language, text in sources(domain):
        options = {"encoding": "utf-8"}
        for line, message, _, _ in extract(language, BytesIO(text), keywords=KEYWORDS, options=options):
            found.setdefault(message, []).append((str(path.relative_to(ROOT)), line))
    return found


def read_catalogue(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name, domain=path.stem)


def compiled(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def catalogues() -> list[Path]:
    return sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))


def update(path: Path) -> int:
    """Bring a .po up to what the sources say and compile it; gives how many texts have no translation."""
    catalogue = read_catalogue(path)
    # Neither days nor people: the same sources make the same file.
    template = Catalog(creation_date=catalogue.creation_date)
    template.msgid_bugs_address = catalogue.last_translator = catalogue.language_team = ""
    for message, places in extracted(path.stem).items():
        template.add(message, locations=[(name, None) for name in sorted({name for name, _ in places})])
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    catalogue.msgid_bugs_address = ""
    with path.open("wb") as file:
        write_po(file, catalogue, width=118, sort_output=True, omit_header=False, include_lineno=False)
    path.with_suffix(".mo").write_bytes(compiled(catalogue))
    return sum(1 for message in catalogue if message.id and not is_translated(message.string))


def is_translated(string: Text) -> bool:
    return all(string) if isinstance(string, tuple) else bool(string)


def main() -> int:
    missing = 0
    for path in catalogues():
        count = update(path)
        missing += count
        said = f"{count} texts without a translation" if count else "complete"
        sys.stdout.write(f"{path.relative_to(ROOT)}: {said}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
