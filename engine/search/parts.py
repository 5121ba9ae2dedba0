"""Searches that divide their budget: into restarts of the whole search, or into one search before every action.

Sources: Schadd et al. 2008, section 4.2 (meta-search), and 2012, sections 4.2 (final move selection), 4.3 (randomised
restarts) and 6.4 (time control): with a search for every action each gets the budget divided by the mean length of a
game, a fresh tree, and the best line so far is kept and followed.
"""

from abc import abstractmethod

import numpy as np

from engine.game import apply_action, is_over
from engine.rng import new_rng
from engine.search.tree import copy_words
from engine.solver import (
    DONE,
    LENGTH,
    MOST,
    MOST_NODES,
    NO_FURTHER,
    NOTHING,
    RESTARTS,
    SCORE,
    Parameter,
    Searcher,
    Task,
    new_tally,
)

PER = Parameter("per", "game", "one search for the whole game, or one before each action", choices=("game", "move"))
RESTARTS_OF_GAME = Parameter("restarts", 1, "searches from the start that share the budget (per game)", 1, 1_000_000)
NODES_EACH = Parameter(
    "nodes_each", 0, "restart after so many nodes instead of sharing the budget; 0: do not (per game)", 0, 1_000_000_000
)
SIMULATIONS_EACH = Parameter(
    "simulations_each",
    0,
    "exactly as many trees as restarts, each of so many simulations, whether they find something new or not;"
    " 0: each ends once it finds nothing new, and another follows (per game)",
    0,
    1_000_000_000,
)
LENGTH_OF_GAME = Parameter(
    "length", 64.4, "expected actions of a game: each action gets the budget divided by it (per move)", 1.0, 400.0
)


class PartedSearcher(Searcher):
    """A searcher whose budget has equal parts. `search` does the work, from the position `root` that `walked` led to.

    walk: the tally that kernels write: its best play is that of this walk along the game, `tally` keeps the best of all
    """

    def __init__(self, task: Task, *, follows_best: bool = True) -> None:
        level, game = task.level, task.game
        self.task = task
        self.longest = game.code_limit(level)
        self.tally, self.walk = new_tally(self.longest), new_tally(self.longest)
        self.start = game.new_state(level)
        self.root = self.start.words.copy()
        self.state = game.new_state(level)
        self.rng = np.zeros(1, np.uint64)
        self.chance = game.sampled(self.rng)
        self.walked = np.zeros(self.longest, np.int32)
        self.depth = 0
        self.points = 0
        self.follows_best = follows_best
        self.per_move = task.settings["per"] == "move"
        self.parts = float(task.settings["length"]) if self.per_move else int(task.settings["restarts"])
        self.nodes_each = 0 if self.per_move else int(task.settings.get("nodes_each", 0))
        self.simulations_each = 0 if self.per_move else int(task.settings.get("simulations_each", 0))
        self.part = 0
        self.began = 0
        self.has_searched = False
        self.draw_again()

    @abstractmethod
    def search(self, until: int) -> bool:
        """Go on with the search of this part until `nodes >= until` or for a slice; False if it can do no more."""

    @abstractmethod
    def begin(self) -> None:
        """Forget the search of the last part, and begin one at `root`."""

    def chosen(self) -> int:
        """The action to make at the end of a part (per move): the next of the best line of this walk."""
        return int(self.walk.codes[self.depth])

    def draw_again(self) -> None:
        """Begin the stream of this part."""
        self.rng[0] = new_rng(self.task.seed, "solve", self.task.worker, self.part)[0]

    def aim_at(self, most: int) -> None:
        super().aim_at(most)
        self.walk.counts[MOST] = most

    def go_on(self, until: int, spent: float) -> None:
        if self.has_searched and self._is_out(spent):
            self._next_part()
            if self.finished:
                return
        before, is_out = self.nodes, self._is_out(spent)
        # A part that got nothing because the last one took too much searches a little nevertheless.
        goes_on = self.search(before + 1 if is_out else min(until, self._end_of_part()))
        self._gather()
        self.has_searched = not is_out or self.nodes > before
        if not goes_on and not self.finished:
            self._next_part()

    @property
    def _is_timed(self) -> bool:
        """Whether parts are parts of the time."""
        return self.task.budget.nodes is None and not self.nodes_each

    def _is_out(self, spent: float) -> bool:
        """Whether this part's share of the budget is spent."""
        return self.nodes >= self._end_of_part() or (self._is_timed and spent >= (self.part + 1) / self.parts)

    def _end_of_part(self) -> int:
        """How many nodes there are when this part ends, if nodes end it."""
        if self.nodes_each:
            return self.began + self.nodes_each
        total = self.task.budget.nodes
        return MOST_NODES if total is None else int(np.ceil(total * (self.part + 1) / self.parts))

    def _next_part(self) -> None:
        self.part += 1
        self.began = self.nodes
        self.has_searched = False
        if self.simulations_each and self.part >= self.parts:
            self.walk.counts[DONE] = NO_FURTHER
            self._gather()
            return
        self.draw_again()
        if not self.per_move:
            self.walk.counts[RESTARTS] += 1
        else:
            self._make_action()
        if not self.finished:
            self.begin()
        self._gather()

    def _make_action(self) -> None:
        """Go on by an action; at the end of the game back to the start, where another walk begins."""
        action = self.chosen()
        copy_words(self.state.words, self.root)
        self.points += int(apply_action(self.state, action, self.chance))
        copy_words(self.root, self.state.words)
        self.walked[self.depth] = action
        self.depth += 1
        if not is_over(self.state):
            if not self.follows_best:
                self.walk.counts[SCORE] = NOTHING
            return
        if not self.follows_best:
            # What counts is the game as it was played, not the best that was seen on the way.
            self._finish_walk()
            return
        copy_words(self.root, self.start.words)
        self.depth = self.points = 0
        self.walk.counts[SCORE] = NOTHING
        self.walk.counts[RESTARTS] += 1

    def _finish_walk(self) -> None:
        self.walk.counts[SCORE] = self.points
        self.walk.counts[LENGTH] = self.depth
        self.walk.codes[: self.depth] = self.walked[: self.depth]
        self.walk.counts[DONE] = NO_FURTHER

    def _gather(self) -> None:
        """Bring the walk's counts, and its play if it is the best of all, into `tally`."""
        walk, best = self.walk.counts, self.tally.counts
        if walk[SCORE] > best[SCORE] or (not self.follows_best and walk[SCORE] != NOTHING):
            best[SCORE], best[LENGTH] = walk[SCORE], walk[LENGTH]
            self.tally.codes[:] = self.walk.codes
        best[:SCORE] = walk[:SCORE]
        best[DONE] = walk[DONE]
