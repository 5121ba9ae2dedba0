"""How a persona plays: its games on random boards, beside vanilla and random play on the same ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from personas.metrics import PlayStyle, play_style
from playtest.evolution.models import PersonaVersion
from playtest.leases import LeaseState
from playtest.levels.boards import report_boards
from playtest.levels.models import PlaytestEntry, PlaytestReport, ReportState, Trigger
from playtest.levels.selectors import agent_label, agent_role
from playtest.levels.traces import decode_block

SHADES = 6
"""Steps of the map's scale, on each side of what chance gives."""
STRONGEST = 2.0
"""Twice as often as by chance, or half as often: beyond that all cells look alike."""


@dataclass(frozen=True)
class MapCell:
    """A cell of the map. `shade` is from -SHADES, avoided, over 0, as by chance, to SHADES, sought."""

    shade: int
    text: str


@dataclass(frozen=True)
class StyleShown:
    """One player's style as a page shows it."""

    role: str
    label: str
    steps: tuple[float, float, float]
    reshuffled_percent: float
    vertical_percent: float | None
    """Share of swaps up and down, against what chance would give; None for games without swaps."""
    vertical_chance_percent: float | None
    rows: Sequence[Sequence[MapCell]]


def showcase_report(*, version: PersonaVersion) -> PlaytestReport | None:
    """The newest report on random boards in which this version plays, or None."""
    reports = PlaytestReport.objects.filter(trigger=Trigger.SHOWCASE, entries__agent_spec=version.agent_spec_id)
    return reports.order_by("-id").first()


def styles_shown(*, report: PlaytestReport) -> list[StyleShown]:
    """The styles of everybody in a finished report, in its order; nobody while it is not finished."""
    if report.state != ReportState.DONE:
        return []
    entries = PlaytestEntry.objects.filter(report=report).select_related("agent_spec").order_by("position")
    shown = []
    for entry in entries:
        style = _style(entry.pk)
        if style is not None:
            shown.append(_shown(entry, style))
    return shown


@lru_cache(maxsize=256)
def _style(entry_id: int) -> PlayStyle | None:
    """Kept: the games of a finished entry never change, and replaying a hundred of them takes a moment."""
    entry = PlaytestEntry.objects.select_related("report__level_version").get(pk=entry_id)
    games = []
    for block in entry.blocks.filter(state=LeaseState.DONE).order_by("number"):
        assert block.data is not None
        levels = report_boards(entry.report, range(block.first_game, block.first_game + block.games))
        games += [(level, trace.actions) for level, trace in zip(levels, decode_block(block.data), strict=True)]
    return play_style(games)


def _shown(entry: PlaytestEntry, style: PlayStyle) -> StyleShown:
    swaps = style.vertical_expected > 0
    return StyleShown(
        role=agent_role(entry.agent_spec),
        label=agent_label(entry.agent_spec),
        steps=style.steps,
        reshuffled_percent=100 * style.reshuffled,
        vertical_percent=100 * style.vertical / style.moves if swaps else None,
        vertical_chance_percent=100 * style.vertical_expected / style.moves if swaps else None,
        rows=[[map_cell(ratio) for ratio in line] for line in style.preference().tolist()],
    )


def map_cell(ratio: float) -> MapCell:
    """From how often a cell was acted on, as a multiple of chance."""
    if ratio != ratio:  # nobody could act there
        return MapCell(0, "–")
    span = STRONGEST - 1
    pull = (ratio - 1) / span if ratio >= 1 else (1 - 1 / max(ratio, 1 / STRONGEST)) / span
    return MapCell(round(SHADES * max(-1.0, min(1.0, pull))), f"{ratio:.2f}")
