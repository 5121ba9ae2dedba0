"""Compare agents on drawn levels: who plays better, and is the difference more than luck?"""

from argparse import ArgumentParser
from typing import Any

from engine.game import games
from engine.level import Level, LevelError, draw_level
from personas.agent import Agent, AgentError, load_agent
from personas.comparison import Comparison, compare
from personas.evolution.config import usual_size
from personas.persona import MAX_ITERATIONS
from playtest.management.plain import SEED_LIMIT, Error, PlainCommand, available_workers, progress_bar, whole_number

MOST_LEVELS = 100_000
USUAL_FIRST = 2_000_000_000
"""The first level's seed unless one is named: far from those that people choose."""


class Command(PlainCommand):
    help = "Let agents play many drawn levels with common random numbers, and compare them level by level."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--agents", required=True, metavar="NAMES", help="names or persona files, two or more")
        parser.add_argument("--game", default="match3", choices=tuple(games()), help="(match3)")
        parser.add_argument("--levels", type=whole_number(2, MOST_LEVELS), default=200, metavar="N", help="(200)")
        parser.add_argument("--games", type=whole_number(1, 10_000), default=5, metavar="N", help="on each level (5)")
        parser.add_argument("--first", type=whole_number(0, SEED_LIMIT - 1), default=USUAL_FIRST, metavar="S")
        parser.add_argument("--seed", type=whole_number(0, SEED_LIMIT - 1), default=1, metavar="S", help="(1)")
        parser.add_argument("--iterations", type=whole_number(1, MAX_ITERATIONS), metavar="N", help="of each search")
        parser.add_argument("--workers", type=whole_number(1, 256), default=available_workers(), help="threads (all)")
        parser.add_argument("--json", action="store_true", help="one JSON line instead of tables")

    def handle(self, *args: Any, **options: Any) -> None:
        rows, cols, colours = usual_size(options["game"])
        try:
            levels = [
                draw_level(options["game"], rows=rows, cols=cols, colours=colours, seed=options["first"] + number)
                for number in range(options["levels"])
            ]
        except LevelError as error:
            raise Error(str(error)) from None
        agents = read_agents(options["agents"], levels[0], options["iterations"])
        with self.quiet_end(), progress_bar(len(agents) * len(levels) * options["games"], "game") as bar:
            found = compare(
                levels,
                agents,
                games=options["games"],
                seed=options["seed"],
                threads=options["workers"],
                progress=bar.update,
            )
            bar.clear()
            if options["json"]:
                self.write_json({"game": options["game"], **found.to_json()})
            else:
                self.write_tables(found)

    def write_tables(self, found: Comparison) -> None:
        self.stdout.write(f"{found.levels} levels, {found.games} games each; intervals of 95 %")
        names = list(found.outcomes)
        width = max(map(len, names))
        for name in names:
            self.stdout.write(
                f"  {name:{width}}  {_said(found.mean(name, 'score'), 0)} points  "
                f"{_said(found.mean(name, 'legal_moves'), 2)} legal moves"
            )
        for place, name in enumerate(names):
            for other in names[:place]:
                self.stdout.write(
                    f"  {name} - {other}:  {_said(found.difference(name, other, 'score'), 0)} points  "
                    f"{_said(found.difference(name, other, 'legal_moves'), 2)} legal moves"
                )


def read_agents(text: str, level: Level, iterations: int | None) -> dict[str, Agent]:
    """The agents by the names that the caller used, all of which can play levels like `level`; raises Error."""
    names = [part.strip() for part in text.split(",")]
    if len(names) < 2:
        raise Error("--agents needs two names or more, with commas between them.")
    agents: dict[str, Agent] = {}
    for name in names:
        if not name or name in agents:
            raise Error("--agents has an empty name." if not name else f'--agents names "{name}" twice.')
        try:
            agents[name] = load_agent(name, game=level.game, iterations=iterations)
            agents[name].check_level(level)
        except AgentError as error:
            raise Error(str(error)) from None
    return agents


def _said(figures: tuple[float, tuple[float, float]], digits: int) -> str:
    mean, (low, high) = figures
    return f"{mean:,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f})"
