"""Match-3: random moves a second, `Round.play`, two threads, the first game of a process."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from engine.bmi2 import has_fast_pdep
from engine.game import get_game
from engine.level import draw_level
from engine.rng import new_rng
from engine.round import Round
from personas.agent import load_agent
from playtest.bench.c_program import CProgram
from playtest.bench.figures import (
    BenchError,
    Figure,
    Size,
    Times,
    best_by_turns,
    cpu_seconds,
    machine,
    report,
    wall_seconds,
)
from playtest.bench.kernels import random_games

NAME = "match3"
MOVES = 20
BOARDS = 64
GAMES = 20_000
SIZES = (7, 8, 9, 12)
SMALL = (7, 8)
"""Sizes that are played in one of two ways, by what the processor has."""
PLAYED = 40
CHILD_SECONDS = 900


class RandomPlay:
    """Games of 20 random moves from 64 boards of a size, in one kernel; calling it plays them."""

    def __init__(self, side: int, games: int) -> None:
        game = get_game("match3")
        levels = [draw_level(rows=side, cols=side, moves=MOVES, seed=seed) for seed in range(BOARDS)]
        self.boards = np.array([game.new_state(level).words for level in levels])
        self.state = game.new_state(levels[0])
        self.rng = new_rng(1, "bench")
        self.chance = game.sampled(self.rng)
        self.totals = np.zeros(2, np.int64)
        self.games = games
        # The first call compiles the kernel or loads it.
        self.play(1)

    def play(self, games: int) -> None:
        random_games(self.boards, self.state, self.chance, self.rng, MOVES, games, self.totals)

    def __call__(self) -> None:
        self.play(self.games)


def random_moves(side: int, games: int, name: str) -> Callable[[], Times]:
    """Measures the processor time of one random move on a square board."""
    play = RandomPlay(side, games)
    return lambda: {name: cpu_seconds(play) / (games * MOVES)}


def portable_moves(games: int) -> Callable[[], Times]:
    """The same for small boards without pext and pdep: the way is chosen at import, so in another process."""
    environment = {**os.environ, "TESSERA_PORTABLE": "1"}
    command = [sys.executable, "-m", "playtest.bench.match3", str(games)]

    def measure() -> Times:
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=CHILD_SECONDS, check=True
            )
        except subprocess.SubprocessError as error:
            raise BenchError(f"The portable kernels cannot be measured: {error}.") from None
        return dict(json.loads(done.stdout))

    return measure


def round_play(side: int, games: int) -> Callable[[], Times]:
    """Measures the processor time of `Round.play`, with everything that the page is told about a move."""
    levels = [draw_level(rows=side, cols=side, moves=MOVES, seed=seed) for seed in range(games)]
    traces = load_agent("random").play_games(levels, list(range(games)))
    actions = [[get_game("match3").decode_action(trace.level, code) for code in trace.codes] for trace in traces]
    moves = sum(map(len, actions))

    def measure() -> Times:
        rounds = [Round(level) for level in levels]
        return {round_name(side): cpu_seconds(lambda: play_all(rounds, actions)) / moves}

    return measure


def play_all(rounds: list[Round], actions: list[list[Any]]) -> None:
    for played, chosen in zip(rounds, actions, strict=True):
        for action in chosen:
            played.play(action)


def two_threads(games: int) -> Callable[[], Times]:
    """Measures batches of random games on the clock: one thread with a batch, then two with a batch each."""
    batches = [RandomPlay(7, games) for _ in range(2)]

    def both() -> None:
        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(batch) for batch in batches]:
                done.result()

    return lambda: {"one thread": wall_seconds(batches[0]), "two threads": wall_seconds(both)}


FIRST_GAME = """
import json, sys, time
import engine, engine.level, engine.round
level = engine.level.shipped_levels(sys.argv[1])[sys.argv[2]]
began = time.perf_counter()
played = engine.round.Round(level)
while played.over is None:
    played.play(played.legal_actions()[0])
print(json.dumps({"first game": time.perf_counter() - began}))
"""


def first_game(game: str, level: str) -> Callable[[], Times]:
    """Measures, in new processes, from the end of the imports to the end of a game; kernels come from the cache."""

    def measure() -> Times:
        done = subprocess.run(
            [sys.executable, "-c", FIRST_GAME, game, level], capture_output=True, text=True, check=True
        )
        return dict(json.loads(done.stdout))

    # Whatever is not compiled yet is compiled now.
    measure()
    return measure


def round_name(side: int) -> str:
    return f"Round.play with its frames, {side} x {side}"


def random_name(side: int, way: str = "") -> str:
    return f"random play, {side} x {side}{f', {way}' if way else ''}"


def measure(size: Size, programs: dict[int, CProgram]) -> Iterator[Figure]:
    """All figures of Match-3; with C programs by size of board, those of the program and the ratios too."""
    report("Match-3, random play")
    games = size.of(GAMES)
    measurements = [random_moves(side, games, random_name(side, way_of(side))) for side in SIZES]
    if has_fast_pdep():
        measurements.append(portable_moves(games))
    measurements += [program_moves(side, program) for side, program in programs.items()]
    best = best_by_turns(measurements, size)
    for name, seconds in best.items():
        yield Figure(NAME, name, "moves/s", 1 / seconds, {"ns_a_move": round(1e9 * seconds, 1), "clock": "processor"})
    for side in programs:
        ours, theirs = best[random_name(side, way_of(side))], best[c_name(side)]
        facts = {"ours": random_name(side, way_of(side)), "of": c_name(side)}
        yield Figure(NAME, f"time a move on {side} x {side}, ours to C's", "ratio", ours / theirs, facts)

    report("Match-3, Round.play")
    best = best_by_turns([round_play(side, size.of(PLAYED)) for side in (7, 12)], size)
    for name, seconds in best.items():
        yield Figure(NAME, name, "us", 1e6 * seconds, {"clock": "processor"})

    report("Match-3, threads")
    best = best_by_turns([two_threads(10 * games)], size)
    scaling = 2 * best["one thread"] / best["two threads"]
    yield Figure(NAME, "random games, speed of two threads to that of one", "x", scaling, {"clock": "wall"})

    report("Match-3, first game")
    best = best_by_turns([first_game("match3", "board-1")], size)
    yield Figure(NAME, "first game after imports", "s", best["first game"], {"clock": "wall", "target": "below 1"})


def way_of(side: int) -> str:
    return str(machine()["path"]) if side in SMALL else ""


def c_name(side: int) -> str:
    return f"C, random play, {side} x {side}"


def program_moves(side: int, program: CProgram) -> Callable[[], Times]:
    """Measures the C program's random moves, one game at a time and, where it can, eight at once."""

    def measure() -> Times:
        times = program.measure()
        return {
            f"{c_name(side)}{', 8 games at once' if '8 games' in what else ''}": seconds
            for what, seconds in times.items()
            if what.endswith("rollout")
        }

    return measure


def main() -> None:
    """Measure small boards on the way that this process has: what `portable_moves` starts."""
    games = int(sys.argv[1])
    times: dict[str, float] = {}
    for side in SMALL:
        times |= random_moves(side, games, random_name(side, way_of(side)))()
    sys.stdout.write(json.dumps(times))


if __name__ == "__main__":
    main()
