"""Shapes of charts that several pages draw: intervals, lines over a game, predicted beside observed, bars of counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from playtest.theme import colour, drawn_once, role_colour, with_numbers

ROW = 40
HEIGHT = 280
FIT = alt.AutoSizeParams(type="fit-x", contains="padding")


@dataclass(frozen=True)
class Mark:
    """One value with its interval, and what to hold it against, if anything."""

    label: str
    role: str
    value: float
    lo: float | None
    hi: float | None
    against: float | None = None


@dataclass(frozen=True)
class Spot:
    """One place of a line, with its interval."""

    label: str
    role: str
    x: float
    y: float
    lo: float | None
    hi: float | None


def interval_figure(
    marks: Sequence[Mark], *, axis: str, description: str, form: str = ",.0f", zero: bool = False, against: str = ""
) -> dict[str, Any] | None:
    """A row for each mark: the value as a point, its interval as a line, what it is held against as a bar.

    `zero` draws the line of no difference. None without marks.
    """
    if not marks:
        return None
    specification = _intervals(
        tuple((mark.label, mark.role) for mark in marks),
        axis,
        form,
        zero=zero,
        against=against,
        has_spans=any(mark.lo is not None for mark in marks),
        has_bars=bool(against) and any(mark.against is not None for mark in marks),
    )
    datasets = {"marks": [vars(mark) for mark in marks], "zero": [{"x": 0}]}
    return with_numbers(specification, description=description, datasets=datasets)


@drawn_once
def _intervals(
    marks: Sequence[tuple[str, str]],
    axis: str,
    form: str,
    *,
    zero: bool,
    against: str,
    has_spans: bool,
    has_bars: bool,
) -> alt.LayerChart:
    """`marks` are labels and roles."""
    order = [label for label, _ in marks]
    roles = list(dict.fromkeys(role for _, role in marks))
    scale = alt.Color("role:N", scale=alt.Scale(domain=roles, range=[role_colour(role) for role in roles]), legend=None)
    across = alt.Axis(
        title=axis, format=form, tickCount=alt.ExprRef("clamp(width / 90, 2, 8)"), domain=False, ticks=False
    )
    base = alt.Chart(alt.NamedData("marks")).encode(
        y=alt.Y(
            "label:N", sort=order, axis=alt.Axis(title=None, grid=False, domain=False, ticks=False, labelLimit=130)
        ),
        tooltip=[
            alt.Tooltip("label:N", title="Who"),
            alt.Tooltip("value:Q", title=axis, format=form),
            alt.Tooltip("lo:Q", title="95 % from", format=form),
            alt.Tooltip("hi:Q", title="to", format=form),
            *([alt.Tooltip("against:Q", title=against, format=form)] if against else []),
        ],
    )

    def x(name: str) -> alt.X:
        return alt.X(f"{name}:Q", axis=across, scale=alt.Scale(zero=zero or bool(against), nice=True))

    layers: list[alt.Chart] = []
    if zero:
        line = alt.Chart(alt.NamedData("zero")).mark_rule(stroke=colour("line-strong"), strokeDash=[3, 3])
        layers.append(line.encode(x=x("x")))
    if has_spans:
        spans = base.transform_filter("datum.lo != null")
        layers.append(spans.mark_rule(strokeWidth=2).encode(x=x("lo"), x2="hi:Q", stroke=scale))
    if has_bars:
        bars = base.transform_filter("datum.against != null")
        layers.append(bars.mark_tick(thickness=2, size=18, color=colour("ink-soft")).encode(x=x("against")))
    layers.append(base.mark_point(filled=True, size=70, opacity=1).encode(x=x("value"), fill=scale, stroke=scale))
    return _sized(layers, height=ROW * len(marks))


def line_figure(
    spots: Sequence[Spot], *, across: str, up: str, description: str, form: str = ",.1f", zero: bool = False
) -> dict[str, Any] | None:
    """A line for each label, with its interval as a band. None without spots."""
    if not spots:
        return None
    lines = tuple({spot.label: spot.role for spot in spots}.items())
    has_bands = any(spot.lo is not None for spot in spots)
    specification = _lines(lines, across, up, form, zero=zero, has_bands=has_bands)
    return with_numbers(specification, description=description, datasets={"spots": [vars(spot) for spot in spots]})


@drawn_once
def _lines(
    lines: Sequence[tuple[str, str]], across: str, up: str, form: str, *, zero: bool, has_bands: bool
) -> alt.LayerChart:
    """`lines` are labels and roles."""
    roles = dict(lines)
    names = list(roles)
    shades = alt.Scale(domain=names, range=[role_colour(roles[name]) for name in names])
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", columns=4) if len(names) > 1 else None
    # One channel and one legend for all layers: Vega complains of two that differ.
    shade = alt.Color("label:N", scale=shades, legend=legend, sort=names)
    base = alt.Chart(alt.NamedData("spots")).encode(
        x=alt.X("x:Q", axis=alt.Axis(title=across, format="d", tickMinStep=1, grid=False), scale=alt.Scale(nice=False))
    )

    def y(name: str) -> alt.Y:
        return alt.Y(
            f"{name}:Q",
            axis=alt.Axis(title=up, format=",~f", tickCount=6, domain=False, ticks=False),
            scale=alt.Scale(zero=zero),
        )

    layers: list[alt.Chart] = []
    if has_bands:
        bands = base.transform_filter("datum.lo != null")
        layers.append(bands.mark_area(opacity=0.16).encode(y=y("lo"), y2="hi:Q", color=shade))
    hint = [
        alt.Tooltip("label:N", title="Who"),
        alt.Tooltip("x:Q", title=across),
        alt.Tooltip("y:Q", title=up, format=form),
        alt.Tooltip("lo:Q", title="95 % from", format=form),
        alt.Tooltip("hi:Q", title="to", format=form),
    ]
    layers.append(base.mark_line(strokeWidth=2).encode(y=y("y"), color=shade))
    layers.append(base.mark_point(filled=True, size=28, opacity=0.9).encode(y=y("y"), color=shade, tooltip=hint))
    return _sized(layers, height=HEIGHT)


def scatter_figure(rows: Sequence[dict[str, Any]], *, description: str) -> dict[str, Any] | None:
    """Predicted (across) beside observed (up) mean scores, a point a level and persona, with the line of equality.

    Rows have level, label, role, predicted, observed. None without rows.
    """
    if not rows:
        return None
    values = [row[name] for row in rows for name in ("predicted", "observed")]
    room = (max(values) - min(values)) * 0.05 or 1.0
    diagonal = [{"predicted": end, "observed": end} for end in (min(values) - room, max(values) + room)]
    specification = _scatter(tuple({row["label"]: row["role"] for row in rows}.items()))
    return with_numbers(specification, description=description, datasets={"points": rows, "line": diagonal})


@drawn_once
def _scatter(labels: Sequence[tuple[str, str]]) -> alt.LayerChart:
    """Labels with their roles. Both axes go as far as the line of equality."""
    roles = dict(labels)
    names = list(roles)
    shades = alt.Scale(domain=names, range=[role_colour(roles[name]) for name in names])
    scale = alt.Scale(nice=False, zero=False)
    axis: dict[str, Any] = {"format": ",~f", "tickCount": 6, "domain": False, "ticks": False}
    across = alt.X("predicted:Q", scale=scale, axis=alt.Axis(title="Predicted: mean score of the persona", **axis))
    up = alt.Y("observed:Q", scale=scale, axis=alt.Axis(title="Observed: mean score", **axis))
    line = alt.Chart(alt.NamedData("line")).mark_line(stroke=colour("line-strong"), strokeDash=[3, 3])
    points = alt.Chart(alt.NamedData("points")).mark_point(filled=True, size=80, opacity=0.9, strokeWidth=0)
    legend = alt.Legend(title=None, orient="top", columns=4, symbolType="circle")
    layers = [
        line.encode(x=across, y=up),
        points.encode(
            x=across,
            y=up,
            fill=alt.Fill("label:N", scale=shades, legend=legend, sort=names),
            tooltip=[
                alt.Tooltip("level:N", title="Level"),
                alt.Tooltip("label:N", title="Persona"),
                alt.Tooltip("predicted:Q", title="Predicted", format=",.0f"),
                alt.Tooltip("observed:Q", title="Observed", format=",.0f"),
            ],
        ),
    ]
    return _sized(layers, height=320)


def bars_figure(rows: Sequence[tuple[str, int]], *, axis: str, description: str) -> dict[str, Any] | None:
    """A bar for each step, with its number at its end. None if all are 0."""
    if not any(number for _, number in rows):
        return None
    specification = _bars(tuple(label for label, _ in rows), axis)
    steps = [{"label": label, "number": number} for label, number in rows]
    return with_numbers(specification, description=description, datasets={"steps": steps})


@drawn_once
def _bars(labels: Sequence[str], axis: str) -> alt.LayerChart:
    order = list(labels)
    base = alt.Chart(alt.NamedData("steps")).encode(
        y=alt.Y(
            "label:N", sort=order, axis=alt.Axis(title=None, grid=False, domain=False, ticks=False, labelLimit=150)
        ),
        x=alt.X("number:Q", axis=alt.Axis(title=axis, format=",d", tickMinStep=1, domain=False, ticks=False)),
        tooltip=[alt.Tooltip("label:N", title="Step"), alt.Tooltip("number:Q", title=axis, format=",")],
    )
    layers: list[alt.Chart] = [
        base.mark_bar(cornerRadiusEnd=2, fill=colour("accent"), opacity=0.75, height={"band": 0.6}),
        base.mark_text(align="left", dx=6).encode(text=alt.Text("number:Q", format=",")),
    ]
    return _sized(layers, height=30 * len(labels))


def _sized(layers: Sequence[alt.Chart], *, height: int) -> alt.LayerChart:
    """As wide as the page."""
    return alt.LayerChart(layer=list(layers)).properties(width="container", height=height, autosize=FIT)
