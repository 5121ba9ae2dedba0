"""Greedy: the action that brings the most points at once, on average over sampled pieces.

It is as blind to the future as any fair agent: the pieces that may fall in are drawn at random, so a match that is
likely to start a cascade counts for more than one of the same size that is not.
"""

from typing import Any

import numpy as np

from engine.game import copy_state
from engine.level import Level
from engine.search.play import choose_greedy, play_greedy
from personas.agents.base import LONGEST_GAME, Agent, Player, Situation


class GreedyPlayer(Player):
    def play(self, state: Any, work: Any, queue: Any, key: np.uint64, begin: Situation) -> tuple[int, int]:
        length = LONGEST_GAME if begin.left is None else begin.left
        points, made = play_greedy(
            state, queue, key, length, work, self.chance, self.rng, self.actions, self.codes, self.legal_before
        )
        return int(points), int(made)

    def choose(self, state: Any, queue: Any, situation: Situation) -> int:
        return int(choose_greedy(state, copy_state(state), self.chance, self.rng, self.actions))


class GreedyAgent(Agent):
    name = "greedy"
    kind = "greedy"

    @property
    def document(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name}

    def new_player(self, level: Level) -> Player:
        return GreedyPlayer(level)
