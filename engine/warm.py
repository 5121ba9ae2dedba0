"""Loading kernels before anybody waits for them."""

from time import perf_counter

from engine.game import games


def load_kernels() -> float:
    """Call every kernel that a `Round` of any game needs once; seconds that it took."""
    started = perf_counter()
    for game in games().values():
        game.load_kernels()
    return perf_counter() - started
