"""The fitness of individuals: what their games bring, to be maximised. Pure, so any slice can be computed anywhere."""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

from engine.game import get_game
from engine.level import Level
from engine.search.settings import NO_LOOKAHEAD, ONE_DRAW
from personas.agents.base import Agent, Desk, Progress, Stop, Trace, run_jobs
from personas.agents.random_play import RandomAgent
from personas.agents.tree_search import SearchAgent
from personas.evolution.config import RunConfig
from personas.evolution.presets import STANDARD
from personas.evolution.state import Fitness, Generation
from personas.persona import Persona, SearchSettings, Source

TITLES = {"maxs": "MaxS", "mins": "MinS", "maxm": "MaxM", "minm": "MinM"}

# Iterations that a thread may plan at one go, about a tenth of a second: few, so that a run can be stopped soon
# and threads end together, and not so few that handing out jobs counts.
ITERATIONS_A_JOB = 50_000

MIRACLE = 3.0


def outcome(objective: str, trace: Trace) -> float:
    """What a game is worth: the score or the mean number of legal actions, negative where less is wanted."""
    value = float(trace.score) if objective in ("maxs", "mins") else trace.legal_mean
    return -value if objective in ("mins", "minm") else value


def population_persona(config: RunConfig, goal: float, formula: str, source: Source | None = None) -> Persona:
    """How the individuals of a run play: the preset's search, their formula, the generation's goal if that counts."""
    return Persona(
        kind="formula",
        name=_name(config),
        game=config.game,
        game_version=get_game(config.game).info.version,
        objective=config.persona,
        search=_search(config, goal),
        formula=formula,
        source=source or Source(),
    )


def _name(config: RunConfig) -> str:
    notes = [config.preset] if config.preset != STANDARD.name else []
    notes += ["clairvoyant"] if config.clairvoyant else []
    return TITLES[config.persona] + (f" ({', '.join(notes)})" if notes else "")


def vanilla_persona(config: RunConfig, goal: float) -> Persona:
    """UCB1 with the search and the goal of the population, for comparison.

    Its move is chosen as the preset has it, whatever chooses those of the population: UCB1 explores, and would not
    choose by its own value.
    """
    return Persona(
        kind="mcts",
        name="Vanilla",
        game=config.game,
        game_version=get_game(config.game).info.version,
        objective=config.persona,
        search=replace(_search(config, goal), final=config.rules.final),
    )


def _search(config: RunConfig, goal: float) -> SearchSettings:
    rules = config.rules
    settings = SearchSettings(
        tree=rules.tree,
        reward=rules.reward,
        iterations=config.iterations,
        playout=rules.playout,
        final=config.chosen_by,
        clairvoyant=config.clairvoyant,
    )
    if rules.reward == "win":
        return replace(settings, goal=goal)
    assert config.scale is not None
    lookahead, draws = config.lookahead or NO_LOOKAHEAD, config.draws or ONE_DRAW
    return replace(settings, scale=float(config.scale), lookahead=lookahead, draws=draws)


def evaluate(
    config: RunConfig,
    generation: Generation,
    indices: Sequence[int],
    *,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> list[Fitness]:
    """The fitness of the individuals at `indices`, in that order: a function of the arguments alone.

    With `config.racing`, whoever cannot reach the generation's bar any more stops, and its fitness is partial.

    The same on any number of threads and for any division into slices. `progress` counts games; raises StoppedError if
    `stop` said so.
    """
    agents: list[Agent] = [
        SearchAgent(population_persona(config, generation.goal, generation.individuals[index].formula))
        for index in indices
    ]
    seeds = generation.game_seeds
    first = len(seeds)
    if config.racing and generation.bar is not None:
        first = min(config.racing, first)
    options: dict[str, Any] = {"threads": threads, "progress": progress, "stop": stop}
    outcomes = _play_all(config, seeds[:first], agents, **options)
    if first < len(seeds):
        assert generation.bar is not None
        racers = [
            place
            for place, index in enumerate(indices)
            if generation.individuals[index].origin == "elite" or can_reach(generation.bar, outcomes[place])
        ]
        rest = _play_all(config, seeds[first:], [agents[place] for place in racers], **options)
        for place, more in zip(racers, rest, strict=True):
            outcomes[place] += more
        if progress is not None:
            progress((len(agents) - len(racers)) * (len(seeds) - first))
    return [_fitness(values, len(seeds)) for values in outcomes]


def can_reach(bar: float, outcomes: Sequence[float]) -> bool:
    """Whether an individual with these outcomes may still come to a mean of `bar` without a miracle.

    It may, as long as `bar` is no more than `MIRACLE` standard errors above its mean so far.
    """
    mean = fmean(outcomes)
    return mean + MIRACLE * stdev(outcomes) / math.sqrt(len(outcomes)) >= bar


def evaluate_references(
    config: RunConfig,
    generation: Generation,
    *,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> dict[str, Fitness]:
    """The fitness of vanilla (with the population's goal) and of random play on the generation's seeds."""
    agents: list[Agent] = [SearchAgent(vanilla_persona(config, generation.goal)), RandomAgent()]
    seeds = generation.game_seeds
    outcomes = _play_all(config, seeds, agents, threads=threads, progress=progress, stop=stop)
    return dict(zip(("vanilla", "random"), (_fitness(values, len(seeds)) for values in outcomes), strict=True))


def random_goal(config: RunConfig, game_seeds: Sequence[int]) -> float:
    """The goal of the first generation: the mean fitness of random play on its seeds."""
    (outcomes,) = _play_all(config, game_seeds, [RandomAgent()])
    fitness = _fitness(outcomes, len(outcomes))
    assert fitness.value is not None
    return fitness.value


def _play_all(
    config: RunConfig,
    game_seeds: Sequence[int],
    agents: Sequence[Agent],
    *,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> list[list[float]]:
    """The outcome of every agent's game on every seed."""
    levels = [config.game_level(seed) for seed in game_seeds]
    stride = max(1, ITERATIONS_A_JOB // (config.iterations * config.moves))
    starts = range(0, len(game_seeds), stride)
    jobs = [(agent, start) for agent in agents for start in starts]

    def play(desk: Desk, job: tuple[Agent, int]) -> list[float]:
        agent, start = job
        games = range(start, min(start + stride, len(game_seeds)))
        return [_play(config, desk, agent, levels[game], game_seeds[game]) for game in games]

    parts = run_jobs(play, jobs, threads=threads, progress=progress, stop=stop, weigh=len)
    per_agent = len(starts)
    return [
        [value for part in parts[place : place + per_agent] for value in part]
        for place in range(0, len(parts), per_agent)
    ]


def _play(config: RunConfig, desk: Desk, agent: Agent, level: Level, seed: int) -> float:
    moves = level.moves if level.moves is None else config.moves
    return outcome(config.persona, desk.play(agent, level, seed, moves=moves))


def _fitness(per_game: list[float], games: int) -> Fitness:
    """Of the outcomes of all `games`, or of fewer for who stopped early."""
    mean = math.fsum(per_game) / len(per_game)
    partial = len(per_game) < games
    if math.isnan(mean):
        return Fitness(None, "nan", tuple(per_game), partial)
    if math.isinf(mean):
        return Fitness(None, "overflow", tuple(per_game), partial)
    return Fitness(mean, None, tuple(per_game), partial)
