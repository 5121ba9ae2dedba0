"""The theme of all figures. Their specifications name colours by what they stand for: `colour("persona-maxs")`.

Never by value: each is a parameter of the chart; its value is the light one of `static/css/tokens.css`, and
`static/js/chart.js` replaces it by the token's value in the reader's theme. So a chart is themed on the page and still
complete in a file.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, wraps
from typing import Any, ParamSpec, cast

import altair as alt
from altair.utils.schemapi import debug_mode

P = ParamSpec("P")

COLOURS = {
    "ink": "#1c2029",
    "ink-soft": "#5a5f6b",
    "line": "#dedad0",
    "line-strong": "#86826f",
    "surface": "#ffffff",
    "accent": "#1b6664",
    "persona-maxs": "#a67f00",
    "persona-mins": "#4f7d83",
    "persona-maxm": "#1a87a8",
    "persona-minm": "#9a14d8",
    "persona-vanilla": "#6b7080",
    "persona-random": "#8f939e",
    "persona-greedy": "#b0512f",
    "persona-people": "#1c2029",
    "persona-bots": "#5a5f6b",
    "persona-other": "#1b6664",
}
"""Every colour of a chart: its CSS token without the dashes in front, and the token's light value."""

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif'
PARAMETER = "theme_"


def colour(name: str) -> alt.ExprRef:
    """The theme's colour of that name, as a reference that follows the reader's theme."""
    return alt.ExprRef(_parameter(name))


def role_colour(role: str) -> alt.ExprRef:
    """The colour of a player: the one fixed for it in all charts, or the one for all others."""
    name = f"persona-{role}"
    return colour(name if name in COLOURS else "persona-other")


def theme_parameters() -> list[alt.Parameter]:
    """The colours as parameters of a chart. `chart.js` sets each from the CSS token of its name."""
    return [alt.param(name=_parameter(name), value=value) for name, value in COLOURS.items()]


def themed(chart: alt.LayerChart | alt.Chart | alt.FacetChart) -> dict[str, Any]:
    """The chart's specification with the theme: fonts, hairlines and colours, for screen and print alike."""
    ink, soft, line = (alt.ExprRef(_parameter(name)) for name in ("ink", "ink-soft", "line"))
    configured = (
        chart.add_params(*theme_parameters())
        .configure(font=FONT, background="transparent", padding={"left": 0, "right": 4, "top": 4, "bottom": 4})
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=ink,
            labelFontSize=13,
            titleColor=soft,
            titleFontSize=13,
            titleFontWeight="normal",
            titlePadding=10,
            gridColor=line,
            gridWidth=1,
            domainColor=line,
            tickColor=line,
            labelPadding=8,
        )
        .configure_text(color=soft, fontSize=12)
        .configure_legend(labelColor=ink, titleColor=soft, labelFontSize=13, titleFontWeight="normal", titleFontSize=13)
    )
    document: dict[str, Any] = configured.to_dict()
    return document


def drawn_once(build: Callable[P, alt.LayerChart]) -> Callable[P, dict[str, Any]]:
    """The themed specification that a function draws, without its numbers: made once for each shape of a figure.

    altair takes a fifth of a second for one, numbers none at all: `with_numbers` puts them in. The arguments must be
    all that the specification depends on, and hashable; the specification is not to be changed.
    """

    @wraps(build)
    def specification(*args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        # The whole specification is checked once at its end, not each of its parts as well.
        with debug_mode(False):
            return themed(build(*args, **kwargs))

    return cast(Callable[P, dict[str, Any]], lru_cache(maxsize=128)(specification))


def with_numbers(
    specification: Mapping[str, Any], *, description: str, datasets: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """A figure's specification with what it shows, and what to say of it to who does not see it."""
    return {**specification, "description": description, "datasets": dict(datasets)}


def _parameter(name: str) -> str:
    return PARAMETER + name.replace("-", "_")
