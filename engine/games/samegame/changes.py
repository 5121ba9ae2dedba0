"""What annealing does to a line of play: a change is drawn, played from its place on, and takes the kept line's place.

A change is one of those in `CHANGES`, at a random place of the line. From there on the line is played again: anchors
that are gone or alone are left out, and what is possible when the list ends is played at random and becomes part of
the line.

Most changes are worse, and most of the work would be to see how much. So a change is abandoned where its moves are
behind the same moves of the kept line by more than it is allowed. And where a changed line comes to a position of the
kept one, with the same moves before it, all that follows is known.

Source: ours.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.samegame.anchors import (
    GONE,
    Line,
    anchor_at,
    copy_place,
    find_anchor,
    group_around,
    load_place,
    make_move,
    new_line,
    same_place,
)
from engine.games.samegame.board import BoardState, colour_cells, find_links, load_planes, pick_cell
from engine.games.samegame.lanes import above, count_bits, has_any, to_right
from engine.games.samegame.playouts import NO_COLOUR
from engine.kernels import inlined_kernel, kernel
from engine.rng import below, unit

# Changes of a line, and how often each is tried: put in a random group, leave a move out, make it earlier or later,
# exchange two, leave out up to `LONGEST_CUT` that follow each other.
INSERT, DELETE, EARLIER, LATER, SWAP, CUT = range(6)
CHANGES = {"insert": 3.0, "delete": 1.0, "earlier": 2.0, "later": 2.0, "swap": 1.0, "cut": 1.0}
LONGEST_CUT = 5


class Change(NamedTuple):
    """A change of the kept line: from `place` on, the first `count` pending anchors are played.

    tail, joint: the pending anchors from `tail` on are those of the kept line from its place `joint` on
    left_out: points that the kept line has from moves which are not pending
    """

    place: int
    count: int
    tail: int
    joint: int
    left_out: int


ABANDONED, PLAYED, JOINED = range(3)


class Outcome(NamedTuple):
    """How the playing of a change ended: too far behind, at the end of the game, or at a position of the kept line.

    joint: the place of that position in the kept line, lost: how many points less the line has there; if it joined
    """

    how: int
    joint: int
    lost: int


class Chain(NamedTuple):
    """The line that is kept and the one that is tried; m is the room of a line.

    state: scratch for positions
    pending, gains: int32[2 * m] and int64[2 * m], anchors that are to be played, and the points that each gave in the
        kept line, 0 if it was not there
    codes: int32[m], scratch for the codes of a line
    odds: float64[6], the chance of each change up to and with that one
    worth: float64[1], what the kept line is worth to the annealing, minus infinity before there is one
    starts: int64[1], how many of the random lines were played that it begins with the best of
    """

    kept: Line
    tried: Line
    state: BoardState
    pending: NDArray[np.int32]
    gains: NDArray[np.int64]
    codes: NDArray[np.int32]
    odds: NDArray[np.float64]
    worth: NDArray[np.float64]
    starts: NDArray[np.int64]


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
        gains=np.zeros(2 * room, np.int64),
        codes=np.zeros(room, np.int32),
        odds=np.cumsum(weights) / weights.sum(),
        worth=np.full(1, -np.inf),
        starts=np.zeros(1, np.int64),
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
def _gain(line, place):
    """The points of the move at a place of the line."""
    return line.points[place + 1] - line.points[place]


@inlined_kernel
def _pend(chain, first, last, count):
    """Append the kept line's anchors of places first..last-1 to the `count` pending ones; how many there are then."""
    for place in range(first, last):
        chain.pending[count] = chain.kept.anchors[place]
        chain.gains[count] = _gain(chain.kept, place)
        count += 1
    return count


