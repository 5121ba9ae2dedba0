"""Readers of the environment: what is right is read, what is wrong is named."""

import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from playtest import env
from tests.playtest.commands import command_line


@pytest.mark.parametrize(("word", "meant"), [("1", True), ("True", True), ("on", True), ("no", False), ("", False)])
def test_bool_is_read_from_a_word(monkeypatch: pytest.MonkeyPatch, word: str, meant: bool) -> None:
    monkeypatch.setenv("SWITCH", word)
    assert env.read_bool("SWITCH", not meant) is meant


def test_misspelt_bool_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCH", "flase")
    with pytest.raises(ImproperlyConfigured, match="SWITCH is 'flase'"):
        env.read_bool("SWITCH", False)


def test_int_outside_its_limits_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBER", "70000")
    with pytest.raises(ImproperlyConfigured, match="between 1 and 65535"):
        env.read_int("NUMBER", 1, low=1, high=65535)
    monkeypatch.setenv("NUMBER", "many")
    with pytest.raises(ImproperlyConfigured, match="whole number"):
        env.read_int("NUMBER", 1, low=1, high=65535)


def test_list_is_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTS", "a.example, b.example,,")
    assert env.read_list("HOSTS", []) == ["a.example", "b.example"]


@pytest.mark.parametrize("url", ["mysql://root@localhost/x", "nonsense", "postgres://host:port/x"])
def test_unknown_database_is_refused_without_showing_the_address(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("DATABASE", url)
    with pytest.raises(ImproperlyConfigured, match="DATABASE") as caught:
        env.read_database("DATABASE", "sqlite:///x")
    assert url not in str(caught.value)


def test_secret_is_made_once_and_only_for_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET", raising=False)
    path = tmp_path / "secret"
    first = env.read_or_make_secret("SECRET", path)
    assert len(first) >= 50
    assert env.read_or_make_secret("SECRET", path) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["secret"]


def test_processes_that_start_at_once_share_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET", raising=False)
    path, barrier, made = tmp_path / "secret", threading.Barrier(8), []

    def start() -> None:
        barrier.wait()
        made.append(env.read_or_make_secret("SECRET", path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1


def test_secret_of_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "given")
    assert env.read_or_make_secret("SECRET", tmp_path / "secret") == "given"
    assert not (tmp_path / "secret").exists()


def test_folder_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FOLDER", str(tmp_path / "file" / "below"))
    with pytest.raises(ImproperlyConfigured, match="FOLDER: no folder can be made at"):
        env.read_folder("FOLDER", tmp_path)


@pytest.mark.parametrize(("name", "value"), [("TESSERA_TLS", "perhaps"), ("TESSERA_VAR", "/proc/none")])
def test_command_with_a_variable_that_cannot_be_read_ends_with_a_sentence(name: str, value: str) -> None:
    done = subprocess.run(
        command_line("check"),
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "playtest.settings", name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(name)
    assert len(done.stderr.splitlines()) == 1
