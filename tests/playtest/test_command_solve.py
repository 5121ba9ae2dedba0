"""`manage.py solve` as people run it: JSON that replays, the same answer twice, clear words for wrong input, Ctrl-C."""

import json
import os
import pty
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from engine.level import draw_level, shipped_levels
from engine.solving import solver_names
from tests.playtest.commands import command_line, environment, json_lines_here, refused, refused_process, run_command

pytestmark = pytest.mark.embedded

LEVELS = Path(__file__).resolve().parents[2] / "engine" / "games" / "samegame" / "levels"
STANDARD = LEVELS / "samegame-01.json"


def test_answer_replays_to_its_score_by_the_other_command(tmp_path: Path):
    (answer,) = json_lines_here("solve", STANDARD, "--solver", "mc-rws", "--nodes", 5000, "--seed", 3)
    assert list(answer)[:6] == ["solver", "score", "cleared", "actions", "seconds", "nodes"]
    assert {"average_depth", "deepest", "playouts", "restarts"} <= set(answer)
    actions = tmp_path / "actions.json"
    actions.write_text(json.dumps(answer["actions"]))
    (replayed,) = json_lines_here("replay", STANDARD, actions)
    assert replayed["score"] == answer["score"]
    assert replayed["over"] == "stuck"
    (again,) = json_lines_here("solve", STANDARD, "--solver", "mc-rws", "--nodes", 5000, "--seed", 3)
    assert {**again, "seconds": 0} == {**answer, "seconds": 0}


def test_solvers_are_named_with_what_they_play():
    listed = json_lines_here("solve", "--solver", "list")
    assert [one["solver"] for one in listed] == solver_names()
    assert all(one["games"] == ["samegame"] and one["title"] and one["source"] for one in listed)


def test_text_says_score_actions_and_figures():
    done = run_command("solve", STANDARD, "--solver", "mc-rws", "--seconds", 0.2)
    assert done.returncode == 0
    assert "points, " in done.stdout
    assert "play-outs" in done.stdout
    listed = run_command("solve", "--solver", "list")
    assert "mc-rws: " in listed.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--solver", "nobody", "--seconds", "1"], "There is no solver 'nobody'"),
        (["--solver", "mc-rws", "--seconds", "0"], "must be from 0.001"),
        (["--solver", "mc-rws", "--seconds", "nan"], "must be from 0.001"),
        (["--solver", "mc-rws", "--nodes", "0"], "must be a whole number from 1"),
        (["--solver", "mc-rws"], "Say how long to search"),
        (["--solver", "mc-rws", "--nodes", "5", "--seconds", "1"], "not allowed with argument"),
        (["--solver", "mc-rws", "--nodes", "5", "--seed", "-1"], "--seed"),
        (["--solver", "mc-rws", "--nodes", "5", "--workers", "0"], "--workers"),
        (["--solver", "mc-rws", "--nodes", "5", "--preset", "x"], "no preset 'x'"),
        (["--solver", "mc-rws", "--nodes", "5", "--set", "epsilon"], "NAME=VALUE"),
        (["--solver", "mc-rws", "--nodes", "5", "--set", "epsilon=1", "--set", "epsilon=1"], "twice"),
        (["--solver", "mc-rws", "--nodes", "5", "--set", "epsilon=9"], "epsilon must be from 0 to 1"),
    ],
)
def test_wrong_input_is_told_in_a_sentence_with_status_2(arguments: list[str], words: str):
    assert words in refused("solve", STANDARD, *arguments)


def test_wrong_levels_are_told_in_a_sentence_with_status_2(tmp_path: Path):
    nobody = tmp_path / "none.json"
    assert "cannot be read" in refused("solve", nobody, "--solver", "mc-rws", "--nodes", 1)
    assert "Name a level" in refused("solve", "--solver", "mc-rws", "--nodes", 1)
    match3 = tmp_path / "match3.json"
    match3.write_text(json.dumps(draw_level(seed=1).to_document()))
    assert "Match-3" in refused_process("solve", match3, "--solver", "mc-rws", "--nodes", 1)
    over = shipped_levels("samegame")["samegame-01"].to_document() | {"rows": 2, "cols": 2, "board": ["AB", "BA"]}
    level = tmp_path / "over.json"
    level.write_text(json.dumps(over))
    assert "no group" in refused("solve", level, "--solver", "mc-rws", "--nodes", 1)


def test_interrupted_search_prints_the_best_so_far_at_once():
    terminal, handed = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 120))
    process = subprocess.Popen(
        command_line("solve", STANDARD, "--solver", "mc-rws", "--seconds", 300, "--workers", 2, "--json"),
        stdout=subprocess.PIPE,
        stderr=handed,
        text=True,
        env=environment(),
        # A shell's background jobs ignore the signal, and hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    # The child has it: reading ends when the child does.
    os.close(handed)
    try:
        shown = b""
        while b"points" not in shown:
            shown += os.read(terminal, 1000)
        process.send_signal(signal.SIGINT)
        started = time.perf_counter()
        stdout, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        os.close(terminal)
    assert process.returncode == 0
    assert time.perf_counter() - started < 3
    answer = json.loads(stdout)
    assert answer["interrupted"] is True
    assert answer["actions"]
