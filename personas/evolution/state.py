"""Generations as data, to JSON and back: what is computed, stored and handed from one step to the next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from personas.documents import DocumentReader

ORIGINS = ("random", "elite", "mutation", "crossover", "written")
FLAWS = ("nan", "overflow")


class StateError(ValueError):
    """A checkpoint that cannot be read; the message is one plain sentence."""


@dataclass(frozen=True)
class Fitness:
    """Mean outcome over the games, to be maximised; None with a `flaw` if there is no finite one.

    per_game: the outcome of each game, in the order of the generation's game seeds
    partial: stopped early, so the mean is that of the first games only
    """

    value: float | None
    flaw: str | None
    per_game: tuple[float, ...]
    partial: bool = False

    def to_json(self) -> dict[str, Any]:
        document = {"value": self.value, "flaw": self.flaw, "per_game": list(self.per_game)}
        return document | ({"partial": True} if self.partial else {})

    @classmethod
    def from_json(cls, document: object) -> "Fitness":
        reader = DocumentReader(document, "The fitness", StateError)
        value = reader.number("value") if reader.has("value") else None
        flaw = reader.choice("flaw", FLAWS) if reader.has("flaw") else None
        per_game = reader.numbers("per_game")
        partial = reader.flag("partial", default=False)
        reader.finish()
        return cls(value, flaw, tuple(map(float, per_game)), partial)


@dataclass(frozen=True)
class Record:
    """What earlier generations know of an individual: games, and their mean outcome counted from those generations'
    levels, see `personas.evolution.standing`.
    """

    games: int
    mean: float

    def to_json(self) -> dict[str, Any]:
        return {"games": self.games, "mean": self.mean}

    @classmethod
    def from_json(cls, document: object) -> "Record":
        reader = DocumentReader(document, "The record", StateError)
        record = cls(reader.integer("games", 1, 10**9), reader.number("mean"))
        reader.finish()
        return record


@dataclass(frozen=True)
class Individual:
    """A formula and where it came from. Parents are places (`idx`) in the generation before.

    before: what is known of an elite from the generations before, where individuals are ranked by standing
    """

    idx: int
    formula: str
    fingerprint: str
    depth: int
    size: int
    origin: str
    parent_a: int | None = None
    parent_b: int | None = None
    fitness: Fitness | None = None
    before: Record | None = None

    def to_json(self) -> dict[str, Any]:
        document = {name: value for name, value in vars(self).items() if name != "before"}
        document["fitness"] = None if self.fitness is None else self.fitness.to_json()
        return document if self.before is None else document | {"before": self.before.to_json()}

    @classmethod
    def from_json(cls, document: object) -> "Individual":
        reader = DocumentReader(document, "The individual", StateError)
        individual = cls(
            idx=reader.integer("idx", 0, 10**6),
            formula=reader.text("formula", longest=20_000),
            fingerprint=reader.text("fingerprint", longest=64),
            depth=reader.integer("depth", 0, 1000),
            size=reader.integer("size", 1, 10_000),
            origin=reader.choice("origin", ORIGINS),
            parent_a=reader.integer("parent_a", 0, 10**6) if reader.has("parent_a") else None,
            parent_b=reader.integer("parent_b", 0, 10**6) if reader.has("parent_b") else None,
            fitness=Fitness.from_json(reader.mapping("fitness")) if reader.has("fitness") else None,
            before=Record.from_json(reader.mapping("before")) if reader.has("before") else None,
        )
        reader.finish()
        return individual


@dataclass(frozen=True)
class Generation:
    """Generation `number` (from 1): the goal that a simulation must reach to win, the seeds, the population.

    The finalists that play again are the generation after the last one. `bar` is the fitness of the last elite of the
    generation before, where individuals that cannot reach it stop early.
    """

    number: int
    goal: float
    game_seeds: tuple[int, ...]
    individuals: tuple[Individual, ...]
    bar: float | None = None

    def with_fitness(self, fitness: Iterable[Fitness | None]) -> "Generation":
        """The same generation with the fitness of each individual, in their order."""
        pairs = zip(self.individuals, fitness, strict=True)
        return replace(self, individuals=tuple(replace(individual, fitness=value) for individual, value in pairs))

    def ranked(self) -> list[Individual]:
        """All individuals, best fitness first; equals in their order, partial ones and those without a fitness last."""
        return sorted(self.individuals, key=_rank)

    @property
    def best(self) -> Individual:
        return self.ranked()[0]

    def values(self) -> list[float]:
        """Every finite fitness, in the order of the individuals."""
        return [one.fitness.value for one in self.individuals if one.fitness and one.fitness.value is not None]

    @property
    def partial_count(self) -> int:
        """How many individuals stopped early."""
        return sum(one.fitness is not None and one.fitness.partial for one in self.individuals)

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "goal": self.goal,
            "game_seeds": list(self.game_seeds),
            "individuals": [individual.to_json() for individual in self.individuals],
            **({} if self.bar is None else {"bar": self.bar}),
        }

    @classmethod
    def from_json(cls, document: object) -> "Generation":
        """Raises StateError for anything that `to_json` would not have written."""
        reader = DocumentReader(document, "The generation", StateError)
        seeds: Sequence[float] = reader.numbers("game_seeds")
        generation = cls(
            number=reader.integer("number", 1, 10**6),
            goal=reader.number("goal"),
            game_seeds=tuple(int(seed) for seed in seeds),
            individuals=tuple(Individual.from_json(one) for one in reader.items("individuals")),
            bar=reader.number("bar") if reader.has("bar") else None,
        )
        reader.finish()
        return generation


def _rank(individual: Individual) -> tuple[int, float]:
    fitness = individual.fitness
    if fitness is None or fitness.value is None:
        return 2, 0.0
    return int(fitness.partial), -fitness.value
