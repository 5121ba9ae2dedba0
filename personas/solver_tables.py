"""The tables of papers 000 to 002 on SameGame, redone by this program's solvers, and the comparison of them all.

    python -m personas.solver_tables run table-2 --out docs/experiments/data/samegame    # goes on where it was
    python -m personas.solver_tables show table-2 --out docs/experiments/data/samegame   # as Markdown
    python -m personas.solver_tables positions reach --out docs/experiments/data/samegame    # beside published scores
    python -m personas.solver_tables together record --out docs/experiments/data/samegame    # the best of the columns

A table has columns: a solver with settings and a budget. A unit is a column on a board: one line of the column's file,
with the score, the actions and what the search counted. Units that stand there already are not searched again, so a run
may be stopped at any time. Random boards are drawn from `SEED` alone, the same for everybody.

Sources: Schadd et al. 2008 and 2012, Edelkamp et al. 2010. Where a budget is smaller than theirs, its label says it.
"""

import argparse
import csv
import json
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.level import Level, draw_level, shipped_levels
from engine.rng import draw_seed
from engine.solver import Budget, Value
from engine.solving import SolveRun, get_solver
from personas.report import mean_interval

SEED = 2026
STANDARD = "standard"
PUBLISHED = "published.csv"
"""What has been published for each of the twenty positions: method, year, source, position, score."""


