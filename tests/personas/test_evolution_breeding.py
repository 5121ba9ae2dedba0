"""Breeding: sizes, heights, equivalents, order, and that it is a pure function nobody else's random numbers touch."""

import random
import re
import threading
from collections import Counter

import pytest
from deap import gp
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formula import OF_THE_NODE, PAPER_VARIABLES, VARIABLES, fingerprint, parse_formula
from engine.level import draw_level
from engine.search.settings import OBJECTIVES
from personas.agents.tree_search import SearchAgent
from personas.evolution import Fitness, Generation, RunConfig, final_generation, next_generation
from personas.evolution.breeding import draw_game_seeds, first_individuals, next_individuals
from personas.evolution.fitness import population_persona
from personas.evolution.presets import PRESETS, REPLICATION, STANDARD
from personas.evolution.primitives import (
    draw_constant,
    drawing_from,
    has_constants,
    primitives_of,
    text_of,
    tree_of,
    tuned,
)
from personas.evolution.standing import ranked
from personas.evolution.written import written_formulas
from tests.engine.naive.formula import text_of as naive_text
from tests.engine.naive.formula import trees

CONFIG = RunConfig(persona="maxs", seed=5, population=40, games=2)
BOTH = pytest.mark.parametrize("preset", PRESETS)


def graded(individuals: tuple, seed: int = 1) -> Generation:
    """A generation with made-up fitness."""
    draw = random.Random(seed)
    generation = Generation(1, 3000.0, (1, 2), individuals)
    return generation.with_fitness(Fitness(draw.random() * 1000, None, (0.0,)) for _ in individuals)


def assert_sound(config: RunConfig, individuals: tuple) -> None:
    assert len(individuals) == config.population
    assert [one.idx for one in individuals] == list(range(config.population))
    assert len({one.fingerprint for one in individuals}) == config.population
    for one in individuals:
        formula = parse_formula(one.formula)
        assert formula.text == one.formula
        assert fingerprint(formula, signed=config.preset == "standard") == one.fingerprint
        assert (formula.height, formula.size) == (one.depth, one.size)
        assert 2 <= one.depth <= 6
        if config.preset == "replication":
            assert formula.reads <= set(PAPER_VARIABLES)
            assert all(0.0 <= constant <= 10.0 for constant in formula.constants)
            assert not any(name in one.formula for name in ("sub", "log", "min", "max"))
        else:
            assert formula.reads - OF_THE_NODE


@settings(max_examples=16, deadline=None)
@given(
    st.integers(0, 2**53 - 1),
    st.sampled_from([4, 5, 11, 40, 100]),
    st.sampled_from(tuple(PRESETS)),
    st.sampled_from(OBJECTIVES),
)
def test_breeding_keeps_size_heights_and_tells_equivalents_apart(seed, population, preset, persona):
    config = RunConfig(persona=persona, seed=seed, population=population, games=2, preset=preset)
    individuals = first_individuals(config)
    assert_sound(config, individuals)
    origins = [one.origin for one in individuals]
    assert set(origins) == ({"random"} if preset == "replication" else {"written", "random"})
    assert origins == sorted(origins, reverse=True)
    assert origins.count("random") >= population / 2
    for number in range(3):
        individuals = next_individuals(config, graded(individuals, number))
        assert_sound(config, individuals)


@BOTH
def test_breeding_takes_elites_first_then_mutants_then_children_of_pairs(preset):
    config = RunConfig(persona="maxs", seed=9, population=100, games=2, preset=preset)
    before = graded(first_individuals(config))
    after = next_individuals(config, before)
    best = sorted(before.individuals, key=lambda one: -one.fitness.value)[:10]
    assert [one.formula for one in after[:10]] == [one.formula for one in best]
    assert [one.parent_a for one in after[:10]] == [one.idx for one in best]
    assert Counter(one.origin for one in after) == {"elite": 10, "mutation": 45, "crossover": 45}
    assert [one.origin for one in after] == ["elite"] * 10 + ["mutation"] * 45 + ["crossover"] * 45
    assert all(one.fitness is None for one in after)
    for one in after[10:55]:
        assert one.parent_a is not None
        assert one.parent_b is None
    for one in after[55:]:
        assert None not in (one.parent_a, one.parent_b)
        assert one.parent_a != one.parent_b


def test_breeding_crosses_every_pair_at_most_once_and_keeps_both_children():
    config = RunConfig(persona="maxs", seed=9, population=100, games=2)
    after = next_individuals(config, graded(first_individuals(config)))
    pairs = Counter((one.parent_a, one.parent_b) for one in after if one.origin == "crossover")
    assert max(pairs.values()) == 2


def test_breeding_ranks_an_individual_without_a_fitness_last():
    individuals = first_individuals(CONFIG)
    worst = Fitness(None, "nan", ())
    generation = Generation(1, 0.0, (1,), individuals).with_fitness(
        worst if one.idx < 36 else Fitness(-1e9 - one.idx, None, ()) for one in individuals
    )
    assert [one.idx for one in generation.ranked()[:4]] == [36, 37, 38, 39]
    assert [one.parent_a for one in next_individuals(CONFIG, generation)[:4]] == [36, 37, 38, 39]


