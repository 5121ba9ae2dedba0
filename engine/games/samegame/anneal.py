"""Simulated annealing of whole lines of play: what is changed is an ordered list of anchors (`anneal`).

`changes.py` says what a change is. A line that is worse by d is kept with chance exp(-d / temperature); what it may
lose is drawn before it is played, so that most of the worse ones are given up early.

What is annealed is not the score itself, which an almost empty board and an empty one tell apart by a thousand points:
every cell that is left costs some points, up to the whole bonus, and the deduction of the rules is left out.

Source: ours; annealing after Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983.
"""

import math
from bisect import bisect_right
from typing import NamedTuple

from engine.games.samegame.anchors import codes_of, copy_place, load_place
from engine.games.samegame.board import CLEARED_BONUS, end_points, load_planes
from engine.games.samegame.changes import (
    JOINED,
    PLAYED,
    Chain,
    join_line,
    keep_line,
    new_chain,
    play_pending,
    play_to_end,
    propose,
)
from engine.games.samegame.lanes import count_bits
from engine.games.samegame.playouts import most_frequent_colour
from engine.kernels import inlined_kernel, kernel
from engine.rng import new_rng, unit
from engine.solver import (
    DONE,
    NODES,
    PLAYOUTS,
    RESTARTS,
    SCORE,
    Parameter,
    Searcher,
    Solver,
    Tally,
    Task,
    is_due,
    new_tally,
    note_nodes,
    note_play,
)


class Schedule(NamedTuple):
    """hot, cold: temperatures in points, at the beginning and the end of a chain; between them it falls by a constant
        factor in equal times
    left: what a cell that is left costs, in points
    slack: by how many points more than it may lose a line may be behind before it is abandoned
    starts: so many random lines are played for a chain to begin with the best of them
    limit: nodes that they have together; 0 if their time is limited instead
    """

    hot: float
    cold: float
    left: float
    slack: float
    starts: int
    limit: int


class Part(NamedTuple):
    """A chain's share of a stage.

    stage, place: which stage of its group it is, and the rank of the chain among the group's at that stage's beginning
    begin, end: from which part of the whole time to which, 0 to 1; in a plan, of the time of the group
    warm, cool: from which part of the cooling to which, 0 to 1
    """

    stage: int
    place: int
    begin: float
    end: float
    warm: float
    cool: float


@inlined_kernel
def _judge(line, state, left):
    """(What a line is worth to the annealing, its score by the rules); `state` holds its last position."""
    planes = load_planes(state)
    p0, p1, p2, p3 = planes
    points = line.points[line.length[0]]
    bonus = max(CLEARED_BONUS - left * count_bits(p0 | p1 | p2 | p3), 0.0)
    return points + bonus, points + end_points(planes, state.colours)


@inlined_kernel
def _note_line(kept, place, tried, score, state, codes, tally):
    """Note the play of the line `tried`, which up to `place` is the line `kept`."""
    if score > tally.counts[SCORE]:
        codes_of(kept, 0, place, state, codes)
        codes_of(tried, place, tried.length[0], state, codes)
        note_play(tally, score, codes, tried.length[0])


@inlined_kernel
def _start(chain, schedule, rng, tally):
    """Play one more random line, which spares the most frequent colour; the best of them is the kept one."""
    kept, tried, state = chain.kept, chain.tried, chain.state
    load_place(kept, 0, state)
    tabu = most_frequent_colour(state)
    copy_place(tried, 0, kept, 0)
    play_to_end(tried, 0, state, tabu, rng)
    worth, score = _judge(tried, state, schedule.left)
    note_nodes(tally, 1, tried.length[0])
    _note_line(kept, 0, tried, score, state, chain.codes, tally)
    if worth > chain.worth[0]:
        keep_line(kept, 0, tried)
        chain.worth[0] = worth
    chain.starts[0] += 1


