"""Match-3: swap two neighbours, clear runs of three or more, let new pieces fall. Paper 004."""

from engine.games.match3.rules import Match3

GAME = Match3()
