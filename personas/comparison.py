"""Agents against each other on many drawn levels, all with common random numbers.

A level is the unit: games on one level have its board and its falling pieces in common, so intervals are those of
means over levels, and differences are taken level by level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.level import Level
from engine.rng import draw_seed
from personas.agents.base import Agent, Progress
from personas.report import mean_interval

OUTCOMES = ("score", "legal_moves")


@dataclass(frozen=True)
class Comparison:
    """What agents made of the same levels.

    outcomes: by agent, then by outcome ("score", "legal_moves"), float64[levels], the mean of the games on each level
    """

    levels: int
    games: int
    outcomes: Mapping[str, Mapping[str, NDArray[np.float64]]]

    def mean(self, agent: str, outcome: str) -> tuple[float, tuple[float, float]]:
        """The mean over levels and its 95 % interval."""
        values = self.outcomes[agent][outcome]
        return float(values.mean()), mean_interval(values.tolist())

    def difference(self, agent: str, other: str, outcome: str) -> tuple[float, tuple[float, float]]:
        """The mean of agent - other over levels and its 95 % interval, level by level."""
        values = self.outcomes[agent][outcome] - self.outcomes[other][outcome]
        return float(values.mean()), mean_interval(values.tolist())

    def to_json(self) -> dict[str, Any]:
        """The answer of the command line: every agent, and its difference to every agent named before it."""
        names = list(self.outcomes)
        return {
            "levels": self.levels,
            "games": self.games,
            "agents": {name: {one: _figures(*self.mean(name, one)) for one in OUTCOMES} for name in names},
            "differences": {
                name: {
                    other: {one: _figures(*self.difference(name, other, one)) for one in OUTCOMES}
                    for other in names[:place]
                }
                for place, name in enumerate(names)
                if place
            },
        }


def compare(
    levels: Sequence[Level],
    agents: Mapping[str, Agent],
    *,
    games: int,
    seed: int,
    threads: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """`games` games of every agent on each level; game g on level l has the same stream for all agents.

    The levels must be of one game and one size. `progress` counts games. Raises ValueError for no level.
    """
    if not levels:
        raise ValueError("There is no level to compare on.")
    boards = [level for level in levels for _ in range(games)]
    seeds = [draw_seed(seed, "compare", place, game) for place in range(len(levels)) for game in range(games)]
    outcomes = {}
    for name, agent in agents.items():
        traces = agent.play_games(boards, seeds, threads=threads, progress=progress)
        found = {
            "score": [trace.score for trace in traces],
            "legal_moves": [trace.legal_mean for trace in traces],
        }
        outcomes[name] = {
            one: np.array(values, np.float64).reshape(len(levels), games).mean(axis=1) for one, values in found.items()
        }
    return Comparison(len(levels), games, outcomes)


def _figures(mean: float, interval: tuple[float, float]) -> dict[str, Any]:
    return {"mean": mean, "ci95": list(interval)}
