"""Let agents play levels and compare what they score."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from engine.level import Level
from personas.agent import Agent, AgentError, agent_names, load_agent
from personas.files import write_atomically
from personas.persona import MAX_ITERATIONS
from personas.report import Report, playtest
from playtest.management.plain import (
    SEED_LIMIT,
    Error,
    PlainCommand,
    available_workers,
    make_folder,
    named_path,
    progress_bar,
    read_level,
    whole_number,
)

DEFAULT_AGENTS = ("random", "greedy", "vanilla", "maxs", "mins", "maxm", "minm")


class Command(PlainCommand):
    help = "Let agents play levels, the same games for each, and compare scores and numbers of legal moves."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("levels", nargs="+", metavar="LEVEL.json", help="level files")
        parser.add_argument(
            "--agents",
            metavar="NAMES",
            help=f"names or persona files ({','.join(DEFAULT_AGENTS)}, as far as the game has them)",
        )
        parser.add_argument("--games", type=whole_number(1, 1_000_000), default=100, metavar="N", help="a level (100)")
        parser.add_argument("--seed", type=whole_number(0, SEED_LIMIT - 1), default=1, metavar="S", help="(1)")
        parser.add_argument(
            "--iterations", type=whole_number(1, MAX_ITERATIONS), metavar="N", help="of each search; else the persona's"
        )
        parser.add_argument(
            "--clairvoyant", action="store_true", help="searches see what will fall, for replication only"
        )
        parser.add_argument("--traces", type=named_path, metavar="DIR", help="write every game, a JSON line each")
        parser.add_argument(
            "--workers", type=whole_number(1, 256), default=available_workers(), metavar="N", help="threads (all)"
        )
        parser.add_argument(
            "--against", metavar="BASE.json", help="say what each agent gets more than on this level, seed by seed"
        )
        parser.add_argument("--json", action="store_true", help="one JSON line a level instead of tables")

    def handle(self, *args: Any, **options: Any) -> None:
        levels = [(path, read_level(path)) for path in options["levels"]]
        base = read_level(options["against"]) if options["against"] is not None else None
        for path, level in levels:
            if base is not None and level.game != base.game:
                raise Error(f"{path} and {options['against']} are of two games: there is nothing to compare.")
        agents = {
            level.game: read_agents(options["agents"], level, options["iterations"], options["clairvoyant"])
            for _, level in levels
        }
        if options["traces"] is not None:
            make_folder(options["traces"])
        names = trace_names(options["levels"])
        with self.quiet_end():
            held_against = self.play(base, agents[base.game], options) if base is not None else None
            for name, (path, level) in zip(names, levels, strict=True):
                report = self.play(level, agents[level.game], options)
                if options["traces"] is not None:
                    write_traces(options["traces"] / f"{name}.jsonl", report)
                answer = report.to_json()
                answer["level"] = level.name or Path(path).stem
                if held_against is not None:
                    answer["against"] = {
                        "level": held_against.level.name or Path(options["against"]).stem,
                        "agents": report.differences(held_against),
                    }
                if options["json"]:
                    self.write_json(answer)
                else:
                    self.write_table(answer, report)

    def play(self, level: Level, agents: dict[str, Agent], options: dict[str, Any]) -> Report:
        with progress_bar(len(agents) * options["games"], "game") as bar:
            return playtest(
                level,
                agents,
                games=options["games"],
                seed=options["seed"],
                threads=options["workers"],
                progress=bar.update,
            )

    def write_table(self, answer: dict[str, Any], report: Report) -> None:
        self.stdout.write(f"{answer['level']}, {len(next(iter(report.results.values())).traces)} games")
        width = max(len(result.agent.title) for result in report.results.values())
        heads = f"{'score':>8}  {'95 % of the mean':>18}  {'median':>7}  {'legal moves':>11}  {'seconds':>7}"
        self.stdout.write(f"  {'':{width}}  {heads}")
        for name, figures in answer["agents"].items():
            score = figures["score"]
            low, high = score["ci95"]
            self.stdout.write(
                f"  {report.results[name].agent.title:{width}}  {score['mean']:8.0f}  "
                f"{f'{low:.0f} to {high:.0f}':>18}  {score['median']:7.0f}  "
                f"{figures['legal_moves']['mean']:11.2f}  {figures['seconds']:7.2f}"
            )
        if "against" in answer:
            self.stdout.write(f"  against {answer['against']['level']}, game by game with the same seed")
            for name, change in answer["against"]["agents"].items():
                low, high = change["score"]["ci95"]
                self.stdout.write(
                    f"  {report.results[name].agent.title:{width}}  {change['score']['mean']:+8.0f}  "
                    f"{f'{low:+.0f} to {high:+.0f}':>18}  {'':7}  {change['legal_moves']['mean']:+11.2f}"
                )


def read_agents(names: str | None, level: Level, iterations: int | None, clairvoyant: bool) -> dict[str, Agent]:
    """The agents by the names that the caller used for them, or the usual ones; raises Error."""
    if names is None:
        known = agent_names(level.game)
        wanted = [name for name in DEFAULT_AGENTS if name in known]
    else:
        wanted = [part.strip() for part in names.split(",")]
    agents: dict[str, Agent] = {}
    for name in wanted:
        if not name:
            raise Error("--agents has an empty name.")
        if name in agents:
            raise Error(f'--agents names "{name}" twice.')
        try:
            agents[name] = load_agent(
                name, game=level.game, iterations=iterations, clairvoyant=True if clairvoyant else None
            )
            agents[name].check_level(level)
        except AgentError as error:
            raise Error(str(error)) from None
    return agents


def trace_names(paths: Sequence[str]) -> list[str]:
    """A name for each level file, no two the same: its own without folders, with a number where others share it."""
    stems = [Path(path).stem for path in paths]
    taken = {stem for stem in stems if stems.count(stem) == 1}
    names = []
    for number, stem in enumerate(stems, start=1):
        name = stem
        if stems.count(stem) > 1:
            name = next(name for free in count(number) if (name := f"{stem}-{free}") not in taken)
            taken.add(name)
        names.append(name)
    return names


def write_traces(path: Path, report: Report) -> None:
    """One JSON line a game, the whole file in one step; raises Error."""
    lines = [
        json.dumps(trace.to_json(), ensure_ascii=False) for result in report.results.values() for trace in result.traces
    ]
    try:
        write_atomically(path, "".join(line + "\n" for line in lines))
    except OSError as error:
        raise Error(f"{path} cannot be written: {error.strerror or error}.") from None
