"""`manage.py tune` as people run it: a JSON line an iteration, going on where it was, clear words for wrong input."""

from pathlib import Path

import pytest

from tests.playtest.commands import json_lines_here, refused, run_command

pytestmark = pytest.mark.embedded

SMALL = ["--nodes", 60, "--samples", 4, "--elite", 2, "--games", 1, "--iterations", 2]
SMALL += ["--rows", 6, "--cols", 6, "--colours", 3, "--workers", 1, "--set", "per=game"]


def test_iterations_are_lines_and_the_last_line_has_the_settings(tmp_path: Path):
    lines = json_lines_here("tune", "sp-mcts", "--method", "cem", *SMALL, "--within", "C=0:10", "--resume", tmp_path)
    assert [line["number"] for line in lines[:-1]] == [0, 1]
    assert lines[-1] == {"settings": lines[-2]["settings"]}
    again = json_lines_here("tune", "sp-mcts", *SMALL, "--within", "C=0:10", "--resume", tmp_path)
    assert again == lines


def test_text_ends_with_settings_for_the_other_command():
    done = run_command("tune", "sp-mcts", *SMALL)
    assert done.returncode == 0, done.stderr
    assert "--set C=" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody", "--nodes", 5], "There is no solver"),
        (["sp-mcts"], "one of the arguments --seconds --nodes is required"),
        (["sp-mcts", "--nodes", 5, "--within", "C=1"], "NAME=LOW:HIGH"),
        (["sp-mcts", "--nodes", 5, "--within", "C=5:1"], "within bounds"),
        (["sp-mcts", "--nodes", 5, "--within", "final=0:1"], "is no number"),
        (["sp-mcts", "--nodes", 5, "--elite", 100], "fewer than the samples"),
        (["idastar", "--nodes", 5], "no parameter with bounds"),
    ],
)
def test_wrong_input_is_told_in_a_sentence_with_status_2(arguments: list[object], words: str):
    assert words in refused("tune", *arguments)
