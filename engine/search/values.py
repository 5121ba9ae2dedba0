"""What the actions of one position are worth: the points of each and of random play after it."""

from engine.game import apply_action, random_playout
from engine.kernels import kernel
from engine.rng import split
from engine.search.tree import copy_words


@kernel
def action_values(state, work, chance, rng, key, actions, length, totals, values):
    """Write to `values: float64[actions, playouts]` the points of each action and its random play-outs.

    Play-out `i` of every action draws from the stream `split(key, i)`, so actions are compared by the same luck.
    state: the position, left as it is; work: a state of the same level, scratch; chance: `Sampled` on `rng: uint64[1]`
    actions: int32[>= actions], legal ones; length: actions of a play-out at most, the judged one included
    totals: int64[2], scratch
    """
    for number in range(values.shape[1]):
        start = split(key, number)
        for place in range(values.shape[0]):
            rng[0] = start
            copy_words(work.words, state.words)
            totals[0] = 0
            gained = apply_action(work, actions[place], chance)
            random_playout(work, chance, rng, length - 1, totals)
            values[place, number] = gained + totals[0]
