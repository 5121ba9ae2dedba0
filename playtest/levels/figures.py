"""Reports as figures."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from playtest.chart_shapes import Spot, line_figure
from playtest.charts import Group, distribution_figure
from playtest.figure import Figure
from playtest.levels.models import LevelVersion, PlaytestReport
from playtest.levels.reading import Reading, report_reading
from playtest.levels.replays import examples_shown
from playtest.levels.selectors import (
    EntryShown,
    boards_name,
    entries_shown,
    is_unfinished,
    report_is_outdated,
    report_note,
)

FIGURE_CAPTION = (
    "Box: the middle half of the games, with the median. Line: 5 to 95 %. Bar below: the mean with its 95 % interval."
)
LEGAL_CAPTION = (
    "Mean number of legal moves before each move, with its 95 % interval. Games that are over no longer count."
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


def legal_figure(reading: Reading, *, level_name: str) -> dict[str, Any] | None:
    """Mean number of legal actions before each move, a line with its interval for each agent. None without a move."""
    spots = [
        Spot(player.label, player.role, move, one.value, one.lo, one.hi)
        for player in reading.players
        for move, one in enumerate(player.legal, start=1)
    ]
    names = dict.fromkeys(spot.label for spot in spots)
    return line_figure(
        spots,
        across="Move",
        up="Legal moves",
        form=".2f",
        description=f"Legal moves before each move of a game on {level_name}, for {', '.join(names)}.",
    )


def level_report_context(report: PlaytestReport | None, version: LevelVersion | None) -> dict[str, Any]:
    """As `report_context`, with what a level's own page reads from the games."""
    context = report_context(report, version)
    if report is None or not context["figure"]:
        return context
    reading = report_reading(report, version, context["entries"])
    name = str(version) if version else "the changed level"
    spec = legal_figure(reading, level_name=name)
    return context | {
        "reading": reading,
        "legal_figure": spec
        and Figure(
            key=f"report-{report.pk}-legal",
            title=f"Legal moves over the game on {name}",
            spec=spec,
            caption=LEGAL_CAPTION,
            note=report_note(report),
            csv=reverse("levels:report_legal_csv", args=[report.pk]),
        ),
        "legal_rows": [
            (move + 1, [player.legal[move].value if move < len(player.legal) else None for player in reading.players])
            for move in range(max(len(player.legal) for player in reading.players))
        ],
    }


def report_context(report: PlaytestReport | None, version: LevelVersion | None) -> dict[str, Any]:
    """What `levels/_report.html` shows; without a version the boards are random ones."""
    if report is None:
        return {"report": None}
    entries = entries_shown(report=report)
    is_waited_for = is_unfinished(report)
    name = boards_name(report)
    spec = report_figure(entries, level_name=name)
    return {
        "report": report,
        "entries": entries,
        "examples": examples_shown(report),
        "figure": spec
        and Figure(
            key=f"report-{report.pk}-figure",
            title=f"Scores of agents on {name}",
            spec=spec,
            caption=FIGURE_CAPTION,
            note=report_note(report),
            csv=reverse("levels:report_csv", args=[report.pk]),
        ),
        "table_id": f"report-{report.pk}-figure-table",
        "table_caption": "Scores and legal moves of each agent" + (" so far" if is_waited_for else ""),
        "missing": "not played yet" if is_waited_for else "not played",
        "is_unfinished": is_waited_for,
        "is_outdated": report_is_outdated(report=report),
        "percent": round(100 * report.blocks_done / report.blocks_total),
    }
