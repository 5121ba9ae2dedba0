"""One export from beginning to end: a folder that fills with files, the manifest last."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.level import canonical_json
from playtest.commit import code_commit
from playtest.studies.choices import StudyState
from playtest.studies.export.codebook import codebook_csv, codebook_text
from playtest.studies.export.columns import Table
from playtest.studies.export.options import SUFFIXES, ExportOptions
from playtest.studies.export.rows import Pass
from playtest.studies.export.sheets import Sheet, WrittenFile, close_all, written_file
from playtest.studies.export.tables import LONG_TABLES
from playtest.studies.export.wide import wide_table
from playtest.studies.models import Study, StudyVersion
from playtest.studies.selectors import exports as reads
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.exports import Asked

FORMAT = 1
MANIFEST = "manifest.json"
SECRET = ("code", "url")
"""What an outcome of the end page has that an anonymised export withholds."""


class ExportRun:
    """Writes into `folder`, which is empty. Call `begin`, go through `steps`, then `finish`.

    All of it must happen inside `one_picture`. `close` gives files free if it does not come to the end.
    """

    def __init__(self, study: Study, options: ExportOptions, folder: Path) -> None:
        self.study = study
        self.options = options
        self.folder = folder
        chosen = options.selection
        self.asked = Asked(study.pk, chosen.kinds, chosen.versions, chosen.statuses)
        self.files: list[WrittenFile] = []
        self.sheets: list[Sheet] = []

    def begin(self) -> list[WrittenFile]:
        """Write what is known beforehand: the study files and the codebook."""
        self.started = datetime.now(UTC)
        self.versions = reads.versions_read(asked=self.asked)
        self.documents = {version.pk: version_document(version) for version in self.versions}
        self.keys = reads.participant_keys(asked=self.asked)
        tables = [*LONG_TABLES, wide_table(list(self.documents.values()))]
        self.write_texts(tables)
        for table in tables:
            self.sheets.append(Sheet(table, self.folder, self.options))
        return list(self.files)

    @property
    def live_name(self) -> str:
        """The largest file, which grows with every step."""
        return f"moves{SUFFIXES[self.options.formats[0]]}"

    def steps(self) -> Iterator[int]:
        """Write the rows; gives after each lot how many participants are done."""
        rows = Pass(
            {sheet.table.name: sheet for sheet in self.sheets}, self.documents, anonymous=self.options.anonymous
        )
        for done in rows.run(self.keys):
            self.sheet("moves").flush()
            yield done
        if not self.options.selection.statuses:
            rows.write_withdrawn({version.pk: version.number for version in self.versions})
        for sheet in self.sheets:
            self.files += sheet.finish()

    def finish(self) -> WrittenFile:
        """Write the manifest."""
        path = self.folder / MANIFEST
        path.write_text(json.dumps(self.manifest(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return written_file(path, table=None, format_name="json")

    def close(self) -> None:
        close_all(self.sheets)

    def sheet(self, name: str) -> Sheet:
        return next(sheet for sheet in self.sheets if sheet.table.name == name)

    def write_texts(self, tables: Sequence[Table]) -> None:
        by_number = {version.number: self.documents[version.pk] for version in self.versions}
        texts = {
            "codebook.md": codebook_text(tables, by_number, self.options),
            "codebook.csv": codebook_csv(tables, self.options),
        }
        for version in self.versions:
            document, _ = document_shown(version, anonymous=self.options.anonymous)
            texts[study_file_name(version)] = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        for name, text in texts.items():
            path = self.folder / name
            path.write_text(text, encoding="utf-8", newline="")
            self.files.append(written_file(path, table=None, format_name=path.suffix.removeprefix(".")))

    def manifest(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "made_by": {"program": "Tessera", "commit": code_commit()},
            "read_at": self.started.isoformat(timespec="seconds"),
            "study": {
                "slug": self.study.slug,
                "title": self.study.title,
                "public_id": self.study.public_id,
                "state": str(StudyState(self.study.state).label),
            },
            "versions": [version_entry(version, anonymous=self.options.anonymous) for version in self.versions],
            **self.options.to_json(),
            "participants": len(self.keys),
            "withdrawn": reads.withdrawn_count(asked=self.asked),
            "tables": {sheet.table.name: sheet.rows for sheet in self.sheets},
            "files": [file.to_json() for file in sorted(self.files, key=lambda file: file.name)],
        }


def study_file_name(version: StudyVersion) -> str:
    return f"study-version-{version.number}.json"


def document_shown(version: StudyVersion, *, anonymous: bool) -> tuple[dict[str, Any], list[str]]:
    """What was published as an export shows it, and which places of its end page are withheld: blank in it.

    With a completion code anybody could claim to have taken part, and an address may hold one.
    """
    published: dict[str, Any] = version.document
    if not anonymous:
        return published, []
    withheld: set[str] = set()

    def outcome_shown(outcome: dict[str, Any]) -> dict[str, Any]:
        withheld.update(f"outcomes.*.{key}" for key in SECRET if outcome.get(key))
        return {key: "" if key in SECRET else value for key, value in outcome.items()}

    def page_shown(page: dict[str, Any]) -> dict[str, Any]:
        if "outcomes" not in page:
            return page
        return {**page, "outcomes": {name: outcome_shown(one) for name, one in page["outcomes"].items()}}

    shown = {**published, "pages": [page_shown(page) for page in published["pages"]]}
    return shown, sorted(withheld)


def version_entry(version: StudyVersion, *, anonymous: bool) -> dict[str, Any]:
    """What was published: `hash` is that of the file's document as canonical JSON (sorted keys, no blanks, UTF-8).

    Where something is withheld it is no hash of what was published: a short code could be found by trying them all.
    """
    document, withheld = document_shown(version, anonymous=anonymous)
    digest = hashlib.sha256(canonical_json(document).encode()).hexdigest() if withheld else version.hash
    return {
        "number": version.number,
        "file": study_file_name(version),
        "hash": digest,
        "withheld": withheld,
        "game_versions": version.game_versions,
        "code_commit": version.code_commit,
        "published_at": version.published_at.isoformat(timespec="seconds"),
    }
