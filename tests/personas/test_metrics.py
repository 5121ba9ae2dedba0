"""Styles of play, against a plain count over the same games."""

from collections import Counter

import numpy as np
import pytest

from engine.level import draw_level
from engine.round import Round
from personas.agent import load_agent
from personas.metrics import play_style


def games_of(name, game="match3", count=6, **size):
    levels = [draw_level(game, seed=seed, **size) for seed in range(count)]
    agent = load_agent(name, game=game)
    return [
        (level, trace.codes) for level, trace in zip(levels, agent.play_games(levels, list(range(count))), strict=True)
    ]


def test_style_counts_what_a_plain_replay_shows():
    games = games_of("greedy")
    style = play_style(games)
    chosen, expected, steps, shuffled, vertical = Counter(), Counter(), [], 0, 0
    for level, codes in games:
        played = Round(level)
        taken = 0
        for code in codes:
            actions = played.legal_actions()
            for action in actions:
                expected.update({tuple(cell): 1 / len(actions) for cell in action})
            outcome = played.play_code(code)
            chosen.update(tuple(cell) for cell in outcome.action)
            vertical += outcome.action[0][1] == outcome.action[1][1]
            taken += outcome.steps
            shuffled += outcome.reshuffled is not None
        steps.append(taken / len(codes))
    assert (style.games, style.moves) == (6, sum(len(codes) for _, codes in games))
    assert style.steps[0] == pytest.approx(np.mean(steps))
    assert style.steps[1] < style.steps[0] < style.steps[2]
    assert style.reshuffled == shuffled / style.moves
    assert style.vertical == vertical
    for cell in np.ndindex(7, 7):
        assert style.chosen[cell] == chosen[cell]
        assert style.expected[cell] == pytest.approx(expected[cell])


def test_random_play_prefers_no_cell_and_no_direction():
    style = play_style(games_of("random", count=300))
    assert style.chosen.sum() == pytest.approx(style.expected.sum())
    assert style.vertical == pytest.approx(style.vertical_expected, rel=0.05)
    assert np.nanmean(np.abs(style.preference() - 1)) < 0.1


def test_style_of_a_game_of_groups_counts_whole_groups():
    games = games_of("random", "samegame", count=3, rows=5, cols=6, colours=3)
    style = play_style(games)
    left = sum(len(row) - row.count(".") for level, codes in games for row in Round.replay(level, codes).board)
    assert style.chosen.sum() == 3 * 30 - left
    assert (style.vertical, style.vertical_expected) == (0.0, 0.0)


def test_style_knows_a_group_by_any_of_its_cells():
    level = draw_level("samegame", rows=5, cols=6, colours=2, seed=1)
    played = Round(level)
    groups = played.groups().numbers
    cells = [(row, col) for row, line in enumerate(groups) for col, number in enumerate(line) if number == groups[4][0]]
    assert len(cells) > 1
    styles = [play_style([(level, [row * 6 + col])]) for row, col in cells]
    assert all((style.chosen == styles[0].chosen).all() for style in styles)


def test_no_move_has_no_style():
    assert play_style([]) is None
    assert play_style([(draw_level(seed=1), [])]) is None


def test_boards_of_different_sizes_share_no_map():
    with pytest.raises(ValueError, match="different sizes"):
        play_style([(draw_level(seed=1), []), (draw_level(rows=8, seed=1), [])])


def test_code_that_was_not_legal_is_named():
    level = draw_level(seed=1)
    illegal = next(code for code in range(98) if code not in Round(level).legal_codes() and code != 97)
    with pytest.raises(ValueError, match=f"Action {illegal}"):
        play_style([(level, [illegal])])
