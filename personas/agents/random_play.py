"""Random: every legal action is equally likely."""

from typing import Any

import numpy as np

from engine.level import Level
from engine.search.play import choose_random, play_random
from personas.agents.base import LONGEST_GAME, Agent, Player, Situation


class RandomPlayer(Player):
    def play(self, state: Any, work: Any, queue: Any, key: np.uint64, begin: Situation) -> tuple[int, int]:
        length = LONGEST_GAME if begin.left is None else begin.left
        points, made = play_random(state, queue, key, length, self.rng, self.codes, self.legal_before)
        return int(points), int(made)

    def choose(self, state: Any, queue: Any, situation: Situation) -> int:
        return int(choose_random(state, self.rng))


class RandomAgent(Agent):
    name = "random"
    kind = "random"

    @property
    def document(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name}

    def new_player(self, level: Level) -> Player:
        return RandomPlayer(level)
