"""The figure of a run: min, median and max outcome of each generation, against vanilla and random play."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import altair as alt

from playtest.evolution.models import EvolutionRun, Objective
from playtest.evolution.selectors.figures import NAMES, outcome_digits, outcome_name, reference_name
from playtest.evolution.selectors.runs import GenerationLine
from playtest.theme import colour, role_colour, themed

HEIGHT = 320
LABEL_GAP = 17
"""Pixels between two labels at the ends of lines."""
HEADROOM = 0.08
DASHES = {"vanilla": [7, 4], "random": [2, 3], "floor": [1, 0]}
LEAST_MATCH = 60
"""Points of the smallest match: so many at least for every move."""
RUN_CAPTION = (
    "The population's minimum, median and maximum in each generation. Plain search by UCB1 and random play are means "
    "over the generations so far, on the same boards."
)


def run_figure(run: EvolutionRun, generations: Sequence[GenerationLine]) -> dict[str, Any] | None:
    """The specification, or None as long as no generation is complete.

    Vanilla and random are drawn as the means over all generations so far, as the paper does; the table has them for
    each generation.
    """
    shown = (line for line in generations if line.is_complete and not line.is_final)
    lines = sorted(shown, key=lambda line: line.row.number)
    population = [point for line in lines if (point := _point(line)) is not None]
    if not population:
        return None
    levels = _levels(run, lines)
    values = [row[name] for row in population for name in ("least", "median", "most")]
    low, high = min([*values, *levels.values()]), max([*values, *levels.values()])
    room = (high - low) * HEADROOM or 1.0
    domain = [low - room, high + room]
    objective = Objective(run.objective)
    form = ",.0f" if outcome_digits(objective) == 0 else ".2f"
    across = alt.X(
        "generation:Q",
        scale=alt.Scale(domain=[1, max(2, run.generations)], nice=False),
        axis=alt.Axis(
            title="Generation",
            format="d",
            tickMinStep=1,
            grid=False,
            values=generation_ticks(run.generations),
            labelFlush=True,
        ),
    )
    axis = alt.Axis(title=outcome_title(objective), format=form, tickCount=6, domain=False, ticks=False)

    def up(name: str) -> alt.Y:
        return alt.Y(f"{name}:Q", scale=alt.Scale(domain=domain, zero=False, nice=False), axis=axis)

    role = objective.label
    base = alt.Chart(alt.NamedData("generations")).encode(x=across)
    hint = [
        alt.Tooltip("generation:Q", title="Generation"),
        alt.Tooltip("most:Q", title="Max", format=form),
        alt.Tooltip("median:Q", title="Median", format=form),
        alt.Tooltip("least:Q", title="Min", format=form),
    ]
    layers: list[alt.Chart] = [
        base.mark_area(opacity=0.16, color=role_colour(role)).encode(y=up("least"), y2="most:Q"),
        base.mark_line(strokeWidth=1.25, color=role_colour(role)).encode(y=up("least")),
        base.mark_line(strokeWidth=1.25, color=role_colour(role)).encode(y=up("most")),
        base.mark_line(strokeWidth=2.75, color=role_colour(role)).encode(y=up("median")),
        base.mark_point(filled=True, size=_point_size(run), color=role_colour(role), opacity=1).encode(
            y=up("median"), tooltip=hint
        ),
        base.mark_rule(strokeWidth=14, opacity=0).encode(y=up("least"), y2="most:Q", tooltip=hint),
    ]
    rules = alt.Chart(alt.NamedData("levels"))
    for name in levels:
        # A layer without a line would be a drawing without a name to those who hear it.
        shade = colour("line-strong") if name == "floor" else role_colour(name)
        layers.append(
            rules.transform_filter(f"datum.name == '{name}'")
            .mark_rule(strokeDash=DASHES[name], strokeWidth=1 if name == "floor" else 1.75, color=shade)
            .encode(y=up("value"), tooltip=[alt.Tooltip("label:N", title="Line"), alt.Tooltip("value:Q", format=form)])
        )
    layers.append(
        alt.Chart(alt.NamedData("labels"))
        .mark_text(align="left", dx=10, baseline="middle")
        .encode(y=up("place"), x=alt.value(alt.ExprRef("width")), text="label:N")
    )
    chart = alt.LayerChart(layer=layers).properties(
        width="container",
        height=HEIGHT,
        description=_description(run, population, levels, form),
        datasets={
            "generations": population,
            "levels": [
                {"name": name, "label": _level_name(run, name), "value": value} for name, value in levels.items()
            ],
            "labels": _labels(run, population[-1], levels, domain),
        },
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )
    return themed(chart)


def _point(line: GenerationLine) -> dict[str, float] | None:
    if line.least is None or line.median is None or line.most is None:
        return None
    return {"generation": line.row.number, "least": line.least, "median": line.median, "most": line.most}


_LEVELS = {"random": "Random", "floor": "Least possible"}


def _level_name(run: EvolutionRun, name: str) -> str:
    return reference_name(run) if name == "vanilla" else _LEVELS[name]


def _levels(run: EvolutionRun, lines: Sequence[GenerationLine]) -> dict[str, float]:
    """The horizontal lines: means of the reference agents, and what no player can fall below where less is wanted."""
    levels: dict[str, float] = {}
    for name in ("vanilla", "random"):
        values = [value for line in lines if (value := getattr(line, name)) is not None]
        if values:
            levels[name] = fmean(values)
    if run.game == "match3" and run.objective == Objective.MINS:
        levels["floor"] = float(LEAST_MATCH * run.config["moves"])
    if run.game == "match3" and run.objective == Objective.MINM:
        levels["floor"] = 1.0
    return levels


def _labels(
    run: EvolutionRun, last: Mapping[str, float], levels: Mapping[str, float], domain: Sequence[float]
) -> list[dict[str, Any]]:
    """Names at the right edge, each near its line, none over another."""
    wanted = [(last["most"], "Max"), (last["median"], "Median"), (last["least"], "Min")]
    wanted += [(value, _level_name(run, name)) for name, value in levels.items()]
    return spread_labels(wanted, domain)


def spread_labels(wanted: Sequence[tuple[float, str]], domain: Sequence[float]) -> list[dict[str, Any]]:
    """Labels with the places of their lines, moved so far that none lies over another: rows of `label` and `place`."""
    ordered = sorted(wanted)
    gap = LABEL_GAP * (domain[1] - domain[0]) / HEIGHT
    places = [value for value, _ in ordered]
    for index in range(1, len(places)):
        places[index] = max(places[index], places[index - 1] + gap)
    # What was pushed over the top comes down again, and pushes what is below it.
    places[-1] = min(places[-1], domain[1])
    for index in range(len(places) - 2, -1, -1):
        places[index] = min(places[index], places[index + 1] - gap)
    return [{"label": label, "place": place} for place, (_, label) in zip(places, ordered, strict=True)]


def generation_ticks(generations: int) -> list[int]:
    """The first generation, the last one, and round numbers between them."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if generations / step <= 8)
    near = step * 0.6
    between = [number for number in range(step, generations, step) if min(number - 1, generations - number) >= near]
    return [1, *between, generations] if generations > 1 else [1]


def _point_size(run: EvolutionRun) -> int:
    return 36 if run.generations <= 40 else 9


def outcome_title(objective: Objective) -> str:
    """What stands at the axis."""
    return "Points in a game" if outcome_name(objective) == "Points" else "Legal moves before a move"


def _description(
    run: EvolutionRun, population: Sequence[Mapping[str, float]], levels: Mapping[str, float], form: str
) -> str:
    last = population[-1]
    text = (
        f"{NAMES[Objective(run.objective)]} by generation, up to generation {last['generation']:.0f} of "
        f"{run.generations}: min {format(last['least'], form)}, median {format(last['median'], form)}, "
        f"max {format(last['most'], form)}."
    )
    return text + "".join(f" {_level_name(run, name)}: {format(value, form)}." for name, value in levels.items())
