"""`manage.py evolve` as people run it, with interruptions."""

import errno
import io
import json
import os
import signal
import subprocess
import time
from functools import cache
from pathlib import Path

import pytest
from django.core.management import call_command
from tqdm import tqdm

from engine.level import draw_level
from personas.persona import load_persona
from tests.playtest.commands import (
    command_line,
    environment,
    json_lines,
    refused,
    refused_process,
    run_command,
    without_room,
)

SMALL = ("--persona", "maxs", "--population", 5, "--generations", 3, "--games", 3, "--iterations", 8, "--moves", 4)


PAPER = ("--preset", "replication")


def without_seconds(lines: list) -> list:
    for line in lines[:-1]:
        assert line.pop("seconds") > 0
    return lines


def test_evolve_prints_a_line_a_generation_and_the_persona(tmp_path):
    out = tmp_path / "persona.toml"
    lines = json_lines("evolve", *SMALL, *PAPER, "--seed", 6, "--out", out)
    assert [line["generation"] for line in lines[:-1]] == [1, 2, 3]
    for line in lines[:-1]:
        assert set(line) >= {"generation", "min", "median", "max", "goal", "best", "evaluated", "seconds"}
        assert line["min"] <= line["median"] <= line["max"]
        assert line["evaluated"] == 5
    assert [line["goal"] for line in lines[1:3]] == [line["max"] for line in lines[:2]]
    persona = lines[-1]["persona"]
    assert persona["formula"] == lines[-2]["best"]
    assert persona["source"]["seed"] == 6
    assert load_persona(out).to_json() == persona


def test_bar_of_the_finalists_has_their_own_length(monkeypatch):
    lengths = []

    class Bar(tqdm):
        def reset(self, total=None):
            super().reset(total)
            lengths.append(self.total)

    def make_bar(total, unit):
        lengths.append(total)
        return Bar(total=total, unit=unit, file=io.StringIO())

    monkeypatch.setattr("playtest.management.commands.evolve.progress_bar", make_bar)
    call_command("evolve", *map(str, SMALL), "--final-games", "40", "--json", stdout=io.StringIO())
    # Five and two play three games each in a generation; the finalists are five and up to as many written by hand.
    assert lengths == [21, 21, 21, 10 * 40]


def test_evolve_has_the_standard_preset_unless_told_otherwise(tmp_path):
    out = tmp_path / "persona.toml"
    options = ("--scale", 500, "--lookahead", 3, "--draws", 4, "--final-games", 6)
    lines = json_lines("evolve", *SMALL, *options, "--out", out)
    assert [line["generation"] for line in lines[:-1]] == [1, 2, 3]
    persona = lines[-1]["persona"]
    assert persona["name"] == "MaxS"
    assert persona["source"]["preset"] == "standard"
    assert (persona["source"]["generation"], persona["source"]["games"], persona["source"]["final_games"]) == (3, 3, 6)
    assert persona["search"]["tree"] == "open"
    assert {name: persona["search"][name] for name in ("scale", "lookahead", "draws")} == {
        "scale": 500.0,
        "lookahead": 3,
        "draws": 4,
    }
    assert load_persona(out).to_json() == persona
    assert json_lines("playtest", draw_file(tmp_path), "--agents", out, "--games", 1)


def draw_file(folder: Path) -> Path:
    path = folder / "level.json"
    path.write_text(json.dumps(draw_level(seed=3, moves=3).to_document()))
    return path


def test_evolve_with_racing_says_how_many_stopped_early():
    small = ("--persona", "maxs", "--population", 20, "--generations", 2, "--iterations", 60, "--moves", 10)
    lines = json_lines("evolve", *small, "--games", 6, "--seed", 3, "--racing", 5, "--final-games", 0)
    assert "partial" not in lines[0]
    assert lines[1]["partial"] > 0


def test_evolve_plays_samegame_too():
    lines = json_lines("evolve", *SMALL[:-2], "--game", "samegame", "--generations", 1)
    assert (lines[-1]["persona"]["game"], lines[-1]["persona"]["source"]["preset"]) == ("samegame", "standard")


@pytest.mark.parametrize("preset", ["standard", "replication"])
def test_evolve_gives_the_same_on_one_worker_and_on_two(preset):
    one = without_seconds(json_lines("evolve", *SMALL, "--preset", preset, "--workers", 1))
    two = without_seconds(json_lines("evolve", *SMALL, "--preset", preset, "--workers", 2))
    assert one == two


def test_evolve_for_people_is_a_table_and_the_persona_file():
    done = run_command("evolve", *SMALL)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.count("generation ") >= 3
    assert 'kind = "formula"' in done.stdout


def test_evolve_plays_a_given_level_with_its_moves(tmp_path):
    path = tmp_path / "l.json"
    path.write_text(json.dumps(draw_level(seed=3, moves=3).to_document()))
    lines = json_lines("evolve", *SMALL[:-2], "--level", path)
    assert without_seconds(lines) != without_seconds(json_lines("evolve", *SMALL[:-2], "--moves", 3))


SLOW = [*SMALL[:-4], "--iterations", "1500", "--moves", "10"]


@cache
def undisturbed_lines():
    return without_seconds(json_lines("evolve", *SLOW))


