"""The figure of scores that most pages show: a row for each group, on one axis. Theme and colours: `theme.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from playtest.theme import colour, drawn_once, role_colour, with_numbers

ROW = 46
"""Height of a row in pixels: room for a box and the interval under it."""
TALL = 1.6
"""Height of a row with points, in rows: the points lie above its box, as rain under a cloud."""
BOX, SLIM_BOX = 0.17, 0.09
"""Half the height of a box, in rows: of one alone, and of one under points."""
CLOUD = -0.34
"""Where the points of a row lie, in rows from the middle of the row."""
UNDER = 0.17
"""From the lower edge of a box to the interval of the mean, in rows."""
DODGE = 0.32
HOLLOW = "bots"
LEAST_FOR_BOX = 5
"""Fewer values than this have no quartiles worth drawing: their points, median and mean say more."""
DOT = 42
"""Area of a point in square pixels."""


@dataclass(frozen=True)
class Figures:
    """The figures of a distribution, named as the command `playtest` names them. None: there are too few values."""

    n: int
    mean: float
    q05: float
    q25: float
    median: float
    q75: float
    q95: float
    least: float
    most: float
    ci_lo: float | None = None
    ci_hi: float | None = None
    sd: float | None = None


@dataclass(frozen=True)
class Point:
    """One value that is drawn by itself, and whose it is."""

    label: str
    value: float


@dataclass(frozen=True)
class Group:
    """One row of a figure: who, how the values lie, and the single values if each is to be seen."""

    role: str
    """The last part of the colour's name: maxs, people, bots, ..."""
    label: str
    figures: Figures | None
    points: Sequence[Point] = field(default_factory=tuple)
    n_text: str = ""
    """What to write for n where the number of values does not say it all; may have two lines."""


@dataclass(frozen=True)
class _Row:
    """What the specification of a figure of scores knows of a row; all else is in its data."""

    role: str
    label: str
    place: float
    height: float


def distribution_figure(groups: Sequence[Group], *, axis: str, description: str) -> dict[str, Any]:
    """One row for each group on a common axis: points, box, median, 5 to 95 %, mean with its 95 % interval, and n.

    Every group must have figures. Raises ValueError without groups: an empty figure is a sentence, not a chart.
    """
    drawn = [group for group in groups if group.figures is not None]
    if not drawn:
        raise ValueError("A figure needs at least one group with figures.")
    places = _places(drawn)
    rows = tuple(
        _Row(group.role, group.label, place, _height(group)) for place, group in zip(places, drawn, strict=True)
    )
    groups_shown = [_row(*row) for row in zip(places, drawn, strict=True)]
    points = _points(places, drawn)
    specification = _distribution(
        rows,
        axis,
        has_boxes=any(row["box"] for row in groups_shown),
        has_centres=any(row["centre"] for row in groups_shown),
        has_intervals=any(row["ci_lo"] is not None for row in groups_shown),
        points=tuple(points),
    )
    return with_numbers(specification, description=description, datasets={"groups": groups_shown, **points})


