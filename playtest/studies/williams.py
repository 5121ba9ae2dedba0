"""Balanced orders: every round equally often at every place, and equally often right after every other.

Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Australian
Journal of Scientific Research A 2 (1949). An even number of rounds takes as many orders, an odd number twice as many.
"""

from functools import cache


@cache
def williams_orders(count: int) -> tuple[tuple[int, ...], ...]:
    """The rows of the square for `count` rounds: indices from 0, each row an order to play them in.

    Raises ValueError for no round.
    """
    if count < 1:
        raise ValueError("There is nothing to put in order.")
    # From the ends to the middle by turns: 0, 1, n-1, 2, n-2, ... so that all steps from one to the next differ.
    first = [0, *(place // 2 + 1 if place % 2 == 0 else count - place // 2 - 1 for place in range(count - 1))]
    rows = [tuple((start + step) % count for start in first) for step in range(count)]
    if count % 2 and count > 1:
        rows += [row[::-1] for row in rows]
    return tuple(rows)