@kernel
def propose(chain, rng):
    """Draw a change of the kept line, which has a move, and write its anchors to `chain.pending`."""
    line, state, pending, gains = chain.kept, chain.state, chain.pending, chain.gains
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
        pending[0], gains[0] = anchor_at(line, place, column, height), 0
        return Change(place, _pend(chain, place, length, 1), 1, place, 0)
    if change == DELETE:
        return Change(place, _pend(chain, place + 1, length, 0), 0, place + 1, _gain(line, place))
    if change == CUT:
        end = min(place + 1 + below(rng, LONGEST_CUT), length)
        return Change(place, _pend(chain, end, length, 0), 0, end, line.points[end] - line.points[place])
    if change == EARLIER:
        first = below(rng, place + 1)
        pending[0], gains[0] = _other_anchor(line, place, state, rng), _gain(line, place)
        count = _pend(chain, first, place, 1)
        return Change(first, _pend(chain, place + 1, length, count), count, place + 1, 0)
    other = place + below(rng, length - place)
    span = other - place
    if change == LATER:
        _pend(chain, place + 1, other + 1, 0)
        pending[span], gains[span] = _other_anchor(line, place, state, rng), _gain(line, place)
        return Change(place, _pend(chain, other + 1, length, span + 1), span + 1, other + 1, 0)
    count = _pend(chain, place, length, 0)
    pending[0], pending[span] = pending[span], pending[0]
    gains[0], gains[span] = gains[span], gains[0]
    return Change(place, count, span + 1, other + 1, 0)


@kernel
def play_to_end(line, place, state, tabu, rng):
    """Play a line from a place of it, whose position `state` holds, to the game's end: all groups alike, at random.

    tabu: a colour that is spared for as long as there is another group; NO_COLOUR for none
    """
    while True:
        planes = load_planes(state)
        cells = _removable(planes)
        if not has_any(cells):
            line.length[0] = place
            return
        if tabu != NO_COLOUR:
            others = cells & ~colour_cells(planes, tabu)
            if has_any(others):
                cells = others
        group, column, height = _random_group(state, planes, cells, rng)
        make_move(line, place, state, planes, group, anchor_at(line, place, column, height))
        place += 1


@kernel
def play_pending(line, change, chain, rng, most):
    """Play a change on `line`, which is the kept one up to its place, then at random to the game's end: its Outcome.

    most: by how many points the line may be behind the kept one on the way
    """
    state, place = chain.state, change.place
    load_place(line, place, state)
    # What the kept line had from the moves that were played, and from those that will not be.
    wanted = line.points[place] + change.left_out
    for k in range(change.count):
        lost = wanted - line.points[place]
        if lost > most:
            line.length[0] = place
            return Outcome(ABANDONED, 0, 0)
        joint = change.joint + k - change.tail
        if k >= change.tail and same_place(line, place, chain.kept, joint):
            line.length[0] = place
            return Outcome(JOINED, joint, lost)
        wanted += chain.gains[k]
        anchor = chain.pending[k]
        column, height = find_anchor(line, place, anchor)
        if column != GONE:
            planes = load_planes(state)
            group = group_around(state, planes, column, height)
            if count_bits(group) > 1:
                make_move(line, place, state, planes, group, anchor)
                place += 1
    play_to_end(line, place, state, NO_COLOUR, rng)
    return Outcome(PLAYED, 0, 0)


@inlined_kernel
def keep_line(target, place, source):
    """Make `target`, which is the same up to `place`, the line `source`."""
    length = source.length[0]
    for k in range(place, length):
        target.anchors[k] = source.anchors[k]
        copy_place(target, k, source, k)
    copy_place(target, length, source, length)
    target.length[0] = length


@inlined_kernel
def join_line(kept, place, tried, joint):
    """Put what `tried` has from `place` on before the place `joint` of the line `kept`, which goes on from there."""
    length, end = kept.length[0], tried.length[0]
    shift, gained = end - joint, tried.points[end] - kept.points[joint]
    step = 1 if shift < 0 else -1
    first, last = (joint, length) if shift < 0 else (length, joint)
    for k in range(first, last + step, step):
        copy_place(kept, k + shift, kept, k)
        kept.points[k + shift] += gained
        if k < length:
            kept.anchors[k + shift] = kept.anchors[k]
    for k in range(place, end):
        kept.anchors[k] = tried.anchors[k]
        copy_place(kept, k, tried, k)
    kept.length[0] = length + shift
