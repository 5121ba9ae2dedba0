"""The command: wrong input ends with 2 and a sentence, and a folder is there whole or not at all."""

import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from playtest.accounts.models import AuditLog
from playtest.management.commands import reconcile
from playtest.studies.export import rows
from playtest.studies.export.workplace import YOUNG_SECONDS, exports_left_remove, working_folder
from playtest.studies.models import Study
from tests.playtest.commands import command_line, environment, refused, refused_process
from tests.playtest.studies.exporting import export, finished, manifest, mixed_study, table
from tests.playtest.studies.server import database_variables

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])


@pytest.fixture(autouse=True)
def reading_closed() -> Iterator[None]:
    yield
    connections["reading"].close()


@pytest.fixture
def study() -> Study:
    return mixed_study(slug="small")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing", "--out", "out"], "There is no published study nothing."),
        (["small\nx" + "y" * 99, "--out", "out"], "There is no published study small?xyyyy"),
        (["pa\udcff", "--out", "out"], "There is no published study pa?."),
        (["small", "--out", ""], "argument --out: must not be empty"),
        (["small"], "one of the arguments --out --zip is required"),
        (["small", "--out", "out", "--zip"], "not allowed with argument"),
        (["small", "--out", "out", "--format", "xlsx"], "there is no format 'xlsx', only csv, excel, json, parquet"),
        (["small", "--out", "out", "--format", ""], "there is no format ''"),
        (["small", "--out", "out", "--format", "csv,csv"], "names the format 'csv' twice"),
        (["small", "--out", "out", "--kind", "preview"], "there is no kind 'preview', only person, bot"),
        (["small", "--out", "out", "--status", "withdrawn"], "there is no status 'withdrawn'"),
        (["small", "--out", "out", "--study-version", "2"], "The study has no version 2; it has 1."),
        (["small", "--out", "out", "--study-version", "one"], "there is no version 'one'"),
        (["small", "--out", "file"], "is there and no folder."),
        (["small", "--out", "file/out"], "is no folder."),
        (["small", "--out", "full"], "is not empty and holds more than an earlier export."),
        (["small", "--out", "x" * 300], "cannot be used: File name too long."),
    ],
)
def test_wrong_input_ends_with_2_and_writes_nothing(
    words: list[str], sentence: str, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    Path("full").mkdir()
    Path("full/notes.txt").write_text("mine")
    assert sentence in refused("export", *words)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "notes.txt"]
    assert not AuditLog.objects.filter(action="study.export").exists()


def test_a_draft_is_refused(tmp_path: Path) -> None:
    Study.objects.create(public_id="d" * 22, slug="draft", title="A draft", draft={})
    assert "There is no published study draft." in refused("export", "draft", "--out", tmp_path / "out")


@pytest.mark.embedded
def test_a_database_without_tables_is_named_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'empty.sqlite3'}")
    assert "The database cannot be read" in refused_process("export", "paper", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_export_that_fails_leaves_what_was_there(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished(study)
    folder = export(study, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rows, "move_values", full)
    assert "The export cannot be written: No space left on device." in refused("export", "small", "--out", folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert "No space left" in refused("export", "small", "--out", tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_earlier_export_is_replaced_and_an_empty_folder_filled(study: Study, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    export(study, tmp_path / "out", "--format", "csv,json")
    finished(study)
    folder = export(study, tmp_path / "out", "--format", "csv")
    assert manifest(folder)["participants"] == len(table(folder, "participants")) == 1
    assert not (folder / "moves.json").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    (folder / "my-analysis.R").write_text("mine")
    assert "holds more than an earlier export" in refused("export", "small", "--out", folder)
    assert (folder / "my-analysis.R").read_text() == "mine"


def test_folders_above_are_made(study: Study, tmp_path: Path) -> None:
    assert manifest(export(study, tmp_path / "a" / "b", "--format", "csv"))["participants"] == 0


def test_a_zip_to_standard_output_holds_the_same_files(study: Study, tmp_path: Path) -> None:
    finished(study)
    folder = export(study, tmp_path / "out", "--format", "parquet,csv")
    done = subprocess.run(
        command_line("export", "small", "--zip", "--format", "parquet,csv"),
        capture_output=True,
        env=environment() | database_variables() | {"TESSERA_TEST_VAR": str(tmp_path / "var")},
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    with zipfile.ZipFile(io.BytesIO(done.stdout)) as archive:
        assert archive.testzip() is None
        names = {name.removeprefix("small/") for name in archive.namelist()}
        assert names == {path.name for path in folder.iterdir()}
        assert archive.namelist()[-1] == "small/manifest.json"
        for path in folder.glob("*.csv"):
            assert archive.read(f"small/{path.name}") == path.read_bytes()
    assert list((tmp_path / "var" / "exports").iterdir()) == []


def test_what_a_killed_export_left_is_removed_within_minutes_and_what_one_writes_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds people's data; nobody may come for another export for months."""
    monkeypatch.setattr(settings, "VAR", tmp_path)
    assert exports_left_remove() == 0
    assert dict(reconcile.CARE)["files that killed exports left"] is exports_left_remove
    killed, young = tmp_path / "exports" / "killed", tmp_path / "exports" / "young"
    with working_folder() as folder:
        for one in (killed, young, folder):
            one.mkdir(exist_ok=True)
            (one / "answers.csv").write_text("words")
        long_ago = time.time() - 2 * YOUNG_SECONDS
        for one in (killed, folder):
            os.utime(one, (long_ago, long_ago))
        assert exports_left_remove() == 1
        assert (killed.exists(), young.exists(), folder.exists()) == (False, True, True)
    assert list((tmp_path / "exports").iterdir()) == [young]


def test_lock_on_the_files_of_an_export_goes_when_its_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "VAR", tmp_path)
    words = (
        "import os, sys, pathlib\n"
        "from types import SimpleNamespace\n"
        "from playtest.studies.export import workplace\n"
        "workplace.settings = SimpleNamespace(VAR=pathlib.Path(sys.argv[1]))\n"
        "with workplace.working_folder() as folder:\n"
        "    os.utime(folder, (0, 0))\n"
        "    print(folder, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", words, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert exports_left_remove() == 0
        process.kill()
        process.wait(30)
    assert folder.is_dir()
    assert exports_left_remove() == 1
    assert not folder.exists()
