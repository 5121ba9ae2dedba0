"""Play-outs of SameGame in which a policy looks at the board before each action: one loop, a choice for each policy.

A policy is a NamedTuple type with a field `colour`, the colour to spare, 0 for the most frequent one where the play-out
starts, and an inlined kernel

    choose(state, planes, links, leaders, tabu, made, policy, rng) -> column, height

that names the group to remove by its leader. `made` counts the actions of the play-out so far; `state.scratch` is free.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from engine.games.samegame.board import LEADERS, end_points, find_leaders, find_links, load, load_planes, vector_words
from engine.games.samegame.lanes import has_any
from engine.games.samegame.playouts import keep_position, most_frequent_colour, remove_at
from engine.kernels import kernel

_CHOICES: dict[type, Callable[..., Any]] = {}


def register_choice(policy_type: type, choose: Callable[..., Any]) -> None:
    """Let play-outs by policies of a type choose by a kernel."""
    _CHOICES[policy_type] = choose


def choose_group(state, planes, links, leaders, tabu, made, policy, rng):
    """The choice of the policy's type, for kernels."""
    raise NotImplementedError("choose_group is for kernels")


@overload(choose_group, jit_options={"error_model": "numpy", "forceinline": True})
def _overload_choose_group(state, planes, links, leaders, tabu, made, policy, rng):
    choose = _CHOICES.get(getattr(policy, "instance_class", None))
    return None if choose is None else choose.py_func


@kernel
def play_stepwise(state, policy, rng, totals, codes):
    """Hook of `engine.playouts`: play to the end of the game."""
    tabu = policy.colour if policy.colour > 0 else most_frequent_colour(state)
    planes = load_planes(state)
    links = find_links(planes)
    leaders = load(state, LEADERS)
    before = np.int64(state.words[5 * vector_words(state)])
    points, made = np.int64(0), np.int64(0)
    while has_any(leaders):
        col, height = choose_group(state, planes, links, leaders, tabu, made, policy, rng)
        codes[made] = (state.rows - 1 - height) * state.cols + col
        made += 1
        planes, links, gained = remove_at(planes, links, col, height)
        points += gained
        leaders = find_leaders(*links)
    if made > 0:
        points += end_points(planes, state.colours)
        keep_position(state, planes, leaders, before + made)
    totals[0] += points
    return made
