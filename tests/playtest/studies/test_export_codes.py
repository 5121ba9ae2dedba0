"""Completion codes and the addresses that give them are in no file of an anonymised export, which may be published."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from playtest.studies.document import parse_study
from playtest.studies.models import Study
from playtest.studies.services import study_create, study_publish
from tests.playtest.studies.exporting import export, finished, manifest, table
from tests.playtest.studies.factory import study_document

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])

URL = "https://app.prolific.com/submissions/complete"
OUTCOMES = {
    "complete": {"code": "C0MPLETE", "url": f"{URL}?cc=C0MPLETE"},
    "declined": {"text": "Pity.", "code": "N0THANKS"},
    "returned": {"text": "Given back.", "url": f"{URL}?cc=R3TURNED"},
}
SECRETS = ("C0MPLETE", "N0THANKS", "R3TURNED", "app.prolific.com")


@pytest.fixture(autouse=True)
def reading_closed() -> Iterator[None]:
    yield
    connections["reading"].close()


@pytest.fixture
def study() -> Study:
    document = study_document(rounds=1)
    document["pages"][-1] |= {"outcomes": OUTCOMES}
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    finished(study)
    return study


def contents(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in folder.iterdir())


def digest(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_plain_export_has_codes_and_addresses_as_participants_got_them(study: Study, tmp_path: Path) -> None:
    folder = export(study, tmp_path / "out")
    (version,) = manifest(folder)["versions"]
    document = json.loads((folder / version["file"]).read_text("utf-8"))
    assert document["pages"][-1]["outcomes"]["complete"] == OUTCOMES["complete"]
    assert version["withheld"] == []
    assert {row["version_hash"] for row in table(folder, "consents")} == {version["hash"]} == {digest(document)}


def test_the_anonymised_export_has_neither_nor_a_hash_by_which_they_could_be_guessed(
    study: Study, tmp_path: Path
) -> None:
    """Who knows all of a document but a short code finds it by the document's hash, in minutes."""
    published = study.versions.get().hash
    folder = export(study, tmp_path / "out", "--anonymous")
    for secret in (*SECRETS, published):
        assert secret.encode() not in contents(folder), secret
    (version,) = manifest(folder)["versions"]
    document = json.loads((folder / version["file"]).read_text("utf-8"))
    outcomes = document["pages"][-1]["outcomes"]
    assert {(one["code"], one["url"]) for one in outcomes.values()} == {("", "")}
    assert outcomes["declined"]["text"] == "Pity."
    assert parse_study(document).title == study.title
    assert version["hash"] == digest(document)
    assert version["withheld"] == ["outcomes.*.code", "outcomes.*.url"]
    assert "study-version-N.json" in (folder / "codebook.md").read_text("utf-8").partition("anonymised\n")[2]
    assert "version_hash" not in table(folder, "consents")[0]


def test_nothing_is_called_withheld_where_there_was_nothing(tmp_path: Path) -> None:
    study = study_create(owner=None, document=study_document(rounds=1))
    study_publish(study=study)
    (version,) = manifest(export(study, tmp_path / "out", "--anonymous"))["versions"]
    assert (version["withheld"], version["hash"]) == ([], study.versions.get().hash)
