"""Ranking by all that is known of an individual, not by the luck of one generation."""

import dataclasses

import numpy as np
import pytest

from personas.evolution import RunConfig, next_generation, ranked
from personas.evolution.standing import level, records
from personas.evolution.state import Fitness, Generation, Individual, Record

CONFIG = RunConfig(persona="maxs", seed=1, population=10, generations=3, games=4)


def individual(idx: int, outcomes: list[float], before: Record | None = None, *, partial: bool = False) -> Individual:
    fitness = Fitness(sum(outcomes) / len(outcomes), None, tuple(outcomes), partial)
    return Individual(idx, f"add(visits, {float(idx)})", f"{idx:032}", 1, 3, "random", fitness=fitness, before=before)


def generation(*individuals: Individual, games: int = 4) -> Generation:
    return Generation(2, 0.0, tuple(range(games)), individuals)


def test_level_is_what_those_that_are_known_say_each_as_much_as_it_is_known() -> None:
    known, less = Record(300, 2.0), Record(100, -1.0)
    found = generation(individual(0, [12.0] * 4, known), individual(1, [11.0] * 4, less), individual(2, [50.0] * 4))
    assert level(found) == pytest.approx((300 * 10.0 + 100 * 12.0) / 400)


def test_level_of_the_first_generation_is_the_median() -> None:
    found = generation(individual(0, [1.0] * 4), individual(1, [5.0] * 4), individual(2, [9.0] * 4))
    assert level(found) == 5.0
    assert {idx: record.mean for idx, record in records(found).items()} == {0: -4.0, 1: 0.0, 2: 4.0}


def test_record_is_the_mean_over_all_games_counted_from_the_levels() -> None:
    found = generation(individual(0, [10.0] * 4, Record(12, 3.0)), individual(1, [8.0] * 4))
    assert level(found) == 7.0
    assert records(found)[0] == Record(16, 3.0)
    assert records(found)[1] == Record(4, 1.0)


def test_lucky_newcomer_does_not_stand_above_who_proved_itself() -> None:
    proven = individual(0, [8.0, 12.0, 9.0, 11.0], Record(1000, 5.0))
    lucky = individual(1, [16.0, 8.0, 7.0, 13.0])
    poor = individual(2, [5.0, 6.0, 4.0, 5.0], Record(100, 0.0))
    found = generation(proven, lucky, poor)
    assert found.best.idx == 1
    assert [one.idx for one in ranked(CONFIG, found)] == [0, 1, 2]


def test_newcomer_that_is_better_by_more_than_luck_stands_first() -> None:
    proven = individual(0, [8.0, 12.0, 9.0, 11.0], Record(1000, 5.0))
    better = individual(1, [38.0, 42.0, 39.0, 41.0])
    assert ranked(CONFIG, generation(proven, better))[0].idx == 1


def test_who_stopped_early_or_has_no_fitness_comes_last() -> None:
    flawed = dataclasses.replace(individual(0, [0.0]), fitness=Fitness(None, "nan", (0.0,)))
    found = generation(flawed, individual(1, [99.0], partial=True), individual(2, [1.0] * 4), individual(3, [2.0] * 4))
    assert [one.idx for one in ranked(CONFIG, found)] == [3, 2, 1, 0]


def test_paper_ranks_by_the_fitness_of_the_generation() -> None:
    paper = RunConfig(persona="maxs", seed=1, preset="replication", population=10, generations=3, games=4)
    found = generation(individual(0, [8.0] * 4, Record(1000, 5.0)), individual(1, [9.0] * 4))
    assert [one.idx for one in ranked(paper, found)] == [1, 0]


def test_elites_take_their_records_along_and_others_have_none() -> None:
    rng = np.random.default_rng(3)
    text = "sub(wins, mul(visits, {}.5))"
    first = Generation(
        1,
        0.0,
        (1, 2, 3, 4),
        tuple(
            dataclasses.replace(individual(idx, rng.normal(10, 3, 4).tolist()), formula=text.format(idx))
            for idx in range(10)
        ),
    )
    following = next_generation(CONFIG, first)
    known = {one.origin: one.before for one in following.individuals}
    (elite,) = [one for one in following.individuals if one.origin == "elite"]
    assert elite.parent_a == ranked(CONFIG, first)[0].idx
    assert elite.before == records(first)[elite.parent_a]
    assert known.keys() > {"elite"}
    assert all(one.before is None for one in following.individuals if one.origin != "elite")
    assert Generation.from_json(following.to_json()) == following


def quality_of_the_kept(*, by_standing: bool, seed: int) -> float:
    """True quality of the first elite after forty generations of newcomers, with outcomes as noisy as real ones."""
    rng = np.random.default_rng(seed)
    config = dataclasses.replace(CONFIG, population=40, games=50)
    elites: list[Individual] = []
    qualities: dict[str, float] = {}
    for number in range(1, 41):
        seeds = rng.normal(0, 1000, 50)
        found = []
        for idx in range(40):
            old = elites[idx] if idx < len(elites) else None
            name = old.formula if old else f"{number}-{idx}"
            quality = qualities.setdefault(name, float(rng.normal(0, 100)))
            fresh = individual(idx, (quality + seeds + rng.normal(0, 1500, 50)).tolist(), old.before if old else None)
            found.append(dataclasses.replace(fresh, formula=name))
        population = Generation(number, 0.0, tuple(range(50)), tuple(found))
        if by_standing:
            known = records(population)
            elites = [dataclasses.replace(one, before=known[one.idx]) for one in ranked(config, population)[:10]]
        else:
            elites = population.ranked()[:10]
    return qualities[elites[0].formula]


def test_standing_keeps_better_ones_than_fitness_where_luck_is_greater_than_what_sets_them_apart() -> None:
    gains = [
        quality_of_the_kept(by_standing=True, seed=seed) - quality_of_the_kept(by_standing=False, seed=seed)
        for seed in range(8)
    ]
    assert float(np.mean(gains)) > 50
