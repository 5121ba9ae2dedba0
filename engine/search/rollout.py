"""The play-outs of tree searches: random, or with a look at a few actions before one of them is made.

A random play-out of Match-3 or SameGame tells what follows an action when nobody cares any more. One that cares a
little tells more, so of `draws` random actions, drawn with replacement, the one with the best prospect for the
objective is made: most or least points at once, most or fewest legal actions on what it leaves of the board, the first
drawn of equal ones. One draw is a random play-out, as in paper 004. Ours; the idea of informed play-outs is old, see
Gelly et al., "Modification of UCT with patterns in Monte-Carlo Go", INRIA RR-6062, 2006.
"""

from engine.game import apply_action, legal_count, prospect, random_action, random_playout
from engine.kernels import kernel
from engine.search.settings import MAXM, MINM, MINS


@kernel
def roll_out(state, chance, rng, length, counted, settings, totals):
    """Play up to `length` actions, to the end of the game at most.

    counted: before so many of them, from the first, the number of legal actions counts, where a level has a horizon
    settings: of the search, for its `draws` and objective
    state, chance, rng, totals: as in `engine.game.random_playout`
    """
    if settings.draws <= 1:
        random_playout(state, chance, rng, length, totals)
        return
    of_actions = settings.objective in (MAXM, MINM)
    sign = -1 if settings.objective in (MINS, MINM) else 1
    for step in range(length):
        count = legal_count(state)
        if count == 0:
            return
        if step < counted:
            totals[1] += count
        action = random_action(state, rng)
        best = sign * prospect(state, action, of_actions)
        for _ in range(settings.draws - 1):
            other = random_action(state, rng)
            value = sign * prospect(state, other, of_actions)
            if value > best:
                best = value
                action = other
        totals[0] += apply_action(state, action, chance)
