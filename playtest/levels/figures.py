"""Reports as figures."""

from collections.abc import Sequence
from typing import Any

from playtest.charts import Group, distribution_figure
from playtest.levels.models import LevelVersion, PlaytestReport
from playtest.levels.selectors import EntryShown, entries_shown, is_unfinished, report_is_outdated

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


def report_context(report: PlaytestReport | None, version: LevelVersion | None) -> dict[str, Any]:
    """What `levels/_report.html` shows; without a version the boards are random ones."""
    if report is None:
        return {"report": None}
    entries = entries_shown(report=report)
    is_waited_for = is_unfinished(report)
    return {
        "report": report,
        "entries": entries,
        "figure": report_figure(entries, level_name=str(version) if version else "random boards"),
        "figure_id": f"report-{report.pk}-figure",
        "figure_caption": FIGURE_CAPTION,
        "table_caption": "Scores and legal moves of each agent" + (" so far" if is_waited_for else ""),
        "missing": "not played yet" if is_waited_for else "not played",
        "is_unfinished": is_waited_for,
        "is_outdated": report_is_outdated(report=report),
        "percent": round(100 * report.blocks_done / report.blocks_total),
    }
