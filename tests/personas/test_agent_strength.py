"""What the settings of a search are worth, in points over many games."""

import numpy as np
import pytest

from engine.level import draw_level
from personas.agent import agent_from_document, load_agent


def mean_score(tree: str) -> float:
    """UCB1 with graded reward, play-outs to the end of the game and the final action by the mean."""
    document = load_agent("vanilla").document
    document["search"] |= {"tree": tree, "reward": "graded", "scale": 1000.0, "playout": "end", "final": "mean"}
    del document["search"]["goal"]
    levels = [draw_level(seed=seed) for seed in range(40)]
    traces = agent_from_document(document).play_games(levels, range(40), threads=2)
    return float(np.mean([trace.score for trace in traces]))


@pytest.mark.slow
def test_open_loop_beats_the_closed_tree_with_graded_reward():
    # Measured over many games: about 6,800 against 5,100 points.
    assert mean_score("open") > mean_score("closed") + 800


def test_vanilla_and_greedy_beat_random():
    levels = [draw_level(seed=seed) for seed in range(30)]
    means = {
        name: np.mean([trace.score for trace in load_agent(name).play_games(levels, range(30), threads=2)])
        for name in ("random", "greedy", "vanilla")
    }
    assert means["vanilla"] > means["random"] + 300
    assert means["greedy"] > means["random"] + 1000
