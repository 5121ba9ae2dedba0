"""Evolution of personas: pure functions of a configuration and the generation before.

    config = RunConfig(persona="maxs", seed=1)
    generation = first_population(config)
    fitness = evaluate(config, generation, range(config.population), threads=2)
    generation = next_generation(config, generation.with_fitness(fitness))

Whoever runs this (the command line, workers of the site) stores generations as JSON and may compute slices of one in
any order, more than once and in several processes. `docs/algorithms/evolution.md` tells it in prose.
"""

from personas.evolution.breeding import draw_game_seeds, finalists, first_individuals, next_individuals
from personas.evolution.config import ConfigError, RunConfig
from personas.evolution.fitness import evaluate, evaluate_references, outcome, population_persona, random_goal
from personas.evolution.standing import level, ranked, records
from personas.evolution.state import Fitness, Generation, Individual, StateError
from personas.persona import Persona, Source


def first_population(config: RunConfig) -> Generation:
    """Generation 1, and the mean fitness of random play as the goal. Plays some games, milliseconds."""
    seeds = draw_game_seeds(config, 1)
    return Generation(1, random_goal(config, seeds), seeds, first_individuals(config))


def next_generation(config: RunConfig, generation: Generation) -> Generation:
    """The generation after one whose individuals all have a fitness; its goal is the best fitness of that one alone.

    Raises ValueError if a fitness is missing.
    """
    number = generation.number + 1
    return Generation(
        number,
        _goal_after(generation),
        draw_game_seeds(config, number),
        next_individuals(config, generation),
        _bar_after(config, generation),
    )


def final_generation(config: RunConfig, generation: Generation) -> Generation | None:
    """The best of the last generation, to play again on fresh seeds; None if the run is not to have that.

    Raises ValueError if a fitness is missing.
    """
    goal = _goal_after(generation)
    if not config.finalists:
        return None
    number = generation.number + 1
    return Generation(number, goal, draw_game_seeds(config, number, config.final_games), finalists(config, generation))


def _goal_after(generation: Generation) -> float:
    if any(individual.fitness is None for individual in generation.individuals):
        raise ValueError(f"Generation {generation.number} is not evaluated yet.")
    best = generation.best.fitness
    return generation.goal if best is None or best.value is None else best.value


def _bar_after(config: RunConfig, generation: Generation) -> float | None:
    """The fitness to expect of the last elite, if it is to be a bar for the next generation."""
    last = ranked(config, generation)[config.elites - 1]
    if not config.racing or last.fitness is None or last.fitness.value is None or last.fitness.partial:
        return None
    if not config.rules.by_standing:
        return last.fitness.value
    return level(generation) + records(generation)[last.idx].mean


def persona_of(config: RunConfig, generation: Generation, *, run: str = "", commit: str = "") -> Persona:
    """The persona that is kept: the best of the last generation, or of the finalists if the run has them."""
    return persona_from(config, generation, ranked(config, generation)[0].idx, run=run, commit=commit)


def persona_from(config: RunConfig, generation: Generation, idx: int, *, run: str = "", commit: str = "") -> Persona:
    """Any evaluated individual of a generation as a persona."""
    individual = generation.individuals[idx]
    is_final = generation.number > config.generations
    source = Source(
        run=run or config.content_hash()[:12],
        preset=config.preset,
        generation=min(generation.number, config.generations),
        generations=config.generations,
        population=config.population,
        games=config.games,
        seed=config.seed,
        commit=commit,
        fitness=individual.fitness.value if individual.fitness else None,
        final_games=len(generation.game_seeds) if is_final else None,
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
    "final_generation",
    "first_population",
    "next_generation",
    "outcome",
    "persona_from",
    "persona_of",
    "ranked",
]
