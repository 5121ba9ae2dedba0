"""Reports as figures."""

from collections.abc import Sequence
from typing import Any

from playtest.charts import Group, distribution_figure
from playtest.levels.selectors import EntryShown

FIGURE_CAPTION = (
    "Box: the middle half of the games, with the median. Line: 5 to 95 %. Bar below: the mean with its 95 % interval."
)


def report_groups(entries: Sequence[EntryShown]) -> list[Group]:
    """A row for every agent that has games."""
    return [Group(role=shown.role, label=shown.label, figures=shown.figures) for shown in entries if shown.figures]


def report_figure(entries: Sequence[EntryShown], *, level_name: str) -> dict[str, Any] | None:
    """Each agent's scores on a common axis. None while nobody has a game."""
    groups = report_groups(entries)
    if not groups:
        return None
    said = "; ".join(
        f"{group.label}: median {group.figures.median:,.0f}, n = {group.figures.n}" for group in groups if group.figures
    )
    return distribution_figure(groups, axis="Score of a game", description=f"Scores of agents on {level_name}. {said}.")
