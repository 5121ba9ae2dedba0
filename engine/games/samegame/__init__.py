"""SameGame: remove groups of equal neighbours, let the rest fall and close up. Papers 000, 001, 002."""

from engine.games.samegame.rules import SameGame

GAME = SameGame()
