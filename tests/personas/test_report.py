"""The playtest report: figures by hand, the same games for every agent."""

import json

import numpy as np
import pytest

from engine.level import draw_level
from personas.agent import load_agent
from personas.report import game_seed, mean_interval, paired_interval, playtest, summarise

LEVEL = draw_level(seed=2, moves=3, name="Two")


def test_summarise_gives_the_figures_of_a_sample():
    figures = summarise([1.0, 2.0, 3.0, 4.0])
    assert list(figures) == ["mean", "sd", "min", "q05", "q25", "median", "q75", "q95", "max", "ci95"]
    assert figures["mean"] == figures["median"] == 2.5
    assert figures["sd"] == pytest.approx(1.2909944487358056)
    assert (figures["min"], figures["q25"], figures["q75"], figures["max"]) == (1.0, 1.75, 3.25, 4.0)
    assert figures["q05"] == pytest.approx(1.15)
    assert figures["q95"] == pytest.approx(3.85)
    # t with 3 degrees of freedom, 97.5 %: 3.182446
    assert figures["ci95"] == pytest.approx([2.5 - 3.182446 * 0.6454972, 2.5 + 3.182446 * 0.6454972], rel=1e-6)


def test_summarise_of_one_value_has_no_spread():
    figures = summarise([7])
    assert (figures["sd"], figures["ci95"]) == (0.0, [7.0, 7.0])
    json.dumps(figures, allow_nan=False)


def test_summarise_of_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing to summarise"):
        summarise([])


def test_mean_interval_covers_the_mean_in_nineteen_of_twenty_samples():
    draw = np.random.default_rng(5)
    intervals = [mean_interval(draw.normal(3.0, 2.0, 20).tolist()) for _ in range(2000)]
    covered = sum(low <= 3.0 <= high for low, high in intervals)
    assert 0.935 < covered / 2000 < 0.965


def test_paired_interval_is_that_of_the_differences():
    assert paired_interval([2.0, 4.0, 7.0], [1.0, 2.0, 3.0]) == mean_interval([1.0, 2.0, 4.0])


def test_playtest_gives_every_agent_the_same_games():
    agents = [load_agent("random"), load_agent("greedy")]
    report = playtest(LEVEL, agents, games=6, seed=9)
    seeds = [game_seed(9, game) for game in range(6)]
    for result in report.results.values():
        assert [trace.seed for trace in result.traces] == seeds
    alone = playtest(LEVEL, [load_agent("greedy")], games=6, seed=9)
    assert alone.results["greedy"].traces == report.results["greedy"].traces


def test_playtest_does_not_depend_on_threads_or_on_the_number_of_games():
    agents = [load_agent("vanilla", iterations=20)]
    few = playtest(LEVEL, agents, games=3, seed=9).results["vanilla"].traces
    many = playtest(LEVEL, agents, games=6, seed=9, threads=2).results["vanilla"].traces
    assert many[:3] == few


def test_playtest_answer_has_the_keys_of_the_command_line():
    report = playtest(LEVEL, {"r": load_agent("random")}, games=4, seed=1)
    answer = report.to_json()
    assert list(answer) == ["level", "agents"]
    assert answer["level"] == "Two"
    figures = answer["agents"]["r"]
    assert list(figures) == ["games", "score", "legal_moves", "seconds"]
    assert figures["games"] == 4
    assert figures["score"] == summarise(report.results["r"].scores)
    assert list(figures["legal_moves"]) == ["mean", "ci95"]
    json.dumps(answer, allow_nan=False)


def test_playtest_marks_the_clairvoyant():
    agents = {"vanilla": load_agent("vanilla", iterations=5, clairvoyant=True), "random": load_agent("random")}
    answer = playtest(LEVEL, agents, games=2, seed=1).to_json()
    assert answer["agents"]["vanilla"]["clairvoyant"] is True
    assert "clairvoyant" not in answer["agents"]["random"]