@dataclass(frozen=True)
class Column:
    """Who searches how long.

    boards: how many random ones, or `STANDARD` for the twenty of the papers
    again: the seed of its searches; columns that differ in nothing else search the same boards once more
    """

    label: str
    solver: str
    budget: Budget
    boards: int | str
    preset: str | None = None
    settings: Mapping[str, Value] = field(default_factory=dict)
    again: int = 0

    @property
    def file(self) -> str:
        """The name of its file: its label in small letters and hyphens."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.label.lower()).split()) + ".jsonl"


def _nodes(label: str, nodes: int, boards: int, preset: str, **settings: Value) -> Column:
    return Column(f"{label}, {nodes:,} nodes", "sp-mcts", Budget(nodes=nodes), boards, preset, settings)


def _trees(label: str, simulations: int, boards: int, preset: str, trees: int = 1, points: int = 1) -> Column:
    """So many trees that share the simulations, which may be what the papers count as nodes.

    points: of so many points is the unit that C and D of the preset count in
    """
    known = get_solver("sp-mcts").presets[preset]
    settings: dict[str, Value] = {
        "C": float(known["C"]) * points,
        "D": float(known["D"]) * points**2,
        "restarts": trees,
        "simulations_each": simulations // trees,
    }
    return Column(label, "sp-mcts", Budget(nodes=simulations), boards, preset, settings)


def _seconds(
    label: str, seconds: float, boards: int | str, solver: str = "sp-mcts", preset: str | None = None, **settings: Value
) -> Column:
    return Column(f"{label}, {seconds:g} s", solver, Budget(seconds=seconds), boards, preset, settings)


STYLES = ("exploit", "balanced", "explore")
# Everybody in the comparison, as they play best of what was tried on random boards.
EVERYBODY: tuple[tuple[str, str | None], ...] = (
    ("sp-mcts", "exploit-2012"),
    ("sp-mcts", "cem-move"),
    ("mc-rws", None),
    ("nested", None),
    ("dbs", None),
    ("idastar", None),
    ("hgsts", None),
    ("nrpa", None),
    ("beam", None),
    ("anneal", None),
)

BEST_FOUR: tuple[tuple[str, str | None], ...] = (
    ("sp-mcts", "cem-move"),
    ("nested", None),
    ("nrpa", None),
    ("anneal", None),
)


def _who(solver: str, preset: str | None) -> str:
    return f"{solver} ({preset})" if preset else solver


# What `manage.py tune` came to, rounded: C, D, T, W and epsilon; by the command in docs/experiments/samegame.md.
TUNED: Mapping[str, tuple[str, Mapping[str, Value]]] = {
    "tuned per move": ("move", {"C": 3.31, "D": 64.4, "T": 7, "W": 0.0447, "epsilon": 0.014}),
    "tuned per move, wider bounds": ("move", {"C": 25.6, "D": 2_680_000.0, "T": 11, "W": 0.565, "epsilon": 0.0114}),
    "tuned per game": ("game", {"C": 1.21, "D": 16.4, "T": 15, "W": 0.0653, "epsilon": 0.00735}),
}

TABLES: dict[str, tuple[Column, ...]] = {
    "table-1": tuple(
        _nodes(playout, 100_000, 250, "balanced", playout=playout)
        for playout in ("random", "tabu-random", "tabu-color")
    ),
    "table-2": (
        *(
            _trees(f"{style}, one tree of {simulations:,} simulations", simulations, boards, style)
            for simulations, boards in ((100_000, 250), (1_000_000, 50))
            for style in STYLES
        ),
        *(_nodes(style, 100_000, 250, style) for style in STYLES),
        *(_nodes(style, 1_000_000, 50, style) for style in STYLES),
    ),
    "units": tuple(
        _trees(f"{style}, in units of {points}", 100_000, 50, style, points=points)
        for points in (1, 10, 20, 50, 100)
        for style in STYLES
    ),
    "figure-2": tuple(
        _trees(f"{preset}, in units of {points}, trees: {trees}", 500_000, 50, preset, trees, points)
        for preset, points in (("exploit", 1), ("exploit-2012", 1), ("exploit", 50))
        for trees in (1, 2, 5, 10, 20, 50, 100, 200, 500)
    ),
    "table-3": tuple(
        _seconds(f"per {per}", seconds, 50, preset="exploit-2012", per=per)
        for per in ("game", "move")
        for seconds in (1, 5)
    ),
    "table-4": tuple(
        _seconds(f"final {final}", seconds, 50, preset="exploit-2012", per="move", final=final)
        for final in ("average", "visits", "top")
        for seconds in (1, 5)
    ),
    "table-5": (
        *(
            Column(f"{label}, 1 s", "sp-mcts", Budget(seconds=1), 50, "exploit-2012", {"per": per, **settings})
            for label, (per, settings) in TUNED.items()
        ),
        *(_seconds(f"exploit-2012 per {per}", 1, 50, preset="exploit-2012", per=per) for per in ("move", "game")),
    ),
    "table-6": tuple(
        _seconds(f"cem-{per}", seconds, 50, preset=f"cem-{per}") for per in ("game", "move") for seconds in (1, 5)
    ),
    "table-7": tuple(
        _seconds(_who(solver, preset), seconds, STANDARD, solver, preset)
        for seconds, who in ((1, EVERYBODY), (10, EVERYBODY), (60, BEST_FOUR))
        for solver, preset in who
    ),
    "reach": (
        _seconds("anneal", 30, STANDARD, "anneal"),
        _seconds("anneal", 120, STANDARD, "anneal"),
    ),
    "record": tuple(
        replace(_seconds(f"anneal, search {number}", 60, STANDARD, "anneal"), again=number) for number in range(1, 21)
    ),
}
"""The columns of each table; of Table 5 those that try what `manage.py tune` came to."""


def boards(column: Column) -> Iterator[tuple[str, Level]]:
    """The boards of a column, each with its name."""
    if column.boards == STANDARD:
        for name, level in shipped_levels("samegame").items():
            if name.removeprefix("samegame-").isdigit():
                yield name, level
        return
    for number in range(int(column.boards)):
        seed = draw_seed(SEED, "random positions of the tables", number)
        yield f"random-{number:03d}", draw_level("samegame", rows=15, cols=15, colours=5, seed=seed)


def units(path: Path) -> dict[str, dict[str, Any]]:
    """What stands in a column's file, by board; a last line that was cut off does not count."""
    if not path.exists():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            unit = json.loads(line)
        except ValueError:
            continue
        found[unit["board"]] = unit
    return found


def search(column: Column, name: str, level: Level) -> dict[str, Any]:
    """One unit."""
    solver = get_solver(column.solver)
    settings = solver.settle(column.preset, column.settings)
    seed = draw_seed(SEED, "search", level.seed, *([column.again] if column.again else []))
    run = SolveRun(level, solver, settings, column.budget, seed=seed)
    return {"board": name, **run.run().to_json()}


