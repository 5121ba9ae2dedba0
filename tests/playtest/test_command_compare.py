"""`manage.py compare`: agents on the same drawn levels, told apart from luck."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.level import draw_level
from engine.rng import draw_seed
from personas.agent import load_agent
from personas.comparison import compare
from personas.persona import catalogue, dump_persona
from personas.report import mean_interval
from tests.playtest.commands import json_lines_here, refused, without_room

pytestmark = pytest.mark.embedded
QUICK = ("--levels", 6, "--games", 2, "--iterations", 15, "--seed", 3)


def test_means_are_those_of_games_played_one_by_one() -> None:
    levels = [draw_level(seed=seed, moves=5) for seed in range(4)]
    agents = {name: load_agent(name) for name in ("random", "greedy")}
    found = compare(levels, agents, games=3, seed=7)
    by_level = []
    for place, level in enumerate(levels):
        seeds = [draw_seed(7, "compare", place, game) for game in range(3)]
        by_level.append(np.mean([trace.score for trace in agents["greedy"].play_games([level] * 3, seeds)]))
    assert found.outcomes["greedy"]["score"].tolist() == by_level
    assert found.mean("greedy", "score") == (pytest.approx(np.mean(by_level)), mean_interval(by_level))


def test_difference_is_taken_level_by_level() -> None:
    levels = [draw_level(seed=seed, moves=5) for seed in range(10)]
    found = compare(levels, {name: load_agent(name) for name in ("random", "greedy")}, games=2, seed=1)
    mean, (low, high) = found.difference("greedy", "random", "score")
    assert low < mean < high
    assert mean == pytest.approx(found.mean("greedy", "score")[0] - found.mean("random", "score")[0])
    assert found.difference("random", "greedy", "score")[0] == -mean


def test_command_answers_the_same_on_any_number_of_workers() -> None:
    answers = [
        json_lines_here("compare", "--agents", "random,greedy,vanilla", *QUICK, "--workers", workers)
        for workers in (1, 2)
    ]
    assert answers[0] == answers[1]
    (answer,) = answers[0]
    assert (answer["game"], answer["levels"], answer["games"]) == ("match3", 6, 2)
    assert list(answer["agents"]) == ["random", "greedy", "vanilla"]
    assert {name: list(others) for name, others in answer["differences"].items()} == {
        "greedy": ["random"],
        "vanilla": ["random", "greedy"],
    }


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--agents", "random"], "two names or more"),
        (["--agents", "random,"], "empty name"),
        (["--agents", "random,random"], "twice"),
        (["--agents", "random,nobody"], "nobody"),
        (["--agents", "random,greedy", "--levels", "1"], "from 2 to"),
        (["--agents", "random,greedy", "--first", str(2**53 - 1)], "seed"),
        (["--agents", "random,maxs", "--game", "chess"], "invalid choice"),
    ],
)
def test_wrong_input_ends_with_a_sentence(words: list[str], sentence: str) -> None:
    assert sentence in refused("compare", *words)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"game": "chess"}, "plays chess, but the level is one of match3."),
        ({"game_version": 99}, "was made for version 99 of match3, this is version"),
    ],
)
def test_persona_file_that_cannot_play_the_game_is_refused(
    tmp_path: Path, changed: dict[str, Any], sentence: str
) -> None:
    path = tmp_path / "other.toml"
    path.write_text(dump_persona(replace(catalogue()["maxs"], **changed)), "utf-8")
    said = refused("compare", "--agents", f"{path},random", *QUICK)
    assert said.startswith("Error: ")
    assert sentence in said


def test_compare_whose_output_finds_no_room_ends_with_2() -> None:
    assert "The output cannot be written" in without_room("compare", "--agents", "random,greedy", *QUICK)
