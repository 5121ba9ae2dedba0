"""Tuning a solver's parameters by the cross-entropy method (CEM), on random levels, restartable.

Source: Schadd et al. 2012, section 5: a Gaussian for each parameter, its mean in the middle of the bounds, its
deviation half their difference; each iteration draws samples, lets each play the same new random levels, and fits the
Gaussians to the elite. Ours: the bounds (those of `Parameter.tuned` unless said otherwise), samples are clipped to them
and rounded for whole numbers, and the search ends after its iterations or once every deviation is below 0.5 % of its
range.

Every sample is a function of the seed, the number of the iteration, its own and the scores of the iterations before. So
a run that was interrupted goes on from the scores that it has, which `scores.jsonl` keeps, a line a sample.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.level import draw_level
from engine.rng import draw_seed
from engine.solver import Budget, Parameter, Solver, SolverError, Value
from engine.solving import SolveRun, get_solver

NARROW = 0.005
"""A deviation below this part of its range has settled."""


@dataclass(frozen=True)
class TuneConfig:
    """What is tuned and how. `bounds`: of each parameter; `fixed`: settings of all samples; a budget is one game's."""

    solver: str
    bounds: Mapping[str, tuple[float, float]]
    fixed: Mapping[str, Value]
    game: str = "samegame"
    rows: int = 15
    cols: int = 15
    colours: int = 5
    samples: int = 100
    elite: int = 10
    games: int = 30
    iterations: int = 20
    seconds: float | None = None
    nodes: int | None = None
    seed: int = 1


@dataclass(frozen=True)
class Iteration:
    """What an iteration came to: the Gaussians that it drew from, its best sample, and the elite's mean score."""

    number: int
    mean: dict[str, float]
    deviation: dict[str, float]
    best: dict[str, Value]
    best_score: float
    elite_score: float
    mean_score: float
    next_mean: dict[str, float]
    next_deviation: dict[str, float]
    settings: dict[str, Value]
    """The means after it, rounded where a whole number is wanted: what the run has come to."""


def check_config(config: TuneConfig) -> Solver:
    """The solver of a run; raises SolverError for what does not fit together."""
    solver = get_solver(config.solver)
    parameters = {parameter.name: parameter for parameter in solver.parameters}
    if not config.bounds:
        raise SolverError(f"{solver.name} has no parameter with bounds to tune within; name one.")
    solver.settle(None, config.fixed)
    for name, (low, high) in config.bounds.items():
        if name not in parameters or isinstance(parameters[name].default, str):
            numbers = [one for one in parameters if not isinstance(parameters[one].default, str)]
            raise SolverError(f"{name!r} is no number of {solver.name}; its numbers are: {', '.join(numbers)}.")
        if not parameters[name].low <= low < high <= parameters[name].high:
            span = f"{parameters[name].low:g} to {parameters[name].high:g}"
            raise SolverError(f"{name} is tuned within bounds from low to high in {span}, not {low:g} to {high:g}.")
    if not 2 <= config.elite < config.samples:
        fewer = f"The elite must be two at least, and fewer than the samples, not {config.elite} of {config.samples}."
        raise SolverError(fewer)
    Budget(config.seconds, config.nodes)
    return solver


def usual_bounds(solver: Solver) -> dict[str, tuple[float, float]]:
    """The bounds within which a solver's parameters are tuned unless others are named."""
    return {one.name: one.tuned for one in solver.parameters if one.tuned is not None}


class ScoreFile:
    """The scores of samples in a folder, by iteration and number; without a folder in memory only."""

    def __init__(self, folder: Path | None, config: TuneConfig) -> None:
        self.scores: dict[tuple[int, int], float] = {}
        self.path = None if folder is None else folder / "scores.jsonl"
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        written = json.loads(json.dumps(asdict(config)))
        described = folder / "run.json"
        if described.exists():
            if {**_read_run(described), "iterations": 0} != {**written, "iterations": 0}:
                raise SolverError(f"{folder} holds another run; go on with its settings or name another folder.")
        else:
            whole = folder / f"run-{os.getpid()}.part"
            whole.write_text(json.dumps(written, indent=2) + "\n")
            whole.replace(described)
        if self.path is not None and self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    # Half written by a process that was killed.
                    continue
                self.scores[row["iteration"], row["sample"]] = row["score"]

    def keep(self, iteration: int, sample: int, settings: Mapping[str, Value], score: float) -> None:
        self.scores[iteration, sample] = score
        if self.path is not None:
            row = {"iteration": iteration, "sample": sample, "score": score, "settings": dict(settings)}
            with self.path.open("a") as file:
                file.write("\n" * self._ends_in_half_a_line() + json.dumps(row) + "\n")

    def _ends_in_half_a_line(self) -> bool:
        content = self.path.read_bytes() if self.path is not None and self.path.exists() else b""
        return bool(content) and not content.endswith(b"\n")


