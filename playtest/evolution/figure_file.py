"""The figures of runs in files, as the site draws them, for the documentation.

    python -m playtest.evolution.figure_file docs/experiments/runs/*.jsonl     # one .svg beside each .jsonl
    python -m playtest.evolution.figure_file --run DIR said.jsonl     # what `evolve --resume DIR --json` printed

A file has a line a generation, as `manage.py evolve --json` prints them. That command does not print the run's
configuration: it is in the folder of `--resume`, or somebody put it before the lines as {"config": {...}}.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import django

WIDTH = 720


def lines_of(text: str, run: Path | None = None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The configuration and the generations of a file, the finalists left out; raises ValueError.

    The configuration is that in the folder `run`, if one is given.
    """
    documents = [json.loads(line) for line in text.splitlines() if line.strip()]
    generations = [one for one in documents if "generation" in one]
    if run is not None:
        return _config_of(run), generations
    if not documents or "config" not in documents[0]:
        raise ValueError(
            "The first line must be the configuration of the run. If evolve --json wrote the file, name the folder of "
            "its --resume by --run DIR."
        )
    return documents[0]["config"], generations


def _config_of(run: Path) -> dict[str, Any]:
    """The configuration in the folder of a run of the command line; raises ValueError."""
    path = run / "run.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    config = document.get("config") if isinstance(document, dict) else None
    if not isinstance(config, dict):
        raise ValueError(f"{path} is no run.")
    return config


def figure_of(config: Mapping[str, Any], generations: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The specification of the figure, of a fixed width; ValueError if there is no generation."""
    from playtest.evolution.charts import run_figure
    from playtest.evolution.models import EvolutionRun, Generation, Objective, Preset
    from playtest.evolution.selectors.figures import outcome_of
    from playtest.evolution.selectors.runs import GenerationLine

    objective = Objective[str(config["persona"]).upper()]
    run = EvolutionRun(
        objective=objective,
        preset=Preset[str(config["preset"]).upper()],
        game=config["game"],
        config=dict(config),
        generations=config["generations"],
    )
    rows = []
    for one in generations:
        ends = [outcome_of(objective, one["min"]), outcome_of(objective, one["max"])]
        known = sorted(end for end in ends if end is not None)
        rows.append(
            GenerationLine(
                row=Generation(number=one["generation"]),
                least=known[0] if known else None,
                median=outcome_of(objective, one["median"]),
                most=known[-1] if known else None,
                vanilla=outcome_of(objective, one["vanilla"]),
                random=outcome_of(objective, one["random"]),
                goal=outcome_of(objective, one["goal"]),
                is_complete=True,
                is_final=False,
                stopped=one.get("partial", 0),
            )
        )
    found = run_figure(run, rows)
    if found is None:
        raise ValueError("No generation is complete.")
    return {**found, "width": WIDTH, "background": "white"}


def main(words: Sequence[str]) -> None:
    import vl_convert

    parser = argparse.ArgumentParser(prog="python -m playtest.evolution.figure_file", description=__doc__)
    parser.add_argument("--run", type=Path, metavar="DIR", help="the folder of --resume of the run in the file")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    options = parser.parse_args(words)
    for path in options.files:
        try:
            figure = figure_of(*lines_of(path.read_text(encoding="utf-8"), options.run))
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: {error}")
        path.with_suffix(".svg").write_text(vl_convert.vegalite_to_svg(figure), encoding="utf-8")
        sys.stdout.write(f"{path.with_suffix('.svg')}\n")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")
    django.setup()
    main(sys.argv[1:])
