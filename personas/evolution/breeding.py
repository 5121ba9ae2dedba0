"""One generation from the last: the first population, elites, mutation, crossover.

All of it is a function of the configuration, its seed and the generation before; nothing else is drawn from. The order
of the steps is the paper's: elites enter first, then mutants until their share stands, then pairs are crossed until the
population is full. Whoever is equivalent to one that already entered is dropped.

Source: Mugrai et al., section IV.C. Decisions where the paper is open: trees start as DEAP's half-and-half; a child
whose height leaves 2..6 is drawn again; a sample is drawn from the whole population and repeated until the share
stands; crossover uses the whole population and keeps both children.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

from deap import gp

from engine.formula import Formula, parse_formula
from engine.rng import draw_seed, stream
from personas.evolution.config import RunConfig
from personas.evolution.equivalence import Pool
from personas.evolution.primitives import MAX_HEIGHT, MIN_HEIGHT, PRIMITIVES, drawing_from, text_of, tree_of
from personas.evolution.state import Generation, Individual

CONSTANT_MUTATION_CHANCE = 0.5
MUTATION_HEIGHTS = (0, 2)
# A parent whose children keep leaving the heights gives way to the next one after so many draws.
REDRAWS = 50


class Nursery:
    """A generation that is being filled: numbers its individuals and keeps equivalents out."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pool = Pool()
        self._individuals: list[Individual] = []

    def __len__(self) -> int:
        return len(self._individuals)

    @property
    def is_full(self) -> bool:
        return len(self) >= self._size

    @property
    def individuals(self) -> tuple[Individual, ...]:
        return tuple(self._individuals)

    def admit(self, formula: Formula, origin: str, parent_a: int | None = None, parent_b: int | None = None) -> bool:
        """Take the formula in; False if the generation is full or has an equivalent one."""
        if self.is_full:
            return False
        mark = self._pool.add(formula)
        if mark is None:
            return False
        self._individuals.append(
            Individual(
                idx=len(self),
                formula=formula.text,
                fingerprint=mark,
                depth=formula.height,
                size=formula.size,
                origin=origin,
                parent_a=parent_a,
                parent_b=parent_b,
            )
        )
        return True


def first_individuals(config: RunConfig) -> tuple[Individual, ...]:
    """A population of random trees of heights 2..6, no two equivalent."""
    generator = random.Random(stream(config.seed, "breeding", 1))
    nursery = Nursery(config.population)
    with drawing_from(generator):
        _fill_at_random(nursery)
    return nursery.individuals


def next_individuals(config: RunConfig, generation: Generation) -> tuple[Individual, ...]:
    """The population after `generation`, whose individuals must have a fitness."""
    generator = random.Random(stream(config.seed, "breeding", generation.number + 1))
    nursery = Nursery(config.population)
    parents = [tree_of(individual.formula) for individual in generation.individuals]
    for elite in generation.ranked()[: config.elites]:
        nursery.admit(parse_formula(elite.formula), "elite", elite.idx)
    with drawing_from(generator):
        _mutate(nursery, parents, config.mutants, generator)
        _cross(nursery, parents, generator)
        _fill_at_random(nursery)
    return nursery.individuals


def draw_game_seeds(config: RunConfig, number: int) -> tuple[int, ...]:
    """The seeds of generation `number`, one a game, shared by all its individuals and no other generation."""
    return tuple(draw_seed(config.seed, "evolution games", number, game) for game in range(config.games))


def _mutate(nursery: Nursery, parents: list[Any], wanted: int, generator: random.Random) -> None:
    """Admit `wanted` mutants: samples of that many parents, each mutated once, until enough are new."""
    target = len(nursery) + wanted
    while len(nursery) < target:
        for place in generator.sample(range(len(parents)), wanted):
            for child in _redraw(partial(_mutants, parents[place], generator)):
                if len(nursery) < target:
                    nursery.admit(parse_formula(text_of(child)), "mutation", place)


def _mutants(parent: Any, generator: random.Random) -> list[Any]:
    """One copy of the tree, by chance with one constant drawn anew, then with one subtree replaced."""
    child = gp.PrimitiveTree(parent)
    if generator.random() < CONSTANT_MUTATION_CHANCE:
        (child,) = gp.mutEphemeral(child, "one")
    (child,) = gp.mutUniform(child, expr=_new_subtree, pset=PRIMITIVES)
    return [child]


def _new_subtree(pset: Any, type_: Any) -> Any:
    return gp.genFull(pset, *MUTATION_HEIGHTS, type_)


def _cross(nursery: Nursery, parents: list[Any], generator: random.Random) -> None:
    """Cross pairs from a shuffled list of all pairs until the generation is full or the list is used up."""
    for first, second in _shuffled_pairs(len(parents), generator):
        if nursery.is_full:
            return
        for child in _redraw(partial(_crossed, parents[first], parents[second])):
            nursery.admit(parse_formula(text_of(child)), "crossover", first, second)


def _crossed(first: Any, second: Any) -> list[Any]:
    """Copies of both trees with one subtree of each exchanged."""
    return list(gp.cxOnePoint(gp.PrimitiveTree(first), gp.PrimitiveTree(second)))


def _shuffled_pairs(count: int, generator: random.Random) -> Iterator[tuple[int, int]]:
    pairs = list(combinations(range(count), 2))
    generator.shuffle(pairs)
    return iter(pairs)


def _fill_at_random(nursery: Nursery) -> None:
    """Admit random trees until the generation is full: the first one, or a small one that ran out of pairs."""
    while not nursery.is_full:
        tree = gp.PrimitiveTree(gp.genHalfAndHalf(PRIMITIVES, MIN_HEIGHT, MAX_HEIGHT))
        if _fits(tree):
            nursery.admit(parse_formula(text_of(tree)), "random")


def _redraw(draw: Callable[[], list[Any]]) -> list[Any]:
    """The children that `draw` gives, drawn again while any leaves the heights; none if that never ends."""
    for _ in range(REDRAWS):
        children = draw()
        if all(_fits(child) for child in children):
            return children
    return []


def _fits(tree: Any) -> bool:
    return bool(MIN_HEIGHT <= tree.height <= MAX_HEIGHT)