def _read_run(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except ValueError:
        raise SolverError(f"{path} tells no run; remove it, or name another folder.") from None
    return found


def tune(
    config: TuneConfig,
    *,
    folder: Path | None = None,
    workers: int = 1,
    report: Callable[[int], None] | None = None,
) -> Iterator[Iteration]:
    """Iterations one by one as they end. `folder` keeps their scores, `report` is told how many samples are newly done.

    Raises SolverError for what does not fit together.
    """
    solver = check_config(config)
    parameters = [one for one in solver.parameters if one.name in config.bounds]
    low, high = (np.array([config.bounds[one.name][side] for one in parameters]) for side in (0, 1))
    mean, deviation = (low + high) / 2, (high - low) / 2
    scores = ScoreFile(folder, config)
    for number in range(config.iterations):
        drawn = _draw(config, number, mean, deviation, low, high, parameters)
        found = _evaluate(config, solver, number, drawn, parameters, scores, workers, report)
        # Of equal scores the sample with the lower number stands first.
        order = np.argsort(-found, kind="stable")
        elite = drawn[order[: config.elite]]
        next_mean, next_deviation = elite.mean(axis=0), elite.std(axis=0)
        names = [one.name for one in parameters]
        yield Iteration(
            number=number,
            mean=_named(names, mean),
            deviation=_named(names, deviation),
            best=_settings(parameters, drawn[order[0]]),
            best_score=float(found[order[0]]),
            elite_score=float(found[order[: config.elite]].mean()),
            mean_score=float(found.mean()),
            next_mean=_named(names, next_mean),
            next_deviation=_named(names, next_deviation),
            settings=_settings(parameters, next_mean),
        )
        mean, deviation = next_mean, next_deviation
        if (deviation < NARROW * (high - low)).all():
            return


def _draw(
    config: TuneConfig,
    number: int,
    mean: NDArray[np.float64],
    deviation: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    parameters: list[Parameter],
) -> NDArray[np.float64]:
    """The samples of an iteration, a row each."""
    generator = np.random.default_rng(draw_seed(config.seed, "tune samples", number))
    drawn = generator.normal(mean, deviation, (config.samples, len(parameters)))
    drawn = np.clip(drawn, low, high)
    whole = [isinstance(one.default, int) for one in parameters]
    drawn[:, whole] = np.rint(drawn[:, whole])
    return drawn


def _settings(parameters: list[Parameter], values: NDArray[np.float64]) -> dict[str, Value]:
    pairs = zip(parameters, values.tolist(), strict=True)
    return {one.name: round(value) if isinstance(one.default, int) else value for one, value in pairs}


def _named(names: list[str], values: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _evaluate(
    config: TuneConfig,
    solver: Solver,
    number: int,
    drawn: NDArray[np.float64],
    parameters: list[Parameter],
    scores: ScoreFile,
    workers: int,
    report: Callable[[int], None] | None,
) -> NDArray[np.float64]:
    """The mean score of every sample on the levels of the iteration; those that are known are not played again."""
    levels = [
        draw_level(
            config.game,
            rows=config.rows,
            cols=config.cols,
            colours=config.colours,
            seed=draw_seed(config.seed, "tune level", number, game),
        )
        for game in range(config.games)
    ]
    stopped = Event()
    budget = Budget(config.seconds, config.nodes)

    def play(sample: int) -> float:
        settings = solver.settle(None, {**config.fixed, **_settings(parameters, drawn[sample])})
        total = 0
        for game, level in enumerate(levels):
            if stopped.is_set():
                raise InterruptedError
            seed = draw_seed(config.seed, "tune game", number, game)
            total += SolveRun(level, solver, settings, budget, seed=seed).run(stop=stopped.is_set).score
        if stopped.is_set():
            raise InterruptedError
        return total / len(levels)

    missing = [sample for sample in range(config.samples) if (number, sample) not in scores.scores]
    if report is not None:
        report(config.samples - len(missing))
    with ThreadPoolExecutor(workers) as pool:
        waiting: dict[Future[float], int] = {pool.submit(play, sample): sample for sample in missing}
        try:
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    sample = waiting.pop(future)
                    scores.keep(number, sample, _settings(parameters, drawn[sample]), future.result())
                    if report is not None:
                        report(1)
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return np.array([scores.scores[number, sample] for sample in range(config.samples)])


def describe(iteration: Iteration) -> dict[str, Any]:
    """An iteration as a JSON line."""
    return asdict(iteration)