def complete(column: Column, folder: Path, threads: int) -> Iterator[str]:
    """Search every unit that is missing, and append each to the column's file as it ends; yields its board."""
    path = folder / column.file
    folder.mkdir(parents=True, exist_ok=True)
    known = units(path)
    missing = [(name, level) for name, level in boards(column) if name not in known]
    with ThreadPoolExecutor(threads) as pool, path.open("a", encoding="utf-8") as file:
        for unit in pool.map(lambda one: search(column, *one), missing):
            file.write(json.dumps(unit) + "\n")
            file.flush()
            yield unit["board"]


def table(columns: Sequence[Column], folder: Path) -> str:
    """What is there of a table, as Markdown: a line a column. Depths are means over boards, the deepest ones too."""
    lines = [
        "| Search | Boards | Total | Mean, 95 % interval | Standard deviation | Cleared | Average depth | Deepest |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for column in columns:
        found = list(units(folder / column.file).values())
        if not found:
            continue
        scores = [unit["score"] for unit in found]
        low, high = mean_interval(scores)
        cells = (
            column.label,
            str(len(found)),
            f"{sum(scores):,}",
            f"{statistics.fmean(scores):,.0f} ({low:,.0f} to {high:,.0f})",
            f"{statistics.stdev(scores):,.0f}" if len(scores) > 1 else "–",
            str(sum(unit["cleared"] for unit in found)),
            f"{statistics.fmean(unit['average_depth'] for unit in found):.1f}",
            f"{statistics.fmean(unit['deepest'] for unit in found):.0f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def positions(columns: Sequence[Column], folder: Path, published: Path) -> str:
    """The twenty positions, a line each, as Markdown: published scores by method, then those of the columns."""
    scores: dict[str, dict[int, int]] = {}
    with published.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            scores.setdefault(row["method"], {})[int(row["position"])] = int(row["score"])
    for column in columns:
        if column.boards == STANDARD and (found := units(folder / column.file)):
            scores[column.label] = {int(board.rsplit("-", 1)[1]): unit["score"] for board, unit in found.items()}
    numbers = sorted({number for one in scores.values() for number in one})
    lines = [f"| Position | {' | '.join(scores)} |", "| --- |" + " ---: |" * len(scores)]
    for number in numbers:
        cells = (f"{one[number]:,}" if number in one else "–" for one in scores.values())
        lines.append(f"| {number} | {' | '.join(cells)} |")
    lines.append(f"| all | {' | '.join(f'{sum(one.values()):,}' for one in scores.values())} |")
    return "\n".join(lines) + "\n"


def together(columns: Sequence[Column], folder: Path) -> str:
    """What the columns come to together, as Markdown: the best of each board after the first, the first two and so on.

    A column that lacks a board that the first one has ends it.
    """
    lines = ["| Searches | Seconds a position | Total | Cleared |", "| ---: | ---: | ---: | ---: |"]
    best: dict[str, tuple[int, bool]] = {}
    seconds = 0.0
    for number, column in enumerate(columns, start=1):
        found = {board: (unit["score"], unit["cleared"]) for board, unit in units(folder / column.file).items()}
        if not found or not best.keys() <= found.keys():
            break
        best = {board: max(one, best.get(board, one)) for board, one in found.items()}
        seconds += column.budget.seconds or 0.0
        total, cleared = sum(score for score, _ in best.values()), sum(cleared for _, cleared in best.values())
        lines.append(f"| {number} | {seconds:g} | {total:,} | {cleared} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m personas.solver_tables", description=__doc__)
    parser.add_argument("what", choices=("run", "show", "positions", "together"))
    parser.add_argument("table", choices=tuple(TABLES))
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder a table is made in it")
    parser.add_argument("--only", default="", metavar="TEXT", help="only columns with this in their label")
    parser.add_argument("--threads", type=int, default=1, help="units searched at once (1)")
    options = parser.parse_args(arguments)
    columns = [column for column in TABLES[options.table] if options.only in column.label]
    folder = options.out / options.table
    if options.what == "run":
        for column in columns:
            for board in complete(column, folder, options.threads):
                sys.stderr.write(f"{column.label}: {board}\n")
    if options.what == "positions":
        sys.stdout.write(positions(columns, folder, options.out / PUBLISHED))
    elif options.what == "together":
        sys.stdout.write(together(columns, folder))
    else:
        sys.stdout.write(table(columns, folder))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
