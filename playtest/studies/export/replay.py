"""A stored round played again: what fell in, what reshuffles left, and whether every stored score comes out."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.level import Level
from engine.round import ActionRefused
from engine.round import Round as EngineRound
from playtest.studies.choices import MoveKind
from playtest.studies.selectors.exports import MoveRow


@dataclass
class Replay:
    """`level` is the level file as it was played. `agrees` is None where the rules are others by now."""

    level: dict[str, Any]
    agrees: bool | None
    reshuffled: dict[int, str] = field(default_factory=dict)
    """The board, as JSON, after the moves that ended in a reshuffle, by their number."""


def replay_round(level: Level, moves: Sequence[MoveRow], *, score: int, game_version: int) -> Replay:
    """Play the stored moves by today's rules, if the round was played by these."""
    document = level.to_document()
    game = EngineRound(level)
    if game.game.info.version != game_version:
        return Replay(document, None)
    replay = Replay(document, True)
    fallen = game.drops_fallen()
    try:
        for move in moves:
            if move.kind == MoveKind.UNDO:
                fallen = longer(fallen, game.drops_fallen())
                game.undo()
            else:
                assert move.action is not None, "a constraint of the table"
                outcome = game.play_code(move.action, move.reversed)
                if outcome.reshuffled is not None:
                    replay.reshuffled[move.seq] = json.dumps(outcome.reshuffled)
            replay.agrees = replay.agrees and game.score == move.score_after
    except ActionRefused:
        replay.agrees = False
    replay.agrees = replay.agrees and game.score == score
    fallen = longer(fallen, game.drops_fallen())
    if fallen:
        document["drops"] = fallen
    return replay


def longer(drops: list[str], others: list[str]) -> list[str]:
    """Of each column what fell, over both: a column's pieces are always the same, so one text begins with the other."""
    return [max(pair, key=len) for pair in zip(drops, others, strict=True)]
