"""How the agents of a report play, beyond the score: read off their stored games by replaying them.

A worker does it for each block that it has played, and keeps the result with the block: a page only adds blocks up.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from personas.decisive import choice_spreads
from personas.metrics import PlayStyle, play_style
from personas.report import game_seed
from playtest.leases import LeaseState
from playtest.levels.boards import report_boards
from playtest.levels.models import PlaytestReport, TraceBlock
from playtest.levels.traces import GameTrace, decode_block

STYLE_FORMAT = 1


def block_style(block: TraceBlock, games: Sequence[GameTrace]) -> dict[str, Any]:
    """What the games of a block show, as the JSON value that is kept with it.

    `legal` sums for each move of a game the number of legal actions before it: games, sum, sum of squares. `spreads`
    holds for the block's first game the mean of how much better the best action was than the middle one.
    """
    report = block.entry.report
    levels = report_boards(report, range(block.first_game, block.first_game + block.games))
    style = play_style(zip(levels, [game.actions for game in games], strict=True))
    spreads = choice_spreads(levels[0], games[0].actions, seed=game_seed(report.seed, block.first_game))
    longest = max((len(game.legal_before) for game in games), default=0)
    legal = np.zeros((3, longest), np.int64)
    for game in games:
        counts = np.array(game.legal_before, np.int64)
        legal[:, : len(counts)] += np.stack([np.ones_like(counts), counts, counts**2])
    return {
        "format": STYLE_FORMAT,
        "style": None if style is None else style_document(style),
        "legal": legal.tolist(),
        "spreads": [float(np.mean(spreads))] if spreads else [],
    }


def style_document(style: PlayStyle) -> dict[str, Any]:
    """A style as a JSON value."""
    return {
        "games": style.games,
        "moves": style.moves,
        "reshuffled": style.reshuffled,
        "chosen": style.chosen.tolist(),
        "expected": style.expected.tolist(),
        "vertical": style.vertical,
        "vertical_expected": style.vertical_expected,
        "game_steps": list(style.game_steps),
        "shuffled_games": style.shuffled_games,
        "actions": [[code, taken, legal] for code, (taken, legal) in style.actions.items()],
    }


def style_of_document(document: Mapping[str, Any]) -> PlayStyle:
    """The style that `style_document` wrote. Its interval is that of `merge_styles`."""
    steps = tuple(document["game_steps"])
    mean = float(np.mean(steps))
    return PlayStyle(
        games=document["games"],
        moves=document["moves"],
        steps=(mean, mean, mean),
        reshuffled=document["reshuffled"],
        chosen=np.array(document["chosen"], np.float64),
        expected=np.array(document["expected"], np.float64),
        vertical=document["vertical"],
        vertical_expected=document["vertical_expected"],
        game_steps=steps,
        shuffled_games=document["shuffled_games"],
        actions={code: (taken, legal) for code, taken, legal in document["actions"]},
    )


def styles_by_entry(report: PlaytestReport) -> dict[int, list[dict[str, Any]]]:
    """What the blocks that are there show, by the number of the entry; blocks of earlier releases are replayed."""
    done = TraceBlock.objects.filter(entry__report=report, state=LeaseState.DONE).order_by("entry_id", "number")
    found: dict[int, list[dict[str, Any]]] = {}
    old: list[int] = []
    for pk, entry_id, style in done.values_list("pk", "entry_id", "style"):
        if style is None:
            old.append(pk)
        else:
            found.setdefault(entry_id, []).append(style)
    again = TraceBlock.objects.filter(pk__in=old).order_by("entry_id", "number")
    for block in again.select_related("entry__report__level_version"):
        assert block.data is not None
        found.setdefault(block.entry_id, []).append(block_style(block, decode_block(block.data)))
    return found
