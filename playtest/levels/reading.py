"""A playtest read for a designer: how hard the level is among others, and how players get on in it, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from personas.metrics import merge_styles
from personas.report import mean_interval
from playtest.levels.maps import StyleShown, style_shown
from playtest.levels.models import Level, LevelVersion, PlaytestEntry, PlaytestReport, Trigger
from playtest.levels.people import PeopleRange, people_range
from playtest.levels.selectors import EntryShown
from playtest.levels.styles import style_of_document, styles_by_entry

YARDSTICK = "vanilla"
"""The role of the agent by whose points levels are ranked: it knows no personality, only the rules."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; None for a limit that too few games give."""

    value: float
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class Difficulty:
    """The place of a level among those of its game, 1 the hardest; `first` to `last` are the places it may have."""

    place: int
    first: int
    last: int
    levels: int


@dataclass(frozen=True)
class PlayerReading:
    """One agent on the level. `legal` holds for each move the mean number of legal actions before it."""

    role: str
    label: str
    style: StyleShown | None
    deadlocks: Estimate | None
    """Percent of the games in which no legal action was left and the pieces were shuffled."""
    spread: Estimate | None
    legal: Sequence[Estimate]


@dataclass(frozen=True)
class Reading:
    """Everything of a report that is not a score."""

    players: Sequence[PlayerReading]
    yardstick: PlayerReading | None
    spread: Estimate | None
    """Points of the best action above the middle one, over games of all agents."""
    spread_games: int
    difficulty: Difficulty | None
    least: EntryShown | None
    most: EntryShown | None
    people: PeopleRange


def report_reading(report: PlaytestReport, version: LevelVersion | None, entries: Sequence[EntryShown]) -> Reading:
    """The reading of a report, of the games that are there so far."""
    found = styles_by_entry(report)
    players = [_player(shown, found.get(shown.entry.pk, []), report.game) for shown in entries if shown.figures]
    spreads = [value for parts in found.values() for part in parts for value in part["spreads"]]
    played = [shown for shown in entries if shown.figures]
    return Reading(
        players=players,
        yardstick=next((player for player in players if player.role == YARDSTICK), players[0] if players else None),
        spread=_estimate(spreads),
        spread_games=len(spreads),
        difficulty=None if version is None else level_difficulty(report, version, entries),
        least=min(played, key=_mean, default=None),
        most=max(played, key=_mean, default=None),
        people=people_range(report, entries),
    )


def level_difficulty(report: PlaytestReport, version: LevelVersion, entries: Sequence[EntryShown]) -> Difficulty | None:
    """The level's place by the yardstick's points a move among the library's levels that were playtested alike.

    Alike: the same game and rules, the same agent with as many simulations. A place is sure where intervals are apart.
    None until the yardstick has played all its games here.
    """
    own = next((shown for shown in entries if shown.role == YARDSTICK and shown.is_complete), None)
    if own is None or own.figures is None:
        return None
    levels = Level.objects.filter(archived_at__isnull=True, current__game=version.game)
    lengths = {
        row[0]: row[1] or row[2] * row[3]
        for row in levels.values_list("current__hash", "current__moves", "current__rows", "current__cols")
    }
    rows = (
        PlaytestEntry.objects.filter(
            agent_spec=own.entry.agent_spec_id,
            n__isnull=False,
            report__boards_hash__in=lengths,
            report__iterations=report.iterations,
            report__game_version=report.game_version,
        )
        .exclude(report__trigger=Trigger.SHOWCASE)
        .order_by("report_id")
        .values_list("report__boards_hash", "score_mean", "ci_lo", "ci_hi")
    )
    others = {
        boards: [(mean if value is None else value) / lengths[boards] for value in (mean, lo, hi)]
        for boards, mean, lo, hi in rows
        if boards != version.hash and mean is not None
    }
    figures = own.figures
    length = version.moves or version.rows * version.cols
    mean, lo, hi = (
        (figures.mean if value is None else value) / length for value in (figures.mean, figures.ci_lo, figures.ci_hi)
    )
    harder = sum(other[2] < lo for other in others.values())
    easier = sum(other[1] > hi for other in others.values())
    return Difficulty(
        place=1 + sum(other[0] < mean for other in others.values()),
        first=1 + harder,
        last=1 + len(others) - easier,
        levels=1 + len(others),
    )


def _player(shown: EntryShown, parts: Sequence[dict[str, Any]], game: str) -> PlayerReading:
    style = merge_styles([style_of_document(part["style"]) for part in parts if part["style"] is not None])
    return PlayerReading(
        role=shown.role,
        label=shown.label,
        style=None if style is None else style_shown(style, game=game, role=shown.role, label=shown.label),
        deadlocks=None if style is None else _percent(style.shuffled_games, style.games),
        spread=_estimate([value for part in parts for value in part["spreads"]]),
        legal=_legal([part["legal"] for part in parts]),
    )


def _legal(parts: Sequence[Sequence[Sequence[int]]]) -> list[Estimate]:
    """Mean legal actions before each move over the games that came so far, with normal intervals."""
    longest = max((len(part[0]) for part in parts), default=0)
    total = np.zeros((3, longest))
    for part in parts:
        total[:, : len(part[0])] += np.array(part, np.float64)
    estimates = []
    for n, of_counts, of_squares in total.T.tolist():
        mean = of_counts / n
        if n < 2:
            estimates.append(Estimate(mean))
            continue
        half = 1.96 * (max(0.0, of_squares / n - mean**2) / (n - 1)) ** 0.5
        estimates.append(Estimate(mean, mean - half, mean + half))
    return estimates


def _estimate(values: Sequence[float]) -> Estimate | None:
    if not values:
        return None
    lo, hi = mean_interval(values) if len(values) > 1 else (None, None)
    return Estimate(float(np.mean(values)), lo, hi)


def _percent(count: int, n: int) -> Estimate:
    """A share in percent with its Wilson interval."""
    interval = stats.binomtest(count, n).proportion_ci(method="wilson")
    return Estimate(100 * count / n, 100 * interval.low, 100 * interval.high)


def _mean(shown: EntryShown) -> float:
    assert shown.figures is not None
    return shown.figures.mean
