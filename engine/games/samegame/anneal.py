"""Simulated annealing of whole lines of play: what is changed is an ordered list of anchors (`anneal`).

A change is one of those in `CHANGES`, at a random place of the line. From there on the line is played again: anchors
that are gone or alone are left out, and what is possible when the list ends is played at random and becomes part of
the line. A line that is worse by d is kept with chance exp(-d / temperature).

What is annealed is not the score itself, which an almost empty board and an empty one tell apart by a thousand points:
every cell that is left costs some points, up to the whole bonus, and the deduction of the rules is left out.

Source: ours; annealing after Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.samegame.anchors import (
    GONE,
    Line,
    anchor_at,
    codes_of,
    copy_place,
    find_anchor,
    group_around,
    load_place,
    make_move,
    new_line,
)
from engine.games.samegame.board import (
    CLEARED_BONUS,
    BoardState,
    end_points,
    find_links,
    load_planes,
    pick_cell,
)
from engine.games.samegame.lanes import above, count_bits, to_right
from engine.kernels import inlined_kernel, kernel
from engine.rng import below, new_rng, unit
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
    new_tally,
    note_nodes,
    note_play,
)

# Changes of a line, and how often each is tried: put in a random group, leave a move out, make it earlier or later,
# exchange two, leave out up to `LONGEST_CUT` that follow each other.
INSERT, DELETE, EARLIER, LATER, SWAP, CUT = range(6)
CHANGES = {"insert": 3.0, "delete": 1.0, "earlier": 2.0, "later": 2.0, "swap": 1.0, "cut": 1.0}
LONGEST_CUT = 5


class Schedule(NamedTuple):
    """hot, cold: temperatures in points, at the beginning and the end of a chain; between them it falls by a constant
        factor in equal times
    left: what a cell that is left costs, in points
    chains: so many chains one after the other, each from a new random line
    limit: nodes that they have together; 0 if their time is limited instead
    """

    hot: float
    cold: float
    left: float
    chains: int
    limit: int


class Chain(NamedTuple):
    """The line that is kept and the one that is tried; m is the room of a line.

    state: scratch for positions
    pending, codes: int32[2 * m] and int32[m], scratch: anchors that are to be played, and the codes of a line
    odds: float64[6], the chance of each change up to and with that one
    worth: float64[1], what the kept line is worth to the annealing
    number: int64[1], how many chains were begun
    """

    kept: Line
    tried: Line
    state: BoardState
    pending: NDArray[np.int32]
    codes: NDArray[np.int32]
    odds: NDArray[np.float64]
    worth: NDArray[np.float64]
    number: NDArray[np.int64]


def new_chain(state: BoardState) -> Chain:
    """A chain on the board of `state`, which becomes its scratch, before its first line."""
    kept, tried = new_line(state), new_line(state)
    room = len(kept.anchors)
    weights = np.array(list(CHANGES.values()))
    return Chain(
        kept=kept,
        tried=tried,
        state=state,
        pending=np.zeros(2 * room, np.int32),
        codes=np.zeros(room, np.int32),
        odds=np.cumsum(weights) / weights.sum(),
        worth=np.zeros(1),
        number=np.zeros(1, np.int64),
    )


@inlined_kernel
def _removable(planes):
    """The vector of all cells that have a neighbour of their colour."""
    up, right = find_links(planes)
    return up | above(up) | right | to_right(right)


@inlined_kernel
def _random_group(state, planes, cells, rng):
    """(A group as a vector, column and height of a cell of it): all groups of `cells` alike, then all cells of it.

    planes: what `state` holds; cells: as `_removable` gives them, not empty
    """
    count = count_bits(cells)
    while True:
        column, height = pick_cell(state, cells, below(rng, count))
        group = group_around(state, planes, column, height)
        # A cell is drawn more often the larger its group is; so that is taken back.
        if unit(rng) * count_bits(group) < 2.0:
            return group, column, height


@inlined_kernel
def _other_anchor(line, place, state, rng):
    """A random anchor for the group that is removed at `place`: cells of a group do not all stay together elsewhere."""
    load_place(line, place, state)
    column, height = find_anchor(line, place, line.anchors[place])
    group = group_around(state, load_planes(state), column, height)
    column, height = pick_cell(state, group, below(rng, count_bits(group)))
    return anchor_at(line, place, column, height)


@inlined_kernel
def _pend(line, first, last, pending, count):
    """Append the anchors of places first..last-1 to the `count` that are pending; how many there are then."""
    for place in range(first, last):
        pending[count] = line.anchors[place]
        count += 1
    return count


@kernel
def propose(chain, rng):
    """Draw a change of the kept line, which has a move: (the place from which on it changes, anchors pending)."""
    line, state, pending = chain.kept, chain.state, chain.pending
    length = line.length[0]
    drawn = unit(rng)
    change = 0
    while change < CUT and drawn >= chain.odds[change]:
        change += 1
    place = below(rng, length)
    if change == INSERT:
        load_place(line, place, state)
        planes = load_planes(state)
        _, column, height = _random_group(state, planes, _removable(planes), rng)
        pending[0] = anchor_at(line, place, column, height)
        return place, _pend(line, place, length, pending, 1)
    if change == DELETE:
        return place, _pend(line, place + 1, length, pending, 0)
    if change == CUT:
        return place, _pend(line, place + 1 + below(rng, LONGEST_CUT), length, pending, 0)
    if change == EARLIER:
        first = below(rng, place + 1)
        pending[0] = _other_anchor(line, place, state, rng)
        count = _pend(line, first, place, pending, 1)
        return first, _pend(line, place + 1, length, pending, count)
    other = place + below(rng, length - place)
    if change == LATER:
        count = _pend(line, place + 1, other + 1, pending, 0)
        pending[count] = _other_anchor(line, place, state, rng)
        return place, _pend(line, other + 1, length, pending, count + 1)
    count = _pend(line, place, length, pending, 0)
    pending[0], pending[other - place] = pending[other - place], pending[0]
    return place, count


@kernel
def play_pending(line, place, count, chain, rng):
    """Play the `count` pending anchors on `line` from `place` on, then at random to the end of the game."""
    state = chain.state
    load_place(line, place, state)
    for k in range(count):
        anchor = chain.pending[k]
        column, height = find_anchor(line, place, anchor)
        if column != GONE:
            planes = load_planes(state)
            group = group_around(state, planes, column, height)
            if count_bits(group) > 1:
                make_move(line, place, state, planes, group, anchor)
                place += 1
    while True:
        planes = load_planes(state)
        cells = _removable(planes)
        if count_bits(cells) == 0:
            line.length[0] = place
            return
        group, column, height = _random_group(state, planes, cells, rng)
        make_move(line, place, state, planes, group, anchor_at(line, place, column, height))
        place += 1


@inlined_kernel
def _judge(line, state, left):
    """(What a line is worth to the annealing, its score by the rules); `state` holds its last position."""
    planes = load_planes(state)
    p0, p1, p2, p3 = planes
    points = line.points[line.length[0]]
    bonus = max(CLEARED_BONUS - left * count_bits(p0 | p1 | p2 | p3), 0.0)
    return points + bonus, points + end_points(planes, state.colours)


@inlined_kernel
def _copy_from(target, place, source):
    """Make `target`, which is the same up to `place`, the line `source`."""
    length = source.length[0]
    for k in range(place, length):
        target.anchors[k] = source.anchors[k]
        copy_place(target, source, k)
    copy_place(target, source, length)
    target.length[0] = length


@inlined_kernel
def _note_line(line, score, state, codes, tally):
    if score > tally.counts[SCORE]:
        codes_of(line, state, codes)
        note_play(tally, score, codes, line.length[0])


@kernel
def anneal(chain, schedule, rng, tally, until, spent):
    """Try changes until `tally` has `until` nodes, each a position that was generated, or there is nothing to play.

    spent: the part of the time that is gone, 0 to 1; without meaning if nodes are limited
    """
    kept, tried, state = chain.kept, chain.tried, chain.state
    while tally.counts[NODES] < until:
        if schedule.limit > 0:
            spent = tally.counts[NODES] / schedule.limit
        gone = min(spent, 1.0) * schedule.chains
        if chain.number[0] < schedule.chains and gone >= chain.number[0]:
            play_pending(kept, 0, 0, chain, rng)
            chain.worth[0], score = _judge(kept, state, schedule.left)
            chain.number[0] += 1
            tally.counts[RESTARTS] += chain.number[0] > 1
            place = 0
            _note_line(kept, score, state, chain.codes, tally)
            note_nodes(tally, 1, kept.length[0])
            if kept.length[0] == 0:
                tally.counts[DONE] = 1
                return
        else:
            temperature = schedule.hot * (schedule.cold / schedule.hot) ** (gone - chain.number[0] + 1)
            place, count = propose(chain, rng)
            copy_place(tried, kept, place)
            play_pending(tried, place, count, chain, rng)
            worth, score = _judge(tried, state, schedule.left)
            loss = chain.worth[0] - worth
            if loss <= 0.0 or unit(rng) < math.exp(-loss / temperature):
                _copy_from(kept, place, tried)
                chain.worth[0] = worth
                _note_line(kept, score, state, chain.codes, tally)
            # A change that leaves nothing to play is a try, too, or the loop would not end.
            note_nodes(tally, place + 1, max(tried.length[0], place + 1))
        tally.counts[PLAYOUTS] += 1


class AnnealSearcher(Searcher):
    def __init__(self, task: Task) -> None:
        settings = task.settings
        state = task.game.new_state(task.level)
        self.chain = new_chain(state)
        self.schedule = Schedule(
            hot=float(settings["hot"]),
            cold=float(settings["cold"]),
            left=float(settings["left"]),
            chains=int(settings["chains"]),
            limit=task.budget.nodes or 0,
        )
        self.rng = new_rng(task.seed, "anneal", task.worker)
        self.tally: Tally = new_tally(len(self.chain.codes))

    def advance(self, until: int, spent: float) -> None:
        anneal(self.chain, self.schedule, self.rng, self.tally, until, spent)


class AnnealSolver(Solver):
    name = "anneal"
    title = "Simulated annealing of lists of anchors"
    source = "ours; annealing after Kirkpatrick, Gelatt and Vecchi 1983"
    games = frozenset({"samegame"})
    parameters = (
        Parameter("hot", 45.0, "temperature at the beginning, in points", 0.1, 10_000.0, tuned=(20.0, 120.0)),
        Parameter("cold", 16.0, "temperature at the end, in points", 0.1, 10_000.0, tuned=(5.0, 40.0)),
        Parameter("left", 13.0, "points that a cell costs which is left", 0.0, 1_000.0, tuned=(5.0, 40.0)),
        Parameter("chains", 1, "chains one after the other, each with its part of the budget", 1, 100_000),
    )

    def searcher(self, task: Task) -> Searcher:
        return AnnealSearcher(task)


SOLVER = AnnealSolver()
