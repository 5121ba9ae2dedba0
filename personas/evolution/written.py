"""Selections that people wrote, as formulas: what the first population of the preset standard holds beside chance.

A run of that preset can so only gain on them. UCB1 gives an unvisited child infinity; a formula ranks infinities below
everything, so here an unvisited child is worth `FIRST`, many times what is rewarded with 1. With a scale so small that
rewards reach 50, not every child is visited first.

A formula that also chooses the move after the search must not choose what was looked at least. There the constant of
what makes it look at others is multiplied by `searching`, which is 0 by then, so that the best mean is left. An
unvisited child would stand above it, so such a search needs more simulations than there are legal moves.
"""

FIRST = "mul(100.0, sub(0.5, visits))"
_ROOM = "sqrt(div(log(parent_visits), visits))"
_CURVED = "div(sqrt(parent_visits), add(1.0, visits))"

CONSTANTS = (0.3, 0.1, 1.0, 2.0)
# What a formula that chooses the move adds to the mean, and the exploration that goes with it: found in trials on
# Match-3, see docs/experiments/match3-personas.md. Other games count otherwise.
JUDGED_GAME = "match3"
JUDGED = {
    "maxs": ("mul(0.02, legal_moves)", 0.5),
    "mins": ("mul(-2.3, gain)", 1.0),
    "maxm": ("mul(0.2, deviation)", 0.14),
    "minm": ("mul(0.2, deviation)", 0.14),
}
# How many visits the mean of the node counts for, and the exploration that goes with it.
SHRINKING = ((3.0, 0.3), (1.0, 0.3), (6.0, 0.3), (6.0, 0.7))


def _drawn_mean(visits: float) -> str:
    return f"div(add(wins, mul({visits}, parent_mean)), add({visits}, visits))"


def _drawn_room(visits: float) -> str:
    return f"sqrt(div(log(add(parent_visits, 1.0)), add({visits}, visits)))"


def written_formulas(persona: str, *, chooses: bool = False, game: str = JUDGED_GAME) -> list[str]:
    """The formulas for a persona (maxs, mins, maxm, minm), those first that play best alone.

    `legal_moves` counts for a persona that wants many of them, and against one that wants few. chooses: whether the
    formula chooses the move, too.
    """

    def looking(constant: float) -> str:
        return f"mul({constant}, searching)" if chooses else f"{constant}"

    more = "sub" if persona in ("mins", "minm") else "add"
    ucb1 = [f"add(max(mean, {FIRST}), mul({looking(c)}, {_ROOM}))" for c in CONSTANTS]
    tuned = [f"add(max(mean, {FIRST}), mul({looking(c)}, mul(deviation, {_ROOM})))" for c in CONSTANTS]
    # The mean drawn towards that of the node: a child is known before its first visit, and none is forced.
    shrunk = [f"add({_drawn_mean(k)}, mul({looking(c)}, {_drawn_room(k)}))" for k, c in SHRINKING]
    # Like PUCT with equal priors: no child is forced, yet none waits for ever.
    curved = [f"add(mean, mul({looking(c)}, {_CURVED}))" for c in CONSTANTS]
    room = [
        f"{more}(add(mean, mul({looking(c)}, {_CURVED})), mul({d}, sqrt(legal_moves)))"
        for c, d in ((1.0, 0.1), (0.3, 0.5))
    ]
    greedy = [
        f"add(max(mean, {FIRST}), mul(1.0, gain))",
        f"add(max(best, {FIRST}), mul({looking(1.0)}, {_ROOM}))",
        f"{more}(mul(0.1, mean), sqrt(legal_moves))",
    ]
    by_turns = [one for four in zip(ucb1, shrunk, curved, tuned, strict=True) for one in four]
    judged: list[str] = []
    if chooses and game == JUDGED_GAME:
        term, c = JUDGED[persona]
        judged = [
            f"add(add({term}, max(mean, {FIRST})), mul({looking(c)}, {_ROOM}))",
            f"add(add({term}, {_drawn_mean(3.0)}), mul({looking(c)}, {_drawn_room(3.0)}))",
        ]
    return [*judged, *by_turns, *room, *greedy]
