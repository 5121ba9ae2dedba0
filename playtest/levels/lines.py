"""The numbers behind a report's figures, line by line, as files for download have them."""

from collections.abc import Iterator
from typing import Any

from playtest.leases import LeaseState
from playtest.levels.boards import report_horizons
from playtest.levels.models import PlaytestReport, TraceBlock
from playtest.levels.reading import Reading
from playtest.levels.selectors import agent_label
from playtest.levels.traces import decode_block

SCORE_COLUMNS = ["level", "boards", "who", "kind", "game", "score", "legal_moves", "moves", "seed", "iterations", "use"]


def agent_lines(report: PlaytestReport, *, name: str) -> Iterator[list[Any]]:
    """Every game of the report that is there, agent by agent, as `SCORE_COLUMNS` says. `name` is that of the boards."""
    done = TraceBlock.objects.filter(entry__report=report, state=LeaseState.DONE)
    for block in done.select_related("entry__agent_spec").order_by("entry__position", "number").iterator(chunk_size=50):
        assert block.data is not None
        numbers = range(block.first_game, block.first_game + block.games)
        horizons = report_horizons(report, numbers)
        for number, horizon, game in zip(numbers, horizons, decode_block(block.data), strict=True):
            legal = game.legal_mean(horizon)
            yield [
                name,
                report.boards_hash,
                agent_label(block.entry.agent_spec),
                "agent",
                number,
                game.score,
                "" if legal is None else repr(legal),
                len(game.actions),
                report.seed,
                report.iterations,
                "",
            ]


PLACE_COLUMNS = ["who", "games", "row", "column", "way", "made", "legal", "of_chance"]


def place_lines(reading: Reading) -> Iterator[list[Any]]:
    """Where each agent moves, as `PLACE_COLUMNS` says, rows and columns from 1.

    A line is a swap that was legal, with the cell to its right or below it (`way`), and how often it was made; in games
    without swaps a cell, and how often it was acted on as a multiple of chance, empty if it never could be.
    """
    for player in reading.players:
        style = player.style
        if style is None:
            continue
        for swap in style.swaps:
            way = "down" if swap.is_vertical else "right"
            yield [player.label, style.games, swap.row + 1, swap.col + 1, way, swap.taken, swap.legal, ""]
        if style.swaps:
            continue
        for row, cells in enumerate(style.rows, start=1):
            for column, cell in enumerate(cells, start=1):
                of_chance = "" if cell.ratio is None else repr(cell.ratio)
                yield [player.label, style.games, row, column, "", "", "", of_chance]


def legal_lines(reading: Reading) -> Iterator[list[Any]]:
    """Mean legal actions before each move with its interval, agent by agent, after the names of the columns."""
    yield ["who", "move", "legal_moves", "low", "high"]
    for player in reading.players:
        for move, one in enumerate(player.legal, start=1):
            yield [player.label, move, *("" if value is None else repr(value) for value in (one.value, one.lo, one.hi))]
