"""The figures of runs that `manage.py evolve --json` wrote to files, as the site draws them, for the documentation.

    python -m playtest.evolution.figure_file docs/experiments/runs/*.jsonl     # one .svg beside each .jsonl

The first line of a file is the run's configuration, then one a generation.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import django

WIDTH = 720


def lines_of(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The configuration and the generations of a file, the finalists left out; raises ValueError."""
    documents = [json.loads(line) for line in text.splitlines() if line.strip()]
    if not documents or "config" not in documents[0]:
        raise ValueError("The first line must be the configuration of the run.")
    return documents[0]["config"], [one for one in documents[1:] if "generation" in one]


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


def main(names: Sequence[str]) -> None:
    import vl_convert

    for name in names:
        path = Path(name)
        figure = figure_of(*lines_of(path.read_text(encoding="utf-8")))
        path.with_suffix(".svg").write_text(vl_convert.vegalite_to_svg(figure), encoding="utf-8")
        sys.stdout.write(f"{path.with_suffix('.svg')}\n")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playtest.settings")
    django.setup()
    main(sys.argv[1:])
