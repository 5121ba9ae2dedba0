"""Loading the agents' kernels before anybody waits for them."""

from collections.abc import Iterator
from time import perf_counter

from engine.formula import parse_formula
from engine.game import games
from engine.level import draw_level
from personas.agent import Agent, agent_names, load_agent
from personas.agents.tree_search import SearchAgent
from personas.decisive import choice_spreads
from personas.evolution.config import RunConfig
from personas.evolution.fitness import population_persona, vanilla_persona
from personas.evolution.presets import PRESETS

FORMULAS = ("div(wins, visits)", "add(mean, depth)")
"""One that reads the paper's variables and one that reads more: for kernels all others are like one of them."""


def load_kernels() -> float:
    """Let all who may play in a playtest or a run play once, on a common and on the largest size; seconds taken."""
    started = perf_counter()
    for name, game in games().items():
        info = game.info
        smallest, largest = info.sizes
        for size in {max(smallest, min(7, largest)), largest}:
            level = draw_level(
                name, rows=size, cols=size, colours=info.default_colours, seed=1, moves=info.default_moves
            )
            for agent in [*_catalogue(name), *_individuals(name)]:
                trace = agent.play_games([level], [0], moves=1)[0]
            choice_spreads(level, trace.codes, seed=0)
    return perf_counter() - started


def _catalogue(game: str) -> Iterator[Agent]:
    for name in agent_names(game):
        yield load_agent(name, game=game, iterations=1)


def _individuals(game: str) -> Iterator[Agent]:
    """What a run of each preset evaluates: formulas of every kind, and its vanilla."""
    for preset in PRESETS.values():
        config = RunConfig(persona="maxs", seed=0, game=game, preset=preset.name, iterations=1)
        yield SearchAgent(vanilla_persona(config, 0.0))
        for formula in FORMULAS:
            if parse_formula(formula).reads <= set(preset.variables):
                yield SearchAgent(population_persona(config, 0.0, formula))
