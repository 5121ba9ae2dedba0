"""One generation from the last: the first population, elites, mutation, crossover.

All of it is a function of the configuration, its seed and the generation before; nothing else is drawn from. The order
of the steps is the paper's: elites enter first, then mutants until their share stands, then pairs are crossed until the
population is full. Whoever is equivalent to one that already entered is dropped. What formulas are made of and may
look like says the preset.

The preset standard draws parents by tournament and ranks by standing; both are ours.

Source: Mugrai et al., section IV.C. Decisions where the paper is open: trees start as DEAP's half-and-half; a child
whose height leaves 2..6 is drawn again; a sample is drawn from the whole population and repeated until the share
stands; crossover uses the whole population and keeps both children.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

from deap import gp

from engine.formula import OF_THE_NODE, Formula, parse_formula
from engine.rng import draw_seed, stream
from personas.evolution.config import RunConfig
from personas.evolution.equivalence import Pool
from personas.evolution.presets import TUNING_STEP, Preset
from personas.evolution.primitives import (
    drawing_from,
    has_constants,
    names_in,
    primitives_of,
    text_of,
    tree_of,
    tuned,
)
from personas.evolution.standing import ranked, records
from personas.evolution.state import Generation, Individual, Record
from personas.evolution.written import written_formulas

# A parent whose children keep being refused gives way to the next one after so many draws.
REDRAWS = 50


class Nursery:
    """A generation that is being filled: numbers its individuals and keeps equivalents out."""

    def __init__(self, size: int, *, signed: bool) -> None:
        self._size = size
        self._pool = Pool(signed=signed)
        self._individuals: list[Individual] = []

    def __len__(self) -> int:
        return len(self._individuals)

    @property
    def is_full(self) -> bool:
        return len(self) >= self._size

    @property
    def individuals(self) -> tuple[Individual, ...]:
        return tuple(self._individuals)

    def admit(
        self,
        formula: Formula,
        origin: str,
        parent_a: int | None = None,
        parent_b: int | None = None,
        before: Record | None = None,
    ) -> bool:
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
                before=before,
            )
        )
        return True


@dataclass(frozen=True)
class Parents:
    """The trees of a generation, and the rank of each: 0 is the best."""

    trees: list[Any]
    ranks: dict[int, int]


class Breeder:
    """DEAP's operators with the preset's primitives and limits, drawing from one generator."""

    def __init__(self, config: RunConfig, number: int) -> None:
        self.preset: Preset = config.rules
        self.generator = random.Random(stream(config.seed, "breeding", number))
        has_move_limit = config.game_info.default_moves is not None
        self.primitives = primitives_of(
            self.preset, has_move_limit=has_move_limit, chooses=config.chosen_by == "formula"
        )

    def fits(self, tree: Any) -> bool:
        """Whether the preset lets the tree in."""
        low, high = self.preset.heights
        if not low <= tree.height <= high:
            return False
        return not self.preset.must_tell_children_apart or not names_in(tree) <= OF_THE_NODE

    def fill_at_random(self, nursery: Nursery) -> None:
        """Admit random trees until the generation is full: the first one, or a small one that ran out of pairs."""
        while not nursery.is_full:
            tree = gp.PrimitiveTree(gp.genHalfAndHalf(self.primitives, *self.preset.heights))
            if self.fits(tree):
                nursery.admit(parse_formula(text_of(tree)), "random")

    def mutate(self, nursery: Nursery, parents: "Parents", wanted: int) -> None:
        """Admit `wanted` mutants: samples of that many parents, each mutated once, until enough are new."""
        target = len(nursery) + wanted
        while len(nursery) < target:
            for place in self._sample(parents, wanted):
                for child in self._redraw(partial(self._mutants, parents.trees[place])):
                    if len(nursery) < target:
                        nursery.admit(parse_formula(text_of(child)), "mutation", place)

    def _mutants(self, parent: Any) -> list[Any]:
        """One copy of the tree, by chance with one constant drawn anew, then with one subtree replaced.

        The preset may instead have some only tuned: what they are stays, its numbers move a little.
        """
        chance = self.preset.tuning_chance
        if chance and has_constants(parent) and self.generator.random() < chance:
            return [tuned(parent, self.primitives, TUNING_STEP, self.generator)]
        child = gp.PrimitiveTree(parent)
        if self.generator.random() < self.preset.constant_chance:
            (child,) = gp.mutEphemeral(child, "one")
        (child,) = gp.mutUniform(child, expr=self._new_subtree, pset=self.primitives)
        return [child]

    def _new_subtree(self, pset: Any, type_: Any) -> Any:
        return gp.genFull(pset, *self.preset.mutation_heights, type_)

    def _sample(self, parents: "Parents", wanted: int) -> list[int]:
        """Places of parents: a sample of all, or the winners of so many tournaments."""
        count = len(parents.trees)
        if self.preset.tournament == 1:
            return self.generator.sample(range(count), wanted)
        return [self._winner(parents) for _ in range(wanted)]

    def _winner(self, parents: "Parents") -> int:
        entrants = self.generator.sample(range(len(parents.trees)), min(self.preset.tournament, len(parents.trees)))
        return min(entrants, key=parents.ranks.__getitem__)

    def cross(self, nursery: Nursery, parents: "Parents") -> None:
        """Cross pairs until the generation is full: all pairs in a shuffled order, or as many drawn by tournaments."""
        for first, second in self._pairs(parents):
            if nursery.is_full:
                return
            for child in self._redraw(partial(_crossed, parents.trees[first], parents.trees[second])):
                nursery.admit(parse_formula(text_of(child)), "crossover", first, second)

    def _pairs(self, parents: "Parents") -> Iterator[tuple[int, int]]:
        pairs = list(combinations(range(len(parents.trees)), 2))
        if self.preset.tournament == 1:
            self.generator.shuffle(pairs)
            return iter(pairs)
        return ((self._winner(parents), self._winner(parents)) for _ in pairs)

    def _redraw(self, draw: Callable[[], list[Any]]) -> list[Any]:
        """The children that `draw` gives, drawn again while any is refused; none if that never ends."""
        for _ in range(REDRAWS):
            children = draw()
            if all(self.fits(child) for child in children):
                return children
        return []


def _crossed(first: Any, second: Any) -> list[Any]:
    """Copies of both trees with one subtree of each exchanged."""
    return list(gp.cxOnePoint(gp.PrimitiveTree(first), gp.PrimitiveTree(second)))


def first_individuals(config: RunConfig) -> tuple[Individual, ...]:
    """A population of random trees, no two equivalent; the preset may let selections written by hand enter first.

    These take half of the places at most.
    """
    breeder = Breeder(config, 1)
    nursery = Nursery(config.population, signed=breeder.preset.signed)
    for text in _written(config):
        nursery.admit(parse_formula(text), "written")
    with drawing_from(breeder.generator):
        breeder.fill_at_random(nursery)
    return nursery.individuals


def _written(config: RunConfig) -> list[str]:
    """The selections written by hand that the run begins with, those first that play best alone."""
    if not config.rules.begins_with_written:
        return []
    formulas = written_formulas(config.persona, chooses=config.chosen_by == "formula", game=config.game)
    return formulas[: config.population // 2]


def next_individuals(config: RunConfig, generation: Generation) -> tuple[Individual, ...]:
    """The population after `generation`, whose individuals must have a fitness."""
    breeder = Breeder(config, generation.number + 1)
    nursery = Nursery(config.population, signed=breeder.preset.signed)
    in_order = ranked(config, generation)
    known = records(generation) if config.rules.by_standing else {}
    for elite in in_order[: config.elites]:
        nursery.admit(parse_formula(elite.formula), "elite", elite.idx, before=known.get(elite.idx))
    parents = Parents(
        [tree_of(individual.formula, breeder.primitives) for individual in generation.individuals],
        {individual.idx: rank for rank, individual in enumerate(in_order)},
    )
    with drawing_from(breeder.generator):
        breeder.mutate(nursery, parents, config.mutants)
        breeder.cross(nursery, parents)
        breeder.fill_at_random(nursery)
    return nursery.individuals


def finalists(config: RunConfig, generation: Generation) -> tuple[Individual, ...]:
    """The best of the last generation, best first, to play again; parents are their places in that generation.

    Selections written by hand, as many as the first population had and the best need, play again as well: fifty games
    may have thrown out what was better than all that came of it.
    """
    nursery = Nursery(config.most_finalists, signed=config.rules.signed)
    for one in ranked(config, generation)[: config.finalists]:
        nursery.admit(parse_formula(one.formula), "elite", one.idx)
    for text in _written(config)[: config.finalists]:
        nursery.admit(parse_formula(text), "written")
    return nursery.individuals


def draw_game_seeds(config: RunConfig, number: int, games: int | None = None) -> tuple[int, ...]:
    """The seeds of generation `number`, one a game, shared by all its individuals and no other generation."""
    count = config.games if games is None else games
    return tuple(draw_seed(config.seed, "evolution games", number, game) for game in range(count))
