"""The designer's instant playtest: agents side by side on a level, with every game kept."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from engine.level import Level
from engine.rng import draw_seed
from personas.agents.base import Agent, Progress, Stop, Trace

QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the mean (Student's t); the mean itself twice for fewer than two values."""
    sample = np.asarray(values, np.float64)
    mean = float(sample.mean())
    if len(sample) < 2:
        return mean, mean
    half = float(stats.t.ppf(0.975, len(sample) - 1) * sample.std(ddof=1) / np.sqrt(len(sample)))
    return mean - half, mean + half


def summarise(values: Sequence[float]) -> dict[str, Any]:
    """mean, sd (of a sample; 0 for one value), min, q05, q25, median, q75, q95, max, ci95 of the mean.

    Quantiles interpolate linearly. Raises ValueError for no values.
    """
    if not values:
        raise ValueError("There is nothing to summarise.")
    sample = np.asarray(values, np.float64)
    return {
        "mean": float(sample.mean()),
        "sd": float(sample.std(ddof=1)) if len(sample) > 1 else 0.0,
        "min": float(sample.min()),
        **{name: float(np.quantile(sample, share)) for name, share in QUANTILES.items()},
        "max": float(sample.max()),
        "ci95": list(mean_interval(values)),
    }


def paired_interval(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean difference first - second of games that share their seeds, pair by pair."""
    return mean_interval([a - b for a, b in zip(first, second, strict=True)])


@dataclass(frozen=True)
class AgentResult:
    """What one agent did. `seconds` is the wall-clock time of its games together."""

    agent: Agent
    traces: list[Trace]
    seconds: float

    @property
    def scores(self) -> list[int]:
        return [trace.score for trace in self.traces]

    @property
    def legal_means(self) -> list[float]:
        return [trace.legal_mean for trace in self.traces]

    def to_json(self) -> dict[str, Any]:
        """The agent's part of the command line's answer."""
        legal = self.legal_means
        answer: dict[str, Any] = {
            "games": len(self.traces),
            "score": summarise(self.scores),
            "legal_moves": {"mean": float(np.mean(legal)), "ci95": list(mean_interval(legal))},
            "seconds": round(self.seconds, 3),
        }
        if self.agent.clairvoyant:
            answer["clairvoyant"] = True
        return answer


@dataclass(frozen=True)
class Report:
    """One level, some agents, the same games for each."""

    level: Level
    seed: int
    results: Mapping[str, AgentResult]

    def to_json(self) -> dict[str, Any]:
        """The line that the command line prints for a level."""
        return {
            "level": self.level.name,
            "agents": {name: result.to_json() for name, result in self.results.items()},
        }

    def differences(self, base: "Report") -> dict[str, Any]:
        """What each agent of both reports gets more here than on the level of `base`, game by game with one seed.

        By agent, `score` and `legal_moves`, each with `mean` and `ci95` of the differences; both reports must have the
        same seed and number of games (else ValueError).
        """
        if self.seed != base.seed:
            raise ValueError("Games of different seeds are no pairs.")
        found = {}
        for name, result in self.results.items():
            if name in base.results:
                other = base.results[name]
                pairs: dict[str, tuple[Sequence[float], Sequence[float]]] = {
                    "score": (result.scores, other.scores),
                    "legal_moves": (result.legal_means, other.legal_means),
                }
                found[name] = {
                    one: {
                        "mean": float(np.mean(values)) - float(np.mean(others)),
                        "ci95": list(paired_interval(values, others)),
                    }
                    for one, (values, others) in pairs.items()
                }
        return found


def game_seed(seed: int, game: int) -> int:
    """The seed of game number `game` (from 0) of a playtest: the same for every agent."""
    return draw_seed(seed, "game", game)


def playtest(
    level: Level,
    agents: Mapping[str, Agent] | Sequence[Agent],
    *,
    games: int,
    seed: int,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Report:
    """`games` games of every agent on `level`, game i with the same stream for all of them.

    `progress` counts games; raises StoppedError if `stop` said so.
    """
    named = agents if isinstance(agents, Mapping) else {agent.name: agent for agent in agents}
    seeds = [game_seed(seed, game) for game in range(games)]
    results = {}
    for name, agent in named.items():
        started = time.perf_counter()
        traces = agent.play_games([level] * games, seeds, threads=threads, progress=progress, stop=stop)
        results[name] = AgentResult(agent, traces, time.perf_counter() - started)
    return Report(level, seed, results)
