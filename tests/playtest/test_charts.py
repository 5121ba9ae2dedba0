"""The charts' theme is that of the pages, and the vendored programs are those that it needs."""

import re

import altair
import pytest

from playtest.charts import COLOURS, PARAMETER, Group, Point, distribution_figure, role_colour
from playtest.levels.selectors import summary_figures
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
