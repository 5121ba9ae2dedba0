"""Agents' games out of the stored blocks of a report: which ones are worth watching, and each as a replay."""

import re
from collections import defaultdict
from dataclasses import dataclass

from engine.level import Level
from playtest.beside import TraceShown
from playtest.leases import LeaseState
from playtest.levels.boards import report_boards
from playtest.levels.models import PlaytestEntry, PlaytestReport, TraceBlock
from playtest.levels.selectors import agent_label, agent_role
from playtest.levels.traces import decode_block
from playtest.replay import Entry, Replay, replay_game, steps_of_codes


@dataclass(frozen=True)
class GamePlayed:
    """One game of an agent: its number in the report, from 0, and its score."""

    entry_id: int
    number: int
    score: int


@dataclass(frozen=True)
class Examples:
    """What to watch of an agent. Of an even number of games the lower of the two middle ones stands for the median."""

    role: str
    label: str
    games: int
    best: GamePlayed
    median: GamePlayed
    worst: GamePlayed

    @property
    def named(self) -> list[tuple[str, GamePlayed]]:
        return [("best", self.best), ("median", self.median), ("worst", self.worst)]


def examples_shown(report: PlaytestReport) -> list[Examples]:
    """Each agent's best, median and worst game of those that are there, in the report's order. Two queries.

    Of several with one score it is the first that was played.
    """
    games: dict[int, list[GamePlayed]] = defaultdict(list)
    done = TraceBlock.objects.filter(entry__report=report, state=LeaseState.DONE).order_by("number")
    for entry_id, first, data in done.values_list("entry_id", "first_game", "data"):
        assert data is not None, "a constraint of the table"
        for number, trace in enumerate(decode_block(data), start=first):
            games[entry_id].append(GamePlayed(entry_id, number, trace.score))
    shown = []
    for entry in report.entries.select_related("agent_spec").order_by("position", "id"):
        played = sorted(games.get(entry.pk, ()), key=lambda game: (-game.score, game.number))
        if played:
            spec = entry.agent_spec
            best, median, worst = (
                next(game for game in played if game.score == score)
                for score in (played[0].score, played[len(played) // 2].score, played[-1].score)
            )
            shown.append(Examples(agent_role(spec), agent_label(spec), len(played), best, median, worst))
    return shown


def game_played(entry: PlaytestEntry, number: int) -> tuple[Level, list[Entry]] | None:
    """The boards and the stored moves of a game; None where the report has no such game yet."""
    blocks = TraceBlock.objects.filter(entry=entry, state=LeaseState.DONE, first_game__lte=number)
    block = blocks.order_by("-first_game").first()
    if block is None or number >= block.first_game + block.games:
        return None
    assert block.data is not None, "a constraint of the table"
    trace = decode_block(block.data)[number - block.first_game]
    (level,) = report_boards(entry.report, range(number, number + 1))
    return level, steps_of_codes(trace.actions, score=trace.score)


def game_replay(entry: PlaytestEntry, number: int) -> Replay | None:
    """The game played again from its stored moves; None where the report has no such game yet."""
    found = game_played(entry, number)
    if found is None:
        return None
    level, moves = found
    return replay_game(level, moves, game_version=entry.report.game_version)


def game_key(game: GamePlayed) -> str:
    """What names a game in an address."""
    return f"game-{game.entry_id}-{game.number}"


def game_trace(key: str, *, boards_hash: str) -> TraceShown | None:
    """The game that the key names, on these boards; None if there is none."""
    match = re.fullmatch(r"game-([0-9]{1,18})-([0-9]{1,9})", key)
    rows = PlaytestEntry.objects.filter(report__boards_hash=boards_hash)
    entry = match and rows.select_related("report__level_version", "agent_spec").filter(pk=int(match[1])).first()
    replay = game_replay(entry, int(match[2])) if match and entry else None
    if entry is None or match is None or replay is None:
        return None
    return TraceShown(key, f"{agent_label(entry.agent_spec)}, game {match[2]}", agent_role(entry.agent_spec), replay)


def example_choices(report: PlaytestReport) -> list[tuple[str, str]]:
    """Keys and labels of the examples of a report."""
    return [
        (game_key(game), f"{one.label}, {which} game: {game.score:,}")
        for one in examples_shown(report)
        for which, game in one.named
    ]


def games_on_board(report: PlaytestReport, number: int) -> list[tuple[str, str]]:
    """Keys and labels of everybody's game of that number, on one board also where each game has another."""
    found = []
    blocks = TraceBlock.objects.filter(entry__report=report, state=LeaseState.DONE, first_game__lte=number)
    for block in blocks.select_related("entry__agent_spec").order_by("entry__position", "number"):
        if number < block.first_game + block.games:
            assert block.data is not None, "a constraint of the table"
            score = decode_block(block.data)[number - block.first_game].score
            game = GamePlayed(block.entry_id, number, score)
            found.append((game_key(game), f"{agent_label(block.entry.agent_spec)}, game {number}: {score:,}"))
    return found