def test_breeding_is_a_pure_function_that_leaves_the_global_generator_alone():
    random.seed(1)
    first = first_individuals(CONFIG)
    second = next_individuals(CONFIG, graded(first))
    random.seed(2)
    random.random()
    state = random.getstate()
    assert first_individuals(CONFIG) == first
    assert next_individuals(CONFIG, graded(first)) == second
    assert random.getstate() == state
    assert first_individuals(RunConfig(persona="maxs", seed=6, population=40, games=2)) != first


def test_breeding_in_two_threads_at_once_gives_what_each_gives_alone():
    configs = [RunConfig(persona="maxs", seed=seed, population=30, games=2) for seed in range(4)]
    alone = [first_individuals(config) for config in configs]
    found: dict[int, tuple] = {}
    start = threading.Barrier(len(configs))

    def breed(place: int) -> None:
        start.wait()
        found[place] = first_individuals(configs[place])

    workers = [threading.Thread(target=breed, args=(place,)) for place in range(len(configs))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [found[place] for place in range(len(configs))] == alone


def test_deap_outside_a_breeding_draws_from_the_module_as_ever():
    primitives = primitives_of(REPLICATION)
    random.seed(7)
    first = str(gp.PrimitiveTree(gp.genFull(primitives, 2, 3)))
    random.seed(7)
    assert str(gp.PrimitiveTree(gp.genFull(primitives, 2, 3))) == first


def test_game_seeds_are_drawn_anew_for_each_generation():
    seeds = [draw_game_seeds(CONFIG, number) for number in range(1, 30)]
    assert len({seed for some in seeds for seed in some}) == 29 * 2
    assert draw_game_seeds(CONFIG, 3) == seeds[2]


def test_next_generation_aims_at_the_best_fitness_of_that_one_alone():
    generation = graded(first_individuals(CONFIG))
    after = next_generation(CONFIG, generation)
    assert after.number == 2
    assert after.goal == max(one.fitness.value for one in generation.individuals)
    worse = generation.with_fitness(Fitness(float(-one.idx), None, ()) for one in generation.individuals)
    assert next_generation(CONFIG, worse).goal == 0.0


def test_next_generation_of_one_that_is_not_evaluated_is_refused():
    with pytest.raises(ValueError, match="not evaluated"):
        next_generation(CONFIG, Generation(1, 0.0, (1,), first_individuals(CONFIG)))


def test_final_generation_is_the_ten_best_and_ten_written_by_hand_on_fresh_seeds():
    config = RunConfig(persona="maxs", seed=5, population=40, games=2, final_games=7)
    last = graded(next_individuals(config, graded(first_individuals(config))))
    final = final_generation(config, last)
    best = ranked(config, last)[:10]
    chosen = [one for one in final.individuals if one.origin == "elite"]
    assert [one.formula for one in chosen] == [one.formula for one in best]
    assert [one.parent_a for one in chosen] == [one.idx for one in best]
    written = [one.formula for one in final.individuals if one.origin == "written"]
    known = {one.formula for one in best}
    assert written == [text for text in written_formulas("maxs")[:10] if text not in known]
    assert len(written) > 5
    assert [one.idx for one in final.individuals] == list(range(len(chosen) + len(written)))
    assert len(final.individuals) <= config.most_finalists == 20
    assert (final.number, len(final.game_seeds)) == (2, 7)
    assert not set(final.game_seeds) & set(draw_game_seeds(config, 1))
    assert final_generation(RunConfig(persona="maxs", seed=5, population=40, final_games=0), last) is None
    assert final_generation(RunConfig(persona="maxs", seed=5, population=40, preset="replication"), last) is None


def test_tuned_formulas_keep_their_shape_and_move_every_constant_a_little():
    primitives = primitives_of(STANDARD)
    tree = tree_of("add(mul(0.3, sqrt(mean)), div(12.5, add(visits, 2.0)))", primitives)
    draw = random.Random(1)
    children = [parse_formula(text_of(tuned(tree, primitives, 0.4, draw))) for _ in range(200)]
    assert text_of(tree) == "add(mul(0.3, sqrt(mean)), div(12.5, add(visits, 2.0)))"
    assert {tuple(child.code) for child in children} == {tuple(parse_formula(text_of(tree)).code)}
    first, second, third = (sorted(child.constants[k] for child in children) for k in range(3))
    assert 0.27 < first[100] < 0.33
    assert first[0] < 0.2 < 0.45 < first[-1]
    assert second[-1] <= 12.5
    assert all(0.0 < one <= 10.0 for one in third)
    assert not has_constants(tree_of("add(mean, visits)", primitives))
    lowest = tree_of("add(mul(-9.0, gain), mul(-20.0, mean))", primitives)
    below = [parse_formula(text_of(tuned(lowest, primitives, 2.0, draw))).constants.tolist() for _ in range(200)]
    assert min(one[0] for one in below) == -10.0
    assert min(one[1] for one in below) == -20.0


def test_some_mutants_of_the_standard_preset_are_tuned_and_none_of_the_papers():
    def tuned_share(preset: str) -> float:
        config = RunConfig(persona="maxs", seed=5, population=400, games=2, preset=preset)
        before = graded(first_individuals(config))
        shapes = [_shape(one.formula) for one in before.individuals]
        mutants = [one for one in next_individuals(config, before) if one.origin == "mutation"]
        same = [_shape(one.formula) == shapes[one.parent_a] for one in mutants if "#" in shapes[one.parent_a]]
        return sum(same) / len(same)

    assert tuned_share("standard") > 0.2
    assert tuned_share("replication") < 0.1


def _shape(text: str) -> str:
    return re.sub(r"[0-9][0-9.e-]*", "#", text)


@pytest.mark.parametrize("chooses", [False, True])
@pytest.mark.parametrize("persona", OBJECTIVES)
def test_written_formulas_are_ones_that_the_preset_lets_in_and_no_two_are_equivalent(persona, chooses):
    formulas = [parse_formula(text) for text in written_formulas(persona, chooses=chooses)]
    assert len({fingerprint(formula, signed=True) for formula in formulas}) == len(formulas) > 15
    for formula in formulas:
        assert 2 <= formula.height <= 6
        assert formula.reads - OF_THE_NODE
        assert text_of(tree_of(formula.text, primitives_of(STANDARD, chooses=chooses))) == formula.text
    # What is judged beside the mean has the units of Match-3.
    assert ("searching" in written_formulas(persona, chooses=chooses, game="samegame")[0]) == chooses
    assert len(formulas) - len(written_formulas(persona, chooses=chooses, game="samegame")) == (2 if chooses else 0)
    assert ("sub(mul(0.1, mean), sqrt(legal_moves))" in written_formulas(persona)) == (persona in ("mins", "minm"))


def test_written_ucb1_that_chooses_the_move_plays_as_the_one_whose_move_is_the_best_mean():
    levels = [draw_level("match3", rows=6, cols=6, colours=5, moves=6, seed=seed) for seed in range(8)]

    def codes(final: str) -> list[tuple[int, ...]]:
        config = RunConfig(persona="mins", seed=1, iterations=60, final=final)
        # Those that judge moves by more than their mean come first.
        formula = written_formulas("mins", chooses=True)[2] if final == "formula" else written_formulas("mins")[0]
        agent = SearchAgent(population_persona(config, 0.0, formula))
        return [trace.codes for trace in agent.play_games(levels, list(range(8)))]

    assert codes("formula") == codes("mean")


def test_breeding_in_the_standard_preset_uses_all_that_it_has_and_in_a_game_without_a_limit_no_moves_left():
    def reads(game: str, final: str) -> set[str]:
        config = RunConfig(persona="maxs", seed=1, population=400, games=2, game=game, final=final)
        return set().union(*(parse_formula(one.formula).reads for one in first_individuals(config)))

    assert reads("match3", "formula") == set(VARIABLES)
    assert reads("match3", "mean") == set(VARIABLES) - {"searching"}
    assert reads("samegame", "formula") == set(VARIABLES) - {"moves_left"}
    assert reads("samegame", "mean") == set(VARIABLES) - {"searching", "moves_left"}


@settings(max_examples=100, deadline=None)
@given(trees())
def test_primitives_text_goes_to_a_tree_and_back_unchanged(tree):
    text = parse_formula(naive_text(tree)).text
    read = tree_of(text, primitives_of(STANDARD, chooses=True))
    assert text_of(read) == text
    assert read.height == parse_formula(text).height
    assert len(read) == parse_formula(text).size


def test_primitives_constants_of_a_read_tree_can_be_mutated():
    with drawing_from(random.Random(3)):
        (changed,) = gp.mutEphemeral(tree_of("add(wins, 2.5)", primitives_of(REPLICATION)), "one")
    assert parse_formula(text_of(changed)).reads == {"wins"}
    assert text_of(changed) != "add(wins, 2.5)"


def test_primitives_constants_are_uniform_from_0_to_10():
    with drawing_from(random.Random(1)):
        values = [draw_constant() for _ in range(4000)]
    assert 0.0 <= min(values) < 0.02
    assert 9.98 < max(values) <= 10.0
    assert 4.8 < sum(values) / 4000 < 5.2


@pytest.mark.parametrize("text", ["sub(wins, 1)", "log(wins)", "min(wins, visits)", "add(mean, wins)"])
def test_primitives_of_the_replication_lack_what_the_paper_did_not_use(text):
    with pytest.raises(ValueError, match="does not belong to the replication preset"):
        tree_of(text, primitives_of(REPLICATION))