@drawn_once
def _distribution(
    rows: Sequence[_Row],
    axis: str,
    *,
    has_boxes: bool,
    has_centres: bool,
    has_intervals: bool,
    points: Sequence[str],
) -> alt.LayerChart:
    """The layers of a figure of scores. A layer without rows would have no extent, and Vega complains of it."""
    places = [row.place for row in rows]
    labels = "[" + ",".join(_label_lines(row.label) for row in rows) + f"][indexof({places},datum.value)]"
    down = alt.Scale(domain=[places[-1] + rows[-1].height / 2, 0], nice=False, zero=False)
    names = alt.Axis(
        title=None,
        values=places,
        labelExpr=labels,
        labelLimit=130,
        grid=False,
        ticks=False,
        domain=False,
        labelFontWeight=600,
        labelLineHeight=15,
    )
    scores = alt.Axis(
        title=axis,
        format=",~f",
        tickCount=alt.ExprRef("clamp(width / 90, 2, 8)"),
        domain=False,
        ticks=False,
        labelFlush=False,
        labelOverlap="greedy",
        labelSeparation=6,
    )

    def across(name: str) -> alt.X:
        return alt.X(f"{name}:Q", axis=scores, scale=alt.Scale(zero=False, nice=True, padding=6))

    roles = list(dict.fromkeys(row.role for row in rows))
    scale = alt.Scale(domain=roles, range=[role_colour(role) for role in roles])
    stroke = alt.Stroke("role:N", scale=scale, legend=None)
    fill = alt.Fill("role:N", scale=scale, legend=None)
    hint = [
        alt.Tooltip("label:N", title="Who"),
        alt.Tooltip("n:Q", title="n", format=","),
        alt.Tooltip("median:Q", title="Median", format=",.1f"),
        alt.Tooltip("middle:N", title="Middle half"),
        alt.Tooltip("most_of:N", title="5 to 95 %"),
        alt.Tooltip("mean:Q", title="Mean", format=",.1f"),
        alt.Tooltip("interval:N", title="95 % interval"),
    ]
    base = alt.Chart(alt.NamedData("groups"))
    boxes = base.transform_filter("datum.box")
    centres = base.transform_filter("datum.centre")
    intervals = base.transform_filter("datum.ci_lo != null")
    layers: list[alt.Chart] = []
    if has_boxes:
        layers += [
            boxes.mark_rule(strokeWidth=1.5).encode(y="y:Q", x=across("q05"), x2="q95:Q", stroke=stroke),
            boxes.mark_rule(strokeWidth=1.5).encode(
                y=alt.Y("low_cap:Q"), y2="high_cap:Q", x=across("q05"), stroke=stroke
            ),
            boxes.mark_rule(strokeWidth=1.5).encode(
                y=alt.Y("low_cap:Q"), y2="high_cap:Q", x=across("q95"), stroke=stroke
            ),
            boxes.mark_rect(fill=colour("surface")).encode(y="top:Q", y2="bottom:Q", x=across("q25"), x2="q75:Q"),
            boxes.mark_rect(fillOpacity=0.22, strokeWidth=1.5, cornerRadius=1).encode(
                y="top:Q", y2="bottom:Q", x=across("q25"), x2="q75:Q", stroke=stroke, fill=fill, tooltip=hint
            ),
        ]
    if has_centres:
        layers.append(
            centres.mark_rule(strokeWidth=3.5).encode(
                y="top:Q", y2="bottom:Q", x=across("median"), stroke=stroke, tooltip=hint
            )
        )
    if has_intervals:
        layers.append(
            intervals.mark_rule(strokeWidth=2, stroke=colour("ink")).encode(
                y="under:Q", x=across("ci_lo"), x2="ci_hi:Q", tooltip=hint
            )
        )
    if has_centres:
        layers.append(
            centres.mark_point(filled=True, size=36, color=colour("ink"), opacity=1).encode(
                y="under:Q", x=across("mean"), tooltip=hint
            )
        )
    layers.append(
        base.mark_text(align="left", dx=10, lineBreak="\n").encode(
            y=alt.Y("place:Q", scale=down, axis=names), x=alt.value(alt.ExprRef("width")), text="n_text:N"
        )
    )
    layers += [_dots(name, axis, across("value"), fill, stroke) for name in points]
    return alt.LayerChart(layer=layers).properties(
        width="container",
        height=round(ROW * sum(row.height for row in rows)),
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )


def _points(places: Sequence[float], groups: Sequence[Group]) -> dict[str, list[dict[str, Any]]]:
    """The points of all groups, those of bots apart: they are drawn hollow. Without points there is no layer."""
    points: dict[str, list[dict[str, Any]]] = {}
    for place, group in zip(places, groups, strict=True):
        offsets = dodged([point.value for point in group.points], _spread(groups))
        points.setdefault("hollow_points" if group.role == HOLLOW else "points", []).extend(
            {"y": place + CLOUD + offset, "value": point.value, "label": point.label, "role": group.role}
            for point, offset in zip(group.points, offsets, strict=True)
        )
    return {name: values for name, values in points.items() if values}


