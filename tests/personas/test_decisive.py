"""How much a choice matters."""

import itertools

import numpy as np
import pytest

from engine.game import apply_action, copy_state, get_game, random_playout
from engine.level import Level, draw_level, parse_level
from engine.rng import stream
from engine.round import Round
from engine.search.values import action_values
from personas.agent import load_agent
from personas.decisive import POSITIONS, choice_spreads


def one_game(level: Level) -> tuple[int, ...]:
    return load_agent("random").play_games([level], [3])[0].codes


@pytest.mark.parametrize("game", ["match3", "samegame"])
def test_spreads_depend_on_the_game_and_the_seed_alone(game: str) -> None:
    level = draw_level(game, rows=6, cols=6, colours=4, seed=2, moves=5)
    codes = one_game(level)
    spreads = choice_spreads(level, codes, seed=9)
    assert spreads == choice_spreads(level, codes, seed=9)
    assert spreads != choice_spreads(level, codes, seed=10)
    assert 0 < len(spreads) <= min(len(codes), POSITIONS)
    assert np.isfinite(spreads).all()


def test_long_games_are_judged_at_evenly_spread_positions() -> None:
    level = draw_level(rows=5, cols=5, colours=4, moves=60, seed=1)
    assert len(choice_spreads(level, one_game(level), seed=1)) <= POSITIONS


def test_a_position_with_one_action_has_no_choice() -> None:
    level = parse_level(
        {"game": "samegame", "rows": 2, "cols": 2, "colours": 3, "seed": 1, "board": ["AA", "BC"], "horizon": 1}
    )
    assert choice_spreads(level, Round(level).legal_codes()[:1], seed=1) == []


def test_best_action_is_worth_more_than_the_middle_one_on_average() -> None:
    spreads = []
    for seed in range(6):
        level = draw_level(seed=seed, moves=10)
        spreads += choice_spreads(level, one_game(level), seed=seed)
    assert np.mean(spreads) > 100


def test_position_whose_actions_are_all_alike_gives_nothing() -> None:
    rows = ["AABBCCDD", "EEFFGGHH"]
    document = {"game": "samegame", "rows": 2, "cols": 8, "colours": 8, "seed": 1, "board": rows, "horizon": 8}
    # Eight pairs that all go away, whatever comes first: nothing but the empty board counts.
    level = parse_level(document)
    assert len(Round(level).legal_codes()) == 8
    assert choice_spreads(level, Round(level).legal_codes()[:1], seed=1) == [0.0]


@pytest.mark.parametrize("game", ["match3", "samegame"])
def test_values_of_actions_are_those_of_playing_them_one_by_one(game: str) -> None:
    """The kernel against its plain twin, on a state that it leaves as it was."""
    level = draw_level(game, rows=7, cols=7, seed=5)
    state = Round(level).state
    rng = np.zeros(1, np.uint64)
    chance, key = get_game(game).sampled(rng), np.uint64(stream(3, "choice", 1))
    actions = np.array(Round(level).legal_codes(), np.int32)
    values, totals = np.zeros((actions.size, 6)), np.zeros(2, np.int64)
    before = state.words.copy()
    action_values(state, copy_state(state), chance, rng, key, actions, 9, totals, values)
    assert (state.words == before).all()
    for (place, action), number in itertools.product(enumerate(actions), range(values.shape[1])):
        work = copy_state(state)
        rng[0] = stream(3, "choice", 1, number)
        totals[:] = 0
        gained = apply_action(work, action, chance)
        random_playout(work, chance, rng, 8, totals)
        assert values[place, number] == gained + totals[0]
