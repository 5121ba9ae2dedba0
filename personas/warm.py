"""Loading the agents' kernels before anybody waits for them."""

from time import perf_counter

from engine.game import games
from engine.level import draw_level
from personas.agent import agent_names, load_agent


def load_kernels() -> float:
    """Let every agent of every game's catalogue play one action on a common and on the largest size; seconds taken."""
    started = perf_counter()
    for name, game in games().items():
        info = game.info
        smallest, largest = info.sizes
        for size in {max(smallest, min(7, largest)), largest}:
            level = draw_level(
                name, rows=size, cols=size, colours=info.default_colours, seed=1, moves=info.default_moves
            )
            for agent in agent_names(name):
                load_agent(agent, game=name, iterations=1).play_games([level], [0], moves=1)
    return perf_counter() - started
