"""Where on the board players move, as pages show it: beside chance for each cell, beside its chances for each swap."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.game import get_game
from engine.level import Level
from personas.metrics import PlayStyle, merge_styles
from playtest.levels.models import PlaytestEntry, PlaytestReport, ReportState
from playtest.levels.selectors import agent_label, agent_role
from playtest.levels.styles import style_of_document, styles_by_entry

SHADES = 6
"""Steps of the map's scale, on each side of what chance gives."""
STRONGEST = 2.0
"""Twice as often as by chance, or half as often: beyond that all cells look alike."""
LEAST_LEGAL = 5
"""A swap that was legal less often has no share worth a colour."""
TABLE_SWAPS = 12


@dataclass(frozen=True)
class MapCell:
    """A cell of the map. `shade` is from -SHADES, avoided, over 0, as by chance, to SHADES, sought."""

    shade: int
    text: str
    ratio: float | None = None
    """How often the cell was acted on, as a multiple of chance; None where nobody could."""


@dataclass(frozen=True)
class SwapShown:
    """A swap of two neighbours: how often it was made of the times that it was legal."""

    words: str
    taken: int
    legal: int
    row: int
    col: int
    """Of the first cell, from 0; the other one is below it or to its right."""
    is_vertical: bool
    shade: int

    @property
    def x(self) -> float:
        """Of the place between the two, in cells, as `y`."""
        return self.col + (0.5 if self.is_vertical else 1.0)

    @property
    def y(self) -> float:
        return self.row + (1.0 if self.is_vertical else 0.5)

    @property
    def percent(self) -> float:
        return 100 * self.taken / self.legal


@dataclass(frozen=True)
class StyleShown:
    """One player's style as a page shows it."""

    role: str
    label: str
    games: int
    steps: tuple[float, float, float]
    reshuffled_percent: float
    vertical_percent: float | None
    """Share of swaps up and down, against what chance would give; None for games without swaps."""
    vertical_chance_percent: float | None
    rows: Sequence[Sequence[MapCell]]
    swaps: Sequence[SwapShown]
    """Every swap that was ever legal, in the order of the board; none for games without swaps."""

    @property
    def top_swaps(self) -> list[SwapShown]:
        """The swaps that were made most of the times that they were legal."""
        often = [swap for swap in self.swaps if swap.legal >= LEAST_LEGAL and swap.taken]
        return sorted(often, key=lambda swap: -swap.taken / swap.legal)[:TABLE_SWAPS]

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)


def styles_shown(*, report: PlaytestReport) -> list[StyleShown]:
    """The styles of everybody in a finished report, in its order; nobody while it is not finished."""
    if report.state != ReportState.DONE:
        return []
    found = styles_by_entry(report)
    entries = PlaytestEntry.objects.filter(report=report).select_related("agent_spec").order_by("position")
    shown = []
    for entry in entries:
        kept = [part["style"] for part in found.get(entry.pk, []) if part["style"] is not None]
        style = merge_styles([style_of_document(document) for document in kept])
        if style is not None:
            shown.append(
                style_shown(
                    style, game=report.game, role=agent_role(entry.agent_spec), label=agent_label(entry.agent_spec)
                )
            )
    return shown


def style_shown(style: PlayStyle, *, game: str, role: str, label: str) -> StyleShown:
    """A style with the words and shades of a page."""
    swaps = style.vertical_expected > 0
    return StyleShown(
        role=role,
        label=label,
        games=style.games,
        steps=style.steps,
        reshuffled_percent=100 * style.reshuffled,
        vertical_percent=100 * style.vertical / style.moves if swaps else None,
        vertical_chance_percent=100 * style.vertical_expected / style.moves if swaps else None,
        rows=[[map_cell(ratio) for ratio in line] for line in style.preference().tolist()],
        swaps=_swaps(style, game) if get_game(game).info.gesture == "swap" else (),
    )


def map_cell(ratio: float) -> MapCell:
    """From how often a cell was acted on, as a multiple of chance."""
    if ratio != ratio:  # nobody could act there
        return MapCell(0, "–")
    span = STRONGEST - 1
    pull = (ratio - 1) / span if ratio >= 1 else (1 - 1 / max(ratio, 1 / STRONGEST)) / span
    return MapCell(round(SHADES * max(-1.0, min(1.0, pull))), f"{ratio:.2f}", ratio)


def _swaps(style: PlayStyle, game: str) -> list[SwapShown]:
    rows, cols = style.chosen.shape
    size = Level(game, "", rows, cols, 3, 1, 0, ())
    shown = []
    for code, (taken, legal) in style.actions.items():
        (row, col), (other_row, _) = get_game(game).decode_action(size, code)
        way = "the one below" if other_row > row else "the one to its right"
        shown.append(
            SwapShown(
                words=f"Row {row + 1}, column {col + 1} with {way}",
                taken=taken,
                legal=legal,
                row=row,
                col=col,
                is_vertical=other_row > row,
                shade=_share_shade(taken, legal),
            )
        )
    return shown


def _share_shade(taken: int, legal: int) -> int:
    """0 for a swap that was never made, else 1 to SHADES by the share of the times that it was legal."""
    return 0 if not taken else max(1, min(SHADES, round(SHADES * taken / legal)))
