"""The figure of people beside personas."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from playtest.charts import Group, distribution_figure

if TYPE_CHECKING:
    from playtest.insights.selectors.levels import RowShown

CAPTION = (
    "Points: rounds, of people filled, of bots hollow. Box: the middle half, with the median. "
    "Line: 5 to 95 %. Bar below: the mean with its 95 % interval."
)


def results_figure(rows: "Sequence[RowShown]", *, moves: int | None, name: str) -> dict[str, Any]:
    """People, bots and agents on one axis. Every row must have figures."""
    groups = [
        Group(role=row.role, label=row.label, figures=row.figures, points=row.points, n_text=row.n_text) for row in rows
    ]
    said = "; ".join(
        f"{group.label}: median {group.figures.median:,.0f}, n = {group.figures.n}" for group in groups if group.figures
    )
    return distribution_figure(
        groups,
        axis=f"Score after {moves} moves" if moves else "Score of a round",
        description=f"Scores on {name}, people beside personas. {said}.",
    )
