"""Whole games inside kernels: the same as asking for action after action, and blind to what will fall."""

from dataclasses import replace

import numpy as np
import pytest

from engine.game import Sampled, apply_action, copy_state, get_game, legal_actions
from engine.level import Level, draw_level
from engine.rng import new_rng, split, stream
from engine.round import Round
from engine.search.dispatch import search
from engine.search.play import choose_greedy, choose_random, play_greedy, play_random, play_search
from engine.search.policies import new_ucb1
from engine.search.settings import BY_FORMULA, ENDLESS, LITERAL, Played, Settings
from engine.search.tree import new_tree

MATCH3 = get_game("match3")
KEY = np.uint64(stream(11, "agent"))
LENGTH = 12
BEGIN = Played(0, 0, 0, LENGTH, ENDLESS)


def other_future(level: Level) -> Level:
    """The same board with other pieces to come."""
    return replace(level, seed=level.seed + 1, drops=None)


class Table:
    """What the kernels need to play a level."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.state = MATCH3.new_state(level)
        self.work = copy_state(self.state)
        self.queue = MATCH3.queued(level)
        self.rng = np.zeros(1, np.uint64)
        self.chance = Sampled(self.rng)
        self.actions = np.zeros(2 * level.rows * level.cols, np.int32)
        self.codes = np.zeros(LENGTH, np.int32)
        self.legal = np.zeros(LENGTH, np.int32)
        self.tree = new_tree(40, len(self.actions), len(self.state.words))
        self.wanted = Settings(40, 0, True, 3000.0, 1.0, LITERAL, BY_FORMULA, True)

    def play(self, kind: str, *, clairvoyant: bool = False) -> tuple[list[int], int]:
        """Codes and points of a whole game."""
        out = (self.codes, self.legal)
        if kind == "random":
            points, made = play_random(self.state, self.queue, KEY, LENGTH, self.rng, *out)
        elif kind == "greedy":
            points, made = play_greedy(
                self.state, self.queue, KEY, LENGTH, self.work, self.chance, self.rng, self.actions, *out
            )
        else:
            chance = self.queue if clairvoyant else self.chance
            points, made, _ = play_search(
                self.state,
                self.queue,
                KEY,
                BEGIN,
                self.work,
                chance,
                self.rng,
                new_ucb1(),
                self.tree,
                self.wanted,
                *out,
            )
        return self.codes[:made].tolist(), int(points)


@pytest.mark.parametrize("kind", ["random", "greedy", "search"])
def test_play_writes_what_a_round_replays(kind):
    level = draw_level(seed=6)
    table = Table(level)
    codes, points = table.play(kind)
    played = Round(level)
    counts = [played.play_code(code).legal_before for code in codes]
    assert played.score == points
    assert counts == table.legal.tolist()
    assert (played.state.words == table.state.words).all()


@pytest.mark.parametrize("kind", ["random", "greedy", "search"])
def test_play_gives_the_actions_that_are_chosen_one_by_one(kind):
    level = draw_level(seed=7)
    codes, _ = Table(level).play(kind)
    table, played = Table(level), Round(level)
    for number in range(LENGTH):
        table.rng[0] = split(KEY, number)
        if kind == "random":
            code = choose_random(played.state, table.rng)
        elif kind == "greedy":
            code = choose_greedy(played.state, table.work, table.chance, table.rng, table.actions)
        else:
            so_far = Played(played.score, played.legal_total, number, LENGTH - number, ENDLESS)
            code = search(
                played.state.words, table.work, table.chance, table.rng, new_ucb1(), table.tree, table.wanted, so_far
            )
        assert int(code) == codes[number]
        played.play_code(int(code))


@pytest.mark.parametrize("kind", ["random", "greedy", "search"])
def test_play_of_fair_agents_does_not_depend_on_what_will_fall(kind):
    # The first action is chosen on the same board, so another hidden queue must not change it.
    for seed in range(30):
        level = draw_level(seed=seed)
        assert Table(level).play(kind)[0][0] == Table(other_future(level)).play(kind)[0][0]


def test_play_of_a_clairvoyant_search_does_depend_on_what_will_fall():
    seeds = range(30)
    firsts = [Table(draw_level(seed=seed)).play("search", clairvoyant=True)[0][0] for seed in seeds]
    others = [Table(other_future(draw_level(seed=seed))).play("search", clairvoyant=True)[0][0] for seed in seeds]
    assert firsts != others


def test_play_stops_at_the_length():
    table = Table(draw_level(seed=1))
    _, made = play_random(table.state, table.queue, KEY, 5, table.rng, table.codes, table.legal)
    assert made == 5
    assert table.codes[5:].tolist() == [0] * (LENGTH - 5)


def test_choose_greedy_takes_an_action_of_nearly_the_highest_mean_gain():
    level = draw_level(seed=3)
    gains = {}
    state = MATCH3.new_state(level)
    rng = new_rng(5, "test")
    chance = Sampled(rng)
    work = copy_state(state)
    actions = np.zeros(98, np.int32)
    for code in actions[: legal_actions(state, actions)].tolist():
        total = 0
        for _ in range(4000):
            work.words[:] = state.words
            total += apply_action(work, code, chance)
        gains[code] = total / 4000
    chosen = [int(choose_greedy(state, work, chance, new_rng(seed, "t"), actions)) for seed in range(40)]
    best = max(gains.values())
    assert sum(gains[code] for code in chosen) / 40 > 0.95 * best