def interrupted(folder: Path, after: int, number: int) -> subprocess.Popen:
    """A run that got `number` as a signal once `after` generations lay in the folder."""
    process = subprocess.Popen(
        command_line("evolve", *SLOW, "--resume", folder, "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    deadline = time.monotonic() + 240
    while len(list(folder.glob("generation-*.json"))) < after and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    return process


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_evolve_that_was_broken_off_goes_on_and_ends_the_same(tmp_path, number, status):
    process = interrupted(tmp_path / "state", 1, number)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == status
    assert "Traceback" not in stderr
    if number == signal.SIGINT:
        assert "Interrupted." in stderr
        assert "goes on from" in stderr
    rest = json_lines("evolve", *SLOW, "--resume", tmp_path / "state")
    whole = undisturbed_lines()
    begun = [json.loads(line) for line in stdout.splitlines() if line.endswith("}")]
    for line in begun:
        line.pop("seconds")
    assert without_seconds(rest) == whole[-len(rest) :]
    assert len(rest) < len(whole)
    assert begun == whole[: len(begun)]


def test_evolve_that_is_done_prints_the_persona_again(tmp_path):
    first = json_lines("evolve", *SMALL, "--resume", tmp_path / "s")
    assert json_lines("evolve", *SMALL, "--resume", tmp_path / "s") == first[-1:]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--population", 0), "from 4 to 1000"),
        (("--population", 10**12), "from 4 to 1000"),
        (("--generations", 0), "from 1 to 1000"),
        (("--games", -5), "from 1 to 1000"),
        (("--games", "ten"), "whole number"),
        (("--iterations", 0), "from 1 to 100000"),
        (("--iterations", 10**9), "from 1 to 100000"),
        (("--moves", 0), "from 1 to 200"),
        (("--seed", -1), "from 0 to"),
        (("--seed", 2**53), "from 0 to"),
        (("--workers", 0), "from 1 to"),
        (("--persona", "best"), "invalid choice"),
        (("--preset", "best"), "invalid choice"),
        ((*PAPER, "--scale", 10), "scale is for the preset standard only"),
        (("--scale", 0), "from 1 to 1000000"),
        (("--lookahead", -1), "from 0 to 1000"),
        (("--racing", 3), "racing must be 0 (none) or at least 5 games, not 3"),
        (("--final-games", 10**9), "from 0 to 10000"),
        (("--game", "chess"), "invalid choice"),
        (("--level", "none.json"), "No such file"),
        (("--resume", ""), "argument --resume: must not be empty"),
        (("--out", "no/such/folder/p.toml"), "does not exist"),
        (("--out", "."), "is a folder"),
        (("--out", "x" * 300), "too long"),
        (("--out", "x" * 250), "too long"),
        (("--out", "/dev/null"), "no ordinary file"),
    ],
)
def test_evolve_with_absurd_options_ends_with_2_and_begins_nothing(tmp_path, options, said):
    assert said in refused("evolve", *SMALL, "--resume", tmp_path / "s", *options, "--json")
    assert not (tmp_path / "s").exists()


def test_evolve_without_a_persona_ends_with_2():
    assert "--persona" in refused("evolve", "--generations", 1)


def test_evolve_in_the_folder_of_another_run_ends_with_2_and_leaves_it(tmp_path):
    json_lines("evolve", *SMALL, "--generations", 1, "--resume", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert "another seed" in refused_process("evolve", *SMALL, "--seed", 99, "--resume", tmp_path, "--json")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_evolve_with_a_file_where_the_folder_should_be_ends_with_2(tmp_path):
    (tmp_path / "s").write_text("")
    assert "cannot be used" in refused("evolve", *SMALL, "--resume", tmp_path / "s")
    assert (tmp_path / "s").read_text() == ""


def test_evolve_with_a_level_of_another_game_says_so(tmp_path):
    said = refused("evolve", *SMALL, "--game", "samegame", "--level", draw_file(tmp_path))
    assert said.endswith("The level is one of match3, but the run is one of samegame.")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_evolve_whose_output_finds_no_room_ends_with_2(form):
    said = without_room("evolve", *SMALL, "--generations", 1, *form)
    assert said == "Error: The output cannot be written: No space left on device."


def test_evolve_whose_checkpoint_finds_no_room_names_the_file(tmp_path, monkeypatch):
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    json_lines("evolve", *SMALL, "--generations", 1, "--resume", tmp_path)
    monkeypatch.setattr("personas.files.os.fsync", full)
    said = refused("evolve", *SMALL, "--generations", 2, "--resume", tmp_path)
    assert said.endswith(f"{tmp_path / 'generation-0002.json'} cannot be written: No space left on device.")


def test_evolve_in_a_folder_with_a_damaged_generation_ends_with_2(tmp_path):
    json_lines("evolve", *SMALL, "--generations", 1, "--resume", tmp_path)
    path = tmp_path / "generation-0001.json"
    document = json.loads(path.read_text())
    document["generation"]["individuals"] = []
    path.write_text(json.dumps(document))
    assert refused_process("evolve", *SMALL, "--resume", tmp_path).endswith(f"{path} is damaged.")
