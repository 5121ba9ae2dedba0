"""Tune the parameters of a solver on random levels."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from engine.level import LevelError
from engine.solver import LEAST_SECONDS, MOST_NODES, MOST_SECONDS, SolverError
from engine.solving import get_solver
from engine.tuning import Iteration, TuneConfig, check_config, describe, tune, usual_bounds
from playtest.management.commands.solve import read_settings
from playtest.management.plain import (
    SEED_LIMIT,
    Error,
    PlainCommand,
    available_workers,
    named_path,
    plain_number,
    progress_bar,
    seconds,
    whole_number,
)


class Command(PlainCommand):
    help = "Look for better parameters of a solver by the cross-entropy method, on random levels."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("solver", metavar="SOLVER", help="a solver of manage.py solve --solver list")
        parser.add_argument("--method", choices=("cem",), default="cem", help="cross-entropy method (cem)")
        parser.add_argument(
            "--within", action="append", default=[], metavar="NAME=LOW:HIGH", help="tune this one; repeatable"
        )
        parser.add_argument("--preset", metavar="NAME", help="settings that all samples share")
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", dest="chosen", help="one of them; repeatable"
        )
        budget = parser.add_mutually_exclusive_group(required=True)
        budget.add_argument("--seconds", type=seconds(LEAST_SECONDS, MOST_SECONDS), metavar="S", help="a game")
        budget.add_argument("--nodes", type=whole_number(1, MOST_NODES), metavar="N", help="a game")
        parser.add_argument("--samples", type=whole_number(3, 10_000), default=100, metavar="N", help="(100)")
        parser.add_argument("--elite", type=whole_number(2, 9_999), default=10, metavar="N", help="(10)")
        parser.add_argument("--games", type=whole_number(1, 10_000), default=30, metavar="N", help="a sample (30)")
        parser.add_argument("--iterations", type=whole_number(1, 10_000), default=20, metavar="N", help="(20)")
        parser.add_argument("--rows", type=whole_number(2, 20), default=15, metavar="N", help="of the levels (15)")
        parser.add_argument("--cols", type=whole_number(2, 20), default=15, metavar="N", help="(15)")
        parser.add_argument("--colours", type=whole_number(2, 9), default=5, metavar="N", help="(5)")
        parser.add_argument("--seed", type=whole_number(0, SEED_LIMIT - 1), default=1, metavar="N", help="(1)")
        parser.add_argument("--workers", type=whole_number(1, 256), default=available_workers(), help="threads (all)")
        parser.add_argument(
            "--resume", type=named_path, metavar="DIR", help="keep every score here, and go on from those that are here"
        )
        parser.add_argument("--json", action="store_true", help="a JSON line an iteration instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        config = self.read_config(options)
        hint = f"--resume {options['resume']} goes on from here." if options["resume"] else ""
        last = None
        with self.quiet_end(hint), progress_bar(config.samples * config.iterations, "sample") as bar:
            try:
                for last in tune(config, folder=options["resume"], workers=options["workers"], report=bar.update):
                    bar.clear()
                    self.write_iteration(last, as_json=options["json"])
            except (SolverError, LevelError) as error:
                raise Error(str(error)) from None
            except OSError as error:
                if error.filename is None:
                    raise
                raise Error(f"{error.filename} cannot be used: {error.strerror}.") from None
            if last is not None:
                self.write_end(last, as_json=options["json"])

    def read_config(self, options: dict[str, Any]) -> TuneConfig:
        """The run that the options ask for; raises Error."""
        try:
            solver = get_solver(options["solver"])
            bounds = read_bounds(options["within"]) or usual_bounds(solver)
            chosen = {**solver.settle(options["preset"], read_settings(options["chosen"]))}
            for name in bounds:
                chosen.pop(name, None)
            names = ("samples", "elite", "games", "iterations", "seconds", "nodes", "rows", "cols", "colours", "seed")
            config = TuneConfig(solver.name, bounds, chosen, **{name: options[name] for name in names})
            check_config(config)
        except SolverError as error:
            raise Error(str(error)) from None
        return config

    def write_iteration(self, iteration: Iteration, *, as_json: bool) -> None:
        if as_json:
            self.write_json(describe(iteration))
            return
        fitted = ", ".join(
            f"{name} {mean:.4g} +- {iteration.next_deviation[name]:.2g}" for name, mean in iteration.next_mean.items()
        )
        self.stdout.write(
            f"{iteration.number:4}  elite {iteration.elite_score:.1f}, all {iteration.mean_score:.1f} points;  {fitted}"
        )
        self.stdout.flush()

    def write_end(self, iteration: Iteration, *, as_json: bool) -> None:
        """The settings at the end: the means of the last elite."""
        if as_json:
            self.write_json({"settings": iteration.settings})
        else:
            self.stdout.write(" ".join(f"--set {name}={value:.6g}" for name, value in iteration.settings.items()))


def read_bounds(texts: list[str]) -> dict[str, tuple[float, float]]:
    """The bounds of `--within NAME=LOW:HIGH`; raises Error."""
    bounds: dict[str, tuple[float, float]] = {}
    for name, value in read_settings(texts, "--within", "NAME=LOW:HIGH").items():
        low, _, high = value.partition(":")
        try:
            bounds[name] = (float(plain_number(low)), float(plain_number(high)))
        except (ValueError, ArgumentTypeError):
            raise Error(f"--within takes NAME=LOW:HIGH, not {name}={value}.") from None
    return bounds
