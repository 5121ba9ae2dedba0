"""Tree search: time an iteration for policies and trees, and a playtest on two threads."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.game import get_game
from engine.level import draw_level
from engine.rng import draw_seed
from personas.agents.tree_search import SearchAgent
from personas.persona import Persona, SearchSettings
from personas.report import playtest
from playtest.bench.c_program import CProgram
from playtest.bench.figures import Figure, Size, Times, best_by_turns, cpu_seconds, report, wall_seconds

NAME = "search"
SIDE = 7
MOVES = 20
ITERATIONS = 250
GAMES = 40
THREAD_GAMES = 100

# 15 nodes each; the first reads the number of legal moves, so it needs the state of every child.
FORMULA = "add(mul(sqrt(div(wins, visits)), 3.2), sub(sqrt(div(parent_visits, visits)), mul(legal_moves, 0.05)))"
FORMULA_WITHOUT = FORMULA.replace("legal_moves", "visits")


def persona(kind: str, formula: str, **search: str) -> Persona:
    """A searcher for a score of 4,000 whose play-outs go to the end of the game, unless `search` says otherwise."""
    return Persona(
        kind=kind,
        name="bench",
        game="match3",
        game_version=get_game("match3").info.version,
        objective="maxs",
        search=replace(SearchSettings(iterations=ITERATIONS, playout="end"), **search),  # type: ignore[arg-type]
        formula=formula,
    )


CASES = {
    "closed tree, UCB1": ("mcts", "", {}),
    "closed tree, UCB1, literal play-outs": ("mcts", "", {"playout": "literal"}),
    "closed tree, 15-node formula": ("formula", FORMULA_WITHOUT, {}),
    "closed tree, 15-node formula with legal_moves": ("formula", FORMULA, {}),
    "open loop, UCB1": ("mcts", "", {"tree": "open"}),
    "open loop, 15-node formula with legal_moves": ("formula", FORMULA, {"tree": "open"}),
}
LIKE = {
    "closed tree, UCB1": "closed tree, UCB1 hard-coded, children made on first visit",
    "closed tree, 15-node formula with legal_moves": "closed tree, 15-node bytecode, per sibling block (8-wide)",
    "open loop, UCB1": "open loop, UCB1 hard-coded",
}
"""What the C program calls the same work."""


def iteration(name: str, games: int) -> Callable[[], Times]:
    """Measures the processor time of one iteration in whole games: 20 moves, 250 iterations each, 7 x 7."""
    kind, formula, search = CASES[name]
    agent = SearchAgent(persona(kind, formula, **search))
    seeds = [draw_seed(1, "bench", game) for game in range(games)]
    levels = [draw_level(rows=SIDE, cols=SIDE, moves=MOVES, seed=seed) for seed in seeds]
    # One move of one game compiles what is not compiled yet.
    agent.play_games(levels[:1], seeds[:1], moves=1)
    iterations = games * MOVES * ITERATIONS
    return lambda: {name: cpu_seconds(lambda: agent.play_games(levels, seeds)) / iterations}


def threads(games: int) -> Callable[[], Times]:
    """Measures a playtest of a level on the clock, on one thread and on two."""
    agent = SearchAgent(persona("mcts", ""))
    level = draw_level(seed=1)

    def run(count: int) -> None:
        playtest(level, [agent], games=games, seed=1, threads=count)

    return lambda: {"one": wall_seconds(lambda: run(1)), "two": wall_seconds(lambda: run(2))}


def program_iterations(program: CProgram) -> Callable[[], Times]:
    """Measures all searches of the C program."""

    def measure() -> Times:
        return {f"C, {what}": time for what, time in program.measure().items() if not what.endswith("rollout")}

    return measure


def measure(size: Size, program: CProgram | None) -> Iterator[Figure]:
    """All figures of search; with a C program those of the program and the ratios too."""
    report("search, iterations")
    measurements = [iteration(name, size.of(GAMES)) for name in CASES]
    if program is not None:
        measurements.append(program_iterations(program))
    best = best_by_turns(measurements, size)
    facts = {"clock": "processor", "board": "7 x 7 x 6", "iterations_a_move": ITERATIONS, "moves": MOVES}
    for name, seconds in best.items():
        yield Figure(NAME, name, "us/iteration", 1e6 * seconds, facts)
    for ours, theirs in LIKE.items():
        if f"C, {theirs}" in best:
            value = best[ours] / best[f"C, {theirs}"]
            yield Figure(NAME, f"time of {ours}, ours to C's", "ratio", value, {"of": f"C, {theirs}"})

    report("search, threads")
    games = size.of(THREAD_GAMES)
    best = best_by_turns([threads(games)], size)
    facts = {"clock": "wall", "games": games, "seconds_on_two": round(best["two"], 3)}
    yield Figure(NAME, "playtest, speed of two threads to that of one", "x", best["one"] / best["two"], facts)