def _dots(name: str, axis: str, x: alt.X, fill: alt.Fill, stroke: alt.Stroke) -> alt.Chart:
    """The layer of a set of points."""
    dots = alt.Chart(alt.NamedData(name)).encode(
        y="y:Q",
        x=x,
        tooltip=[alt.Tooltip("label:N", title="Who"), alt.Tooltip("value:Q", title=axis, format=",.1f")],
    )
    layer: alt.Chart
    if name == "points":
        layer = dots.mark_point(filled=True, size=DOT, opacity=0.55, strokeWidth=0).encode(fill=fill)
    else:
        hollow = dots.mark_point(filled=False, size=DOT, opacity=0.8, strokeWidth=1.25, shape="square")
        layer = hollow.encode(stroke=stroke)
    return layer


def dodged(values: Sequence[float], width: float) -> list[float]:
    """How far to move each of equal or near values off the line, -DODGE to DODGE, so that every point is seen.

    `width` is that of a point on the values' axis. Points that find no free place go back to the line.
    """
    step = 0.1
    tries = [0.0] + [sign * step * k for k in range(1, round(DODGE / step) + 1) for sign in (-1, 1)]
    placed: list[tuple[float, float]] = []
    offsets = [0.0] * len(values)
    for index in sorted(range(len(values)), key=lambda i: values[i]):
        value = values[index]
        near = {offset for other, offset in placed if abs(other - value) < width}
        offsets[index] = next((offset for offset in tries if offset not in near), 0.0)
        placed.append((value, offsets[index]))
    return offsets


def _spread(groups: Sequence[Group]) -> float:
    """The width of a point on the axis of a figure of these groups, for a figure about 600 pixels wide."""
    ends = [end for group in groups if group.figures for end in (group.figures.least, group.figures.most)]
    return max(1e-9, (max(ends) - min(ends)) * 7 / 600)


def _quoted(text: str) -> str:
    """Text as a literal of Vega's expression language."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ").replace("\r", " ")
    return f"'{escaped}'"


def _label_lines(label: str) -> str:
    """A label for Vega's expression language: what stands in brackets at its end gets a line of its own."""
    name, bracket, rest = label.partition(" (")
    return f"[{_quoted(name)},{_quoted('(' + rest)}]" if bracket else _quoted(name)


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _height(group: Group) -> float:
    return TALL if group.points else 1.0


def _places(groups: Sequence[Group]) -> list[float]:
    """The middle of each group's row, in rows from the top."""
    places, top = [], 0.0
    for group in groups:
        places.append(round(top + _height(group) / 2, 3))
        top += _height(group)
    return places


def _row(place: float, group: Group) -> Mapping[str, Any]:
    """What the marks of one row read."""
    figures = group.figures
    assert figures is not None
    half = SLIM_BOX if group.points else BOX
    middle = place + (0.28 if group.points else -0.06)
    has_interval = figures.ci_lo is not None and figures.ci_hi is not None
    return {
        "place": place,
        "y": middle,
        "top": middle - half,
        "bottom": middle + half,
        "low_cap": middle - half / 2,
        "high_cap": middle + half / 2,
        "under": middle + half + UNDER,
        "role": group.role,
        "label": group.label,
        "n": figures.n,
        "n_text": group.n_text or f"n = {figures.n:,}",
        "box": figures.n >= LEAST_FOR_BOX,
        "centre": figures.n > 1 or not group.points,
        "mean": figures.mean,
        "ci_lo": figures.ci_lo,
        "ci_hi": figures.ci_hi,
        "q05": figures.q05,
        "q25": figures.q25,
        "median": figures.median,
        "q75": figures.q75,
        "q95": figures.q95,
        "middle": f"{_number(figures.q25)} to {_number(figures.q75)}",
        "most_of": f"{_number(figures.q05)} to {_number(figures.q95)}",
        "interval": (
            f"{_number(figures.ci_lo)} to {_number(figures.ci_hi)}"
            if has_interval and figures.ci_lo is not None and figures.ci_hi is not None
            else "needs two values"
        ),
    }
