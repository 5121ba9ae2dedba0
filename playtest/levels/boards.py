"""The boards of a report, game by game."""

import json
from functools import lru_cache

from engine.game import get_game
from engine.level import Level, canonical_json, draw_level, parse_level
from engine.rng import draw_seed
from playtest.levels.models import PlaytestReport


def report_boards(report: PlaytestReport, games: range) -> list[Level]:
    """The level of each of these games of a report."""
    if report.level_file is not None:
        return [parse_level(report.level_file)] * len(games)
    assert report.drawn is not None
    return [draw_level(**report.drawn, seed=_board_seed(report, game)) for game in games]


def report_horizons(report: PlaytestReport, games: range) -> list[int | None]:
    """Before how many actions of each of these games legal actions count; None: before all of them."""
    if report.level_file is not None:
        return [report.level_file.get("horizon")] * len(games)
    assert report.drawn is not None
    if get_game(report.drawn["game"]).info.default_moves is not None:
        return [None] * len(games)
    drawn = canonical_json(report.drawn)
    return [_horizon_drawn(drawn, _board_seed(report, game)) for game in games]


@lru_cache(maxsize=10_000)
def _horizon_drawn(drawn: str, seed: int) -> int | None:
    """Kept, because it takes random play of the board where its size has no number of its own."""
    return draw_level(**json.loads(drawn), seed=seed).horizon


def _board_seed(report: PlaytestReport, game: int) -> int:
    return draw_seed(report.seed, "level", game)
