"""Look for the best play of a level."""

from argparse import ArgumentParser
from typing import Any

from engine.game import games
from engine.level import Level, draw_level
from engine.solver import LEAST_SECONDS, MOST_NODES, MOST_SECONDS, Budget, Parameter, Solver, SolverError
from engine.solving import Progress, Solution, SolveRun, get_solver, solver_names
from playtest.management.plain import (
    SEED_LIMIT,
    Error,
    PlainCommand,
    progress_bar,
    read_level,
    seconds,
    whole_number,
)

LIST = "list"


class Command(PlainCommand):
    help = "Search for a play of a level with as many points as possible, with one of the solvers of the papers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("level", nargs="?", metavar="LEVEL.json", help="level file")
        parser.add_argument("--solver", required=True, metavar="NAME", help=f'a solver; "{LIST}" names them')
        budget = parser.add_mutually_exclusive_group()
        budget.add_argument("--seconds", type=seconds(LEAST_SECONDS, MOST_SECONDS), metavar="S", help="time to search")
        budget.add_argument(
            "--nodes", type=whole_number(1, MOST_NODES), metavar="N", help="stored nodes, or positions without a tree"
        )
        parser.add_argument("--seed", type=whole_number(0, SEED_LIMIT - 1), default=1, metavar="N", help="(1)")
        parser.add_argument("--workers", type=whole_number(1, 256), default=1, metavar="N", help="threads (1)")
        parser.add_argument("--preset", metavar="NAME", help="named settings of the solver")
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", dest="chosen", help="one setting; repeatable"
        )
        parser.add_argument("--json", action="store_true", help="JSON instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["solver"] == LIST:
            with self.quiet_end():
                self.write_list(as_json=options["json"])
            return
        run = self.prepare(options)
        with self.quiet_end():
            solution = self.solve(run)
            if options["json"]:
                self.write_json(solution.to_json())
            else:
                self.write_solution(solution)

    def prepare(self, options: dict[str, Any]) -> SolveRun:
        """The run that the options ask for; raises Error."""
        if options["level"] is None:
            raise Error("Name a level file.")
        if options["seconds"] is None and options["nodes"] is None:
            raise Error("Say how long to search: --seconds S or --nodes N.")
        try:
            solver = get_solver(options["solver"])
            settings = solver.settle(options["preset"], read_settings(options["chosen"]))
            return SolveRun(
                read_level(options["level"]),
                solver,
                settings,
                Budget(options["seconds"], options["nodes"]),
                seed=options["seed"],
                workers=options["workers"],
            )
        except SolverError as error:
            raise Error(str(error)) from None

    def solve(self, run: SolveRun) -> Solution:
        with progress_bar(100, "%") as bar:
            bar.set_description("Making ready")

            def report(progress: Progress) -> None:
                bar.set_description(refresh=False)
                bar.n = int(100 * progress.spent)
                if progress.score is not None:
                    bar.set_postfix_str(f"{progress.score:,} points, {progress.nodes:,} nodes", refresh=False)
                bar.refresh()

            return run.run(report)

    def write_solution(self, solution: Solution) -> None:
        state = "cleared" if solution.cleared else "not cleared"
        self.stdout.write(f"{solution.score} points, {state}, in {len(solution.actions)} actions by {solution.solver}")
        self.stdout.write("  " + " ".join(f"{row},{col}" for row, col in solution.actions))
        said = f"{solution.seconds:.2f} s, {solution.nodes:,} nodes, {solution.playouts:,} play-outs"
        self.stdout.write(
            f"  {said}, {solution.restarts:,} restarts, depth {solution.average_depth:.1f} on average, "
            f"{solution.deepest} at most"
        )
        if solution.exhausted:
            self.stdout.write("  Everything was searched: this solver finds nothing better.")
        if solution.interrupted:
            self.stdout.write("  Stopped before the end: the best so far.")

    def write_list(self, *, as_json: bool) -> None:
        for name in solver_names():
            solver = get_solver(name)
            if as_json:
                self.write_json(describe(solver))
                continue
            self.stdout.write(f"{name}: {solver.title} ({solver.source})")
            if solver.presets:
                self.stdout.write(f"  presets: {', '.join(solver.presets)}")
            for one in solver.parameters:
                span = ", ".join(one.choices) if one.choices else f"{one.low:g} to {one.high:g}"
                span = "a text" if one.is_text else span
                self.stdout.write(f"  {one.name} = {one.default}: {one.meaning} ({span})")


def describe(solver: Solver) -> dict[str, Any]:
    """A solver as the JSON of `--solver list`."""
    return {
        "solver": solver.name,
        "title": solver.title,
        "source": solver.source,
        "games": [name for name in games() if solver.refusal(small_level(name)) is None],
        "presets": {name: dict(settings) for name, settings in solver.presets.items()},
        "parameters": {
            one.name: {
                "default": one.default,
                "meaning": one.meaning,
                **bounds_of(one),
            }
            for one in solver.parameters
        },
    }


def bounds_of(parameter: Parameter) -> dict[str, Any]:
    """What values a parameter takes."""
    if parameter.is_text:
        return {}
    return {"choices": list(parameter.choices)} if parameter.choices else {"low": parameter.low, "high": parameter.high}


def small_level(game: str) -> Level:
    """Some level of a game, to ask whether it can be solved."""
    info = games()[game].info
    side = max(info.sizes[0], 6)
    return draw_level(game, rows=side, cols=side, colours=info.default_colours, seed=1, moves=info.default_moves)


def read_settings(texts: list[str], option: str = "--set", shape: str = "NAME=VALUE") -> dict[str, str]:
    """The settings of an option that takes one and may be repeated; raises Error."""
    settings: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise Error(f"{option} takes {shape}, not {text!r}.")
        if name in settings:
            raise Error(f"{option} names {name!r} twice.")
        settings[name] = value
    return settings
