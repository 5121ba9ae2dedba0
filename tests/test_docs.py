"""The documentation says what is true: commands, targets, files, decisions and versions that it names exist."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def make_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    assert found
    return set(found[1].split())


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_between_files_lead_somewhere(document: Path) -> None:
    links = [link.partition("#")[0] for link in LINK.findall(document.read_text(encoding="utf-8"))]
    local = [link for link in links if link and "://" not in link and not link.startswith("mailto:")]
    assert not [link for link in local if not (document.parent / link).exists()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_commands_that_are_named_exist(document: Path) -> None:
    named = set(re.findall(r"manage\.py ([a-z]+)\b", document.read_text(encoding="utf-8")))
    assert named <= {*get_commands(), "help"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_make_targets_that_are_named_exist(document: Path) -> None:
    named = set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", document.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= make_targets()


def test_every_make_target_is_explained() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    head = text[: text.index("\n\n")]
    explained = set(re.findall(r"^#\s+make ([a-z-]+)", head, re.MULTILINE))
    assert make_targets() - {"help", "install", "install-dev"} <= explained


def test_readme_begins_with_what_it_is_a_picture_and_two_commands() -> None:
    first_screen = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:22])
    assert "playtesting tile-matching puzzles" in first_screen
    assert "](docs/images/" in first_screen
    assert "make run" in first_screen
    assert "make test" in first_screen


def test_every_decision_stands_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    notes = sorted(path.name for path in folder.glob("[0-9]*.md"))
    index = LINK.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert index == notes
    assert [int(name[:4]) for name in notes] == list(range(1, len(notes) + 1))


def test_every_variable_of_the_settings_is_in_the_operating_guide() -> None:
    guide = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    settings = (ROOT / "playtest" / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r'read_\w+\(\s*"([A-Z_]+)"', settings))
    assert "DATABASE_URL" in names
    assert not [name for name in sorted(names) if f"`{name}`" not in guide]


def test_vendored_scripts_are_the_versions_that_they_say() -> None:
    folders = sorted(path for path in (ROOT / "static" / "vendor").iterdir() if path.is_dir())
    assert folders
    for folder in folders:
        version = (folder / "VERSION").read_text(encoding="utf-8").splitlines()[0].split()[-1]
        assert (folder / "LICENSE").read_text(encoding="utf-8").strip(), folder.name
        scripts = list(folder.glob("*.js"))
        assert scripts, folder.name
        assert any(version.encode() in script.read_bytes() for script in scripts), f"{folder.name} {version}"


def test_documents_name_no_folder_of_a_machine() -> None:
    for document in DOCUMENTS:
        assert not re.findall(r"(?:^|[\s`(])/(?:home|root|work|Users|tmp)/", document.read_text(encoding="utf-8"))
