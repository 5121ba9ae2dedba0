"""The figure of several runs: the best and the median of each, generation by generation."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from playtest.evolution.charts import HEADROOM, HEIGHT, generation_ticks, outcome_title, spread_labels
from playtest.evolution.models import Objective
from playtest.evolution.selectors.comparison import ComparedRun, Comparison
from playtest.theme import role_colour, themed

DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3])
"""Runs of one objective share its colour; their lines differ by these."""
COMPARISON_CAPTION = (
    "Thick: the best of each generation, the most points or legal moves where more is wanted, the fewest where less "
    "is. Thin: the median. Each generation plays boards of its own, so a line moves even where the formulas stay."
)


def comparison_figure(comparison: Comparison) -> dict[str, Any] | None:
    """The specification, or None as long as no run has a complete generation."""
    points = [point for one in comparison.runs for point in _points(one)]
    if not points:
        return None
    values = [point[name] for point in points for name in ("most", "median")]
    room = (max(values) - min(values)) * HEADROOM or 1.0
    domain = [min(values) - room, max(values) + room]
    longest = max(2, *(int(point["generation"]) for point in points))
    form = f",.{comparison.digits}f"
    across = alt.X(
        "generation:Q",
        scale=alt.Scale(domain=[1, longest], nice=False),
        axis=alt.Axis(
            title="Generation", format="d", tickMinStep=1, grid=False, values=generation_ticks(longest), labelFlush=True
        ),
    )
    title = outcome_title(Objective(comparison.runs[0].run.objective))
    axis = alt.Axis(title=title, format=form, tickCount=6, domain=False, ticks=False)

    def up(name: str) -> alt.Y:
        return alt.Y(f"{name}:Q", scale=alt.Scale(domain=domain, zero=False, nice=False), axis=axis)

    layers: list[alt.Chart] = []
    for one, dash in zip(comparison.runs, _dashes(comparison.runs), strict=True):
        if not one.lines:
            continue
        shade = role_colour(one.role)
        base = alt.Chart(alt.NamedData("generations")).transform_filter(f"datum.run == {one.run.pk}").encode(x=across)
        hint = [
            alt.Tooltip("name:N", title="Run"),
            alt.Tooltip("generation:Q", title="Generation"),
            alt.Tooltip("most:Q", title="Best", format=form),
            alt.Tooltip("median:Q", title="Median", format=form),
        ]
        layers += [
            base.mark_line(strokeWidth=2.5, strokeDash=dash, color=shade).encode(y=up("most")),
            base.mark_line(strokeWidth=1, strokeDash=dash, opacity=0.7, color=shade).encode(y=up("median")),
            base.mark_point(filled=True, size=30, opacity=0, color=shade).encode(y=up("most"), tooltip=hint),
        ]
    layers.append(
        alt.Chart(alt.NamedData("labels"))
        .mark_text(align="left", dx=10, baseline="middle")
        .encode(y=up("place"), x=alt.value(alt.ExprRef("width")), text="label:N")
    )
    ends = [(own[-1]["most"], one.name) for one in comparison.runs if (own := _points(one))]
    chart = alt.LayerChart(layer=layers).properties(
        width="container",
        height=HEIGHT,
        description=_description(comparison, form),
        datasets={"generations": points, "labels": spread_labels(ends, domain)},
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )
    return themed(chart)


def _points(one: ComparedRun) -> list[dict[str, Any]]:
    """Best and median as outcomes."""
    return [
        {"run": one.run.pk, "name": one.name, "generation": line.row.number, "most": best, "median": line.median}
        for line in one.lines
        if (best := one.best(line)) is not None and line.median is not None
    ]


def _dashes(runs: Sequence[ComparedRun]) -> list[list[int]]:
    seen: dict[str, int] = {}
    dashes = []
    for one in runs:
        number = seen.get(one.role, 0)
        seen[one.role] = number + 1
        dashes.append(DASHES[number % len(DASHES)])
    return dashes


def _description(comparison: Comparison, form: str) -> str:
    parts = []
    for one in comparison.runs:
        points = _points(one)
        if points:
            last = points[-1]
            parts.append(
                f"{one.name}: best {format(last['most'], form)} in generation {last['generation']}, "
                f"median {format(last['median'], form)}."
            )
    return f"{comparison.outcome} by generation. " + " ".join(parts)