@kernel
def anneal(chain, schedule, part, rng, tally, until, spent):
    """Try changes until `tally` has `until` nodes, each a position that was generated, or there is nothing to play.

    spent: the part of the time that is gone, 0 to 1; without meaning if nodes are limited
    """
    kept, tried, state = chain.kept, chain.tried, chain.state
    while is_due(tally, until):
        if chain.starts[0] < schedule.starts:
            tally.counts[RESTARTS] += chain.starts[0] == 0 and tally.counts[NODES] > 0
            _start(chain, schedule, rng, tally)
            if kept.length[0] == 0:
                tally.counts[DONE] = 1
                return
        else:
            if schedule.limit > 0:
                spent = tally.counts[NODES] / schedule.limit
            done = min(max((spent - part.begin) / (part.end - part.begin), 0.0), 1.0)
            cooled = part.warm + (part.cool - part.warm) * done
            allowed = -schedule.hot * (schedule.cold / schedule.hot) ** cooled * math.log(1.0 - unit(rng))
            change = propose(chain, rng)
            place = change.place
            copy_place(tried, place, kept, place)
            # As often as a draw below exp(-loss / temperature), and known before the line is played.
            found = play_pending(tried, change, chain, rng, allowed + schedule.slack)
            if found.how == JOINED and found.lost <= allowed:
                join_line(kept, place, tried, found.joint)
                chain.worth[0] -= found.lost
                if found.lost < 0:
                    load_place(kept, kept.length[0], state)
                    _, score = _judge(kept, state, schedule.left)
                    _note_line(kept, 0, kept, score, state, chain.codes, tally)
            elif found.how == PLAYED:
                worth, score = _judge(tried, state, schedule.left)
                # Kept or not: by the rules it may be the best all the same, as they count otherwise what is left.
                _note_line(kept, place, tried, score, state, chain.codes, tally)
                if chain.worth[0] - worth <= allowed:
                    keep_line(kept, place, tried)
                    chain.worth[0] = worth
            # A change that leaves nothing to play is a try, too, or the loop would not end.
            note_nodes(tally, place + 1, max(tried.length[0], place + 1))
        tally.counts[PLAYOUTS] += 1


def plan_parts(rivals: int) -> list[Part]:
    """The parts of a group of `rivals` chains, in their order; begin and end are those within the group."""
    alive = [rivals]
    while alive[-1] > 1:
        alive.append((alive[-1] + 1) // 2)
    stages = len(alive)
    return [
        Part(
            stage=stage,
            place=place,
            begin=(stage + place / count) / stages,
            end=(stage + (place + 1) / count) / stages,
            warm=stage / stages,
            cool=(stage + 1) / stages,
        )
        for stage, count in enumerate(alive)
        for place in range(count)
    ]


class AnnealSearcher(Searcher):
    def __init__(self, task: Task) -> None:
        settings = task.settings
        self._task = task
        self.schedule = Schedule(
            hot=float(settings["hot"]),
            cold=float(settings["cold"]),
            left=float(settings["left"]),
            slack=float(settings["slack"]),
            starts=int(settings["starts"]),
            limit=task.budget.nodes or 0,
        )
        self._groups, self._rivals = int(settings["chains"]), int(settings["rivals"])
        self._plan = plan_parts(self._rivals)
        self._ends = [part.end for part in self._plan]
        self._group, self._stage = 0, 0
        self.chains = self._new_chains()
        self.rng = new_rng(task.seed, "anneal", task.worker)
        self.tally: Tally = new_tally(len(self.chains[0].codes))

    def _new_chains(self) -> list[Chain]:
        return [new_chain(self._task.game.new_state(self._task.level)) for _ in range(self._rivals)]

    def go_on(self, until: int, spent: float) -> None:
        limit = self.schedule.limit
        while self.nodes < until and not self.finished:
            part = self._part_due(self.nodes / limit if limit else spent)
            end = until
            if limit and part.end < 1.0:
                end = min(until, max(math.ceil(part.end * limit), self.nodes + 1))
            anneal(self.chains[part.place], self.schedule, part, self.rng, self.tally, end, spent)

    def _part_due(self, gone: float) -> Part:
        """The part of the whole search that is due when so much of it is gone, its chain at its place."""
        group = min(int(gone * self._groups), self._groups - 1)
        due = min(bisect_right(self._ends, gone * self._groups - group), len(self._plan) - 1)
        part = self._plan[due]
        if group != self._group:
            self.chains = self._new_chains()
        elif part.stage != self._stage:
            self.chains.sort(key=lambda chain: -chain.worth[0])
        self._group, self._stage = group, part.stage
        return part._replace(begin=(group + part.begin) / self._groups, end=(group + part.end) / self._groups)


class AnnealSolver(Solver):
    name = "anneal"
    title = "Simulated annealing of lists of anchors"
    source = "ours; annealing after Kirkpatrick, Gelatt and Vecchi 1983"
    games = frozenset({"samegame"})
    parameters = (
        Parameter("hot", 45.0, "temperature at the beginning, in points", 0.1, 10_000.0, tuned=(20.0, 120.0)),
        Parameter("cold", 16.0, "temperature at the end, in points", 0.1, 10_000.0, tuned=(5.0, 40.0)),
        Parameter("left", 13.0, "points that a cell costs which is left", 0.0, 1_000.0, tuned=(5.0, 40.0)),
        Parameter(
            "slack", 200.0, "points by which a changed line may be behind on the way", 0.0, 1e6, tuned=(50.0, 400.0)
        ),
        Parameter("starts", 200, "random lines, of which a chain begins with the best", 1, 1_000_000),
        Parameter("rivals", 16, "chains side by side, of which the worse half ends after each stage", 1, 1_000),
        Parameter("chains", 1, "such groups one after the other, each with its part of the budget", 1, 100_000),
    )

    def searcher(self, task: Task) -> Searcher:
        return AnnealSearcher(task)


SOLVER = AnnealSolver()
