"""Evolution of personas: pure functions of a configuration and the generation before.

    config = RunConfig(persona="maxs", seed=1)
    generation = first_population(config)
    fitness = evaluate(config, generation, range(config.population), threads=2)
    generation = next_generation(config, generation.with_fitness(fitness))

Whoever runs this (the command line, workers of the site) stores generations as JSON and may compute slices of one in
any order, more than once and in several processes. `docs/algorithms/evolution.md` tells it in prose.
"""

from personas.evolution.breeding import draw_game_seeds, first_individuals, next_individuals
from personas.evolution.config import ConfigError, RunConfig
from personas.evolution.fitness import evaluate, evaluate_references, outcome, population_persona, random_goal
from personas.evolution.state import Fitness, Generation, Individual, StateError
from personas.persona import Persona, Source


def first_population(config: RunConfig) -> Generation:
    """Generation 1: random trees, and the mean fitness of random play as the goal. Plays some games, milliseconds."""
    seeds = draw_game_seeds(config, 1)
    return Generation(1, random_goal(config, seeds), seeds, first_individuals(config))


def next_generation(config: RunConfig, generation: Generation) -> Generation:
    """The generation after one whose individuals all have a fitness; its goal is the best fitness of that one alone.

    Raises ValueError if a fitness is missing.
    """
    if any(individual.fitness is None for individual in generation.individuals):
        raise ValueError(f"Generation {generation.number} is not evaluated yet.")
    best = generation.best.fitness
    assert best is not None
    goal = generation.goal if best.value is None else best.value
    number = generation.number + 1
    return Generation(number, goal, draw_game_seeds(config, number), next_individuals(config, generation))


def persona_of(config: RunConfig, generation: Generation, *, run: str = "", commit: str = "") -> Persona:
    """The persona that is kept: the best of the last generation, with that generation's goal and where it came from."""
    return persona_from(config, generation, generation.best.idx, run=run, commit=commit)


def persona_from(config: RunConfig, generation: Generation, idx: int, *, run: str = "", commit: str = "") -> Persona:
    """Any evaluated individual of a generation as a persona."""
    individual = generation.individuals[idx]
    source = Source(
        run=run or config.content_hash()[:12],
        preset=config.preset,
        generation=generation.number,
        generations=config.generations,
        population=config.population,
        games=config.games,
        seed=config.seed,
        commit=commit,
        fitness=individual.fitness.value if individual.fitness else None,
    )
    return population_persona(config, generation.goal, individual.formula, source)


__all__ = [
    "ConfigError",
    "Fitness",
    "Generation",
    "Individual",
    "Persona",
    "RunConfig",
    "StateError",
    "evaluate",
    "evaluate_references",
    "first_population",
    "next_generation",
    "outcome",
    "persona_from",
    "persona_of",
]
