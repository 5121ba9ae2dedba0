"""Who stands how well, over all generations that it lived through: luck of one generation is not to be bred from.

The seeds of a generation are its own, and some are easier. Whoever comes from an earlier generation is known, so all
of them together tell how easy this one is: its level. Outcomes are counted from the level; the standing is the mean
over all games so far, less two standard errors. A newcomer with a lucky start has few games and a wide error, so it
has to be better by more than luck, while whoever proved itself is not thrown out by one bad generation.

Ours; the paper ranks by the fitness of the generation alone.
"""

import math
from collections.abc import Sequence
from statistics import median

import numpy as np

from personas.evolution.config import RunConfig
from personas.evolution.state import Generation, Individual, Record

ERRORS = 2.0
"""Standard errors that a standing lies below the mean."""


def ranked(config: RunConfig, generation: Generation) -> list[Individual]:
    """All individuals, best first: by standing if the preset says so, else by fitness; equals in their order.

    Those that stopped early and those without a fitness come last, ranked by fitness.
    """
    by_fitness = generation.ranked()
    if not config.rules.by_standing:
        return by_fitness
    standing = {one.idx: record.mean - ERRORS * error for one, record, error in _records(generation)}
    return sorted(by_fitness, key=lambda one: -standing.get(one.idx, -math.inf))


def records(generation: Generation) -> dict[int, Record]:
    """What is known of each individual that played all games of an evaluated generation, by its place."""
    return {one.idx: record for one, record, _ in _records(generation)}


def level(generation: Generation) -> float:
    """What an individual of record 0 reaches in this generation: how easy its games are.

    Told by those that are known from before, each as much as it is known; in the first generation the median.
    """
    known = [(one.before.games, value - one.before.mean) for one, value in _whole(generation) if one.before is not None]
    if not known:
        return median([value for _, value in _whole(generation)] or [0.0])
    return sum(games * offset for games, offset in known) / sum(games for games, _ in known)


def _records(generation: Generation) -> list[tuple[Individual, Record, float]]:
    """Everybody who played all games, with the record after them and its standard error."""
    whole = _whole(generation)
    zero, spread = level(generation), _spread([one for one, _ in whole])
    games = len(generation.game_seeds)
    found = []
    for one, value in whole:
        before = one.before or Record(0, 0.0)
        count = before.games + games
        record = Record(count, (before.games * before.mean + games * (value - zero)) / count)
        found.append((one, record, spread / math.sqrt(count)))
    return found


def _whole(generation: Generation) -> list[tuple[Individual, float]]:
    """The individuals with a finite fitness over all games, and the fitness."""
    return [
        (one, one.fitness.value)
        for one in generation.individuals
        if one.fitness is not None and one.fitness.value is not None and not one.fitness.partial
    ]


def _spread(individuals: Sequence[Individual]) -> float:
    """Standard deviation of an outcome around what individual and game seed together let expect; 0 of one alone."""
    if len(individuals) < 2:
        return 0.0
    outcomes = np.array([one.fitness.per_game for one in individuals if one.fitness is not None], np.float64)
    count, games = outcomes.shape
    if games < 2:
        return 0.0
    rest = outcomes - outcomes.mean(axis=0) - outcomes.mean(axis=1, keepdims=True) + outcomes.mean()
    return float(math.sqrt((rest**2).sum() / ((count - 1) * (games - 1))))
