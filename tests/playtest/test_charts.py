"""The charts' theme is that of the pages, and the vendored programs are those that it needs."""

import re
from typing import Any

import altair
import pytest

from playtest.chart_shapes import Mark, Spot, bars_figure, interval_figure, line_figure, scatter_figure
from playtest.charts import Group, Point, distribution_figure
from playtest.levels.selectors import summary_figures
from playtest.theme import COLOURS, PARAMETER, role_colour
from tests.site import ROOT

STATIC = ROOT / "static"


def tokens() -> dict[str, str]:
    """The light value of every colour token."""
    styles = [STATIC / "css" / "tokens.css", STATIC / "css" / "pages" / "charts.css"]
    found = dict(re.findall(r"--([a-z-]+): ([^;]+);", "".join(style.read_text() for style in styles)))
    light = {}
    for name, value in found.items():
        while value.startswith("var(--"):
            value = found[value.removeprefix("var(--").removesuffix(")")]
        light[name] = re.sub(r"light-dark\((#\w+),.*", r"\1", value)
    return light


@pytest.mark.parametrize("name", COLOURS)
def test_every_colour_of_a_chart_is_a_token_with_that_light_value(name: str) -> None:
    assert tokens()[name] == COLOURS[name]


def test_players_that_the_guide_names_have_colours_of_their_own() -> None:
    roles = ["maxs", "mins", "maxm", "minm", "vanilla", "random", "people", "bots", "greedy"]
    assert len({str(role_colour(role)) for role in roles}) == len(roles)
    assert str(role_colour("someone")) == str(role_colour("other"))


def test_figure_is_valid_and_names_colours_by_what_they_stand_for() -> None:
    groups = [Group("maxs", "MaxS", summary_figures([1.0, 2.0, 3.0, 4.0, 5.0]))]
    spec = distribution_figure(groups, axis="Score", description="A figure.")
    altair.LayerChart.from_dict(spec)
    values = {param["name"]: param["value"] for param in spec.pop("params")}
    assert values == {PARAMETER + name.replace("-", "_"): value for name, value in COLOURS.items()}
    assert not re.findall(r"#[0-9a-f]{6}", str({key: value for key, value in spec.items() if key != "$schema"}))


@pytest.mark.parametrize(
    ("values", "boxed", "intervals"),
    [([7.0], False, False), ([7.0, 9.0], False, True), ([1.0, 2, 3, 4, 5], True, True)],
)
def test_figure_has_no_layer_without_rows(values: list[float], boxed: bool, intervals: bool) -> None:
    points = [Point(f"game {number}", value) for number, value in enumerate(values)]
    spec = distribution_figure(
        [Group("people", "People", summary_figures(values), points)], axis="Score", description="A figure."
    )
    fields = {layer["encoding"].get("x", {}).get("field") for layer in spec["layer"]}
    assert ("q05" in fields) == boxed
    assert ("ci_lo" in fields) == intervals
    assert any("axis" in layer["encoding"]["y"] for layer in spec["layer"]), "the rows keep their names"


@pytest.mark.parametrize("name", ["vega", "vega-lite", "vega-embed"])
def test_vendored_program_has_its_licence_and_version(name: str) -> None:
    folder = STATIC / "vendor" / name
    version = (folder / "VERSION").read_text().split()[1]
    program = (folder / f"{name}.min.js").read_text(encoding="utf-8")
    assert version in program
    assert "sourceMappingURL" not in program
    assert "University of Washington" in (folder / "LICENSE").read_text()


def test_vendored_vega_lite_reads_what_altair_writes() -> None:
    major, minor = (int(part) for part in altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    vendored = (STATIC / "vendor" / "vega-lite" / "VERSION").read_text().split()[1].split(".")
    assert int(vendored[0]) == major
    assert int(vendored[1]) >= minor


def test_figures_of_one_shape_share_all_but_their_numbers() -> None:
    """altair makes the specification of a shape once; another shape gets its own."""
    first, second = (
        distribution_figure(
            [Group("maxs", "MaxS", summary_figures(values))], axis="Score", description=f"Of {len(values)} games."
        )
        for values in ([1.0, 2, 3, 4, 5], [10.0, 20, 30, 40, 50, 60])
    )
    assert first["layer"] is second["layer"]
    assert (first["description"], second["description"]) == ("Of 5 games.", "Of 6 games.")
    assert [spec["datasets"]["groups"][0]["median"] for spec in (first, second)] == [3.0, 35.0]
    other = distribution_figure([Group("mins", "MinS", summary_figures([1.0, 2.0]))], axis="Score", description="Few.")
    assert other["layer"] is not first["layer"]


@pytest.mark.parametrize(
    "figure",
    [
        line_figure([Spot("MaxS", "maxs", 1, 2.0, 1.0, 3.0)], across="Move", up="Legal moves", description="Lines."),
        line_figure([Spot("MaxS", "maxs", 1, 2.0, None, None)], across="Move", up="Legal moves", description="Lines."),
        interval_figure([Mark("MaxS", "maxs", 2.0, 1.0, 3.0)], axis="Points", zero=True, description="Intervals."),
        interval_figure([Mark("A", "b", 2.0, None, None, 1.0)], axis="Points", against="Seen", description="One."),
        bars_figure([("Started", 3), ("Finished", 0)], axis="People", description="Steps."),
        scatter_figure(
            [{"level": "A", "label": "MaxS", "role": "maxs", "predicted": 1.0, "observed": 1.0}], description="One."
        ),
    ],
)
def test_every_kind_of_figure_is_valid(figure: dict[str, Any]) -> None:
    altair.LayerChart.from_dict(figure)
    assert set(re.findall(r"'data': {'name': '(\w+)'}", str(figure))) <= figure["datasets"].keys()


def test_figures_of_nothing_are_none() -> None:
    assert line_figure([], across="Move", up="Legal moves", description="") is None
    assert interval_figure([], axis="Points", description="") is None
    assert scatter_figure([], description="") is None
    assert bars_figure([("Started", 0)], axis="People", description="") is None
