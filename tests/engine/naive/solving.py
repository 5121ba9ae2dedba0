"""SameGame solvers in plain Python: every play of a small board, the play-outs of the policies, SP-MCTS.

Written from `docs/algorithms/samegame-solvers.md`; what the kernels do fast must come out the same here, draw by draw.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable

from tests.engine.naive import samegame as twin
from tests.engine.naive.match3 import Draws

Choose = Callable[[twin.Board, list[twin.Group], int, int], twin.Group]


def best_score(rows: list[str] | tuple[str, ...]) -> int:
    """What the best play of a board gives, bonus or deduction included."""
    known: dict[tuple[str, ...], int] = {}

    def best(board: twin.Board) -> int:
        key = tuple(twin.rows_of(board))
        if key not in known:
            found = twin.groups(board)
            known[key] = max(
                ((len(group) - 2) ** 2 + best(twin.without(board, group)) for group in found),
                default=0,
            )
            if not found:
                known[key] = twin.end_points(board)
        return known[key]

    return best(twin.board_of(rows))


def bound(board: twin.Board) -> int:
    """The over-estimator of Schadd et al.: every colour in one group, no bonus if a colour has a single block."""
    if not twin.groups(board):
        return 0
    counts = Counter(colour for line in board for colour in line if colour)
    points = sum((n - 2) ** 2 if n > 1 else -1 for n in counts.values())
    return points + (0 if 1 in counts.values() else 1000)


def worth(found: Iterable[twin.Group]) -> int:
    return sum((len(group) - 2) ** 2 for group in found)


def most_frequent(board: twin.Board) -> int:
    counts = Counter(colour for line in board for colour in line if colour)
    return min(counts, key=lambda colour: (-counts[colour], colour))


def spared(board: twin.Board, found: list[twin.Group], tabu: int) -> list[twin.Group]:
    """The groups without those of a colour, or all if there is no other."""
    return [group for group in found if twin.colour_of(board, group) != tabu] or found


def stepwise(board: twin.Board, choose: Choose, tabu: int | None = None) -> tuple[int, list[int]]:
    """A play-out that spares a colour, unless told otherwise the most frequent one of its start; score and codes."""
    play, codes = twin.Play(board), []
    if tabu is None and twin.groups(board):
        tabu = most_frequent(board)
    while found := twin.in_draw_order(twin.groups(play.board)):
        group = choose(play.board, found, tabu or 0, len(codes))
        codes.append(twin.code_of(play.board, twin.leader(group)))
        play.remove(twin.leader(group))
    return play.score, codes


def roulette(draws: Draws, epsilon: float = 0.0) -> Choose:
    def choose(board: twin.Board, found: list[twin.Group], tabu: int, made: int) -> twin.Group:
        if epsilon > 0 and draws.unit() < epsilon:
            return found[draws.below(len(found))]
        cells = Counter(colour for line in board for colour in line if colour)
        colours = sorted({twin.colour_of(board, group) for group in found} - {tabu})
        among = found
        if colours:
            total = sum(cells[colour] for colour in colours)
            skip = draws.below((len(colours) - 1) * total + len(colours))
            for colour in colours:
                skip -= total - cells[colour] + 1
                if skip < 0:
                    among = [group for group in found if twin.colour_of(board, group) == colour]
                    break
        return among[draws.below(len(among))]

    return choose


def guided(draws: Draws, every: int) -> Choose:
    def choose(board: twin.Board, found: list[twin.Group], tabu: int, made: int) -> twin.Group:
        among = spared(board, found, tabu)
        fitness = [1 + (len(group) - 2) ** 2 for group in among]
        if (made + 1) % every == 0:
            fitness = [
                h + worth(twin.groups(twin.without(board, group))) for h, group in zip(fitness, among, strict=True)
            ]
        skip = draws.below(sum(fitness))
        for h, group in zip(fitness, among, strict=True):
            if skip < h:
                return group
            skip -= h
        raise AssertionError

    return choose


def greedy(draws: Draws) -> Choose:
    def choose(board: twin.Board, found: list[twin.Group], tabu: int, made: int) -> twin.Group:
        among = spared(board, found, tabu)
        values = [4 * len(group) + draws.below(8) for group in among]
        return among[values.index(min(values))]

    return choose


class Node:
    """A stored node of SP-MCTS."""

    def __init__(self, board: twin.Board, points: int, depth: int) -> None:
        self.board, self.points, self.depth = board, points, depth
        self.legal = twin.legal_codes(board)
        self.children: dict[int, Node] = {}
        self.scores: list[int] = []


class SpMcts:
    """SP-MCTS with TabuColorRandom, the threshold as in the papers, one search a game."""

    def __init__(self, board: twin.Board, draws: Draws, c: float, d: float, w: float, t: int, epsilon: float) -> None:
        self.root, self.draws = Node(board, 0, 0), draws
        self.c, self.d, self.w, self.t, self.epsilon = c, d, w, t, epsilon
        self.nodes, self.best, self.playouts = 1, -(10**9), 0

    def value(self, node: Node, child: Node) -> float:
        n = len(child.scores)
        mean = sum(child.scores) / n
        spread = max(sum(score * score for score in child.scores) - n * mean * mean, 0.0) + self.d
        base = mean + self.w * max(child.scores) + math.sqrt(spread / n)
        return base + self.c * math.sqrt(math.log(len(node.scores))) * (1.0 / math.sqrt(n))

    def store(self, node: Node, code: int) -> Node:
        play = twin.Play(node.board)
        gained = play.remove(divmod(code, len(node.board[0])))
        child = node.children[code] = Node(play.board, node.points + gained, node.depth + 1)
        self.nodes += 1
        return child

    def simulate(self) -> None:
        node, path, is_new = self.root, [self.root], False
        while len(node.scores) > self.t and node.legal and not is_new:
            unseen = [code for code in node.legal if code not in node.children]
            if unseen:
                child, is_new = self.store(node, unseen[self.draws.below(len(unseen))]), True
            else:
                child = max((node.children[code] for code in node.legal), key=lambda one: self.value(node, one))
            node = child
            path.append(node)
        score = node.points
        if node.legal:
            play, codes, _ = twin.play_out(node.board, self.draws, most_frequent(node.board), self.epsilon)
            self.playouts += 1
            score += play.score
            if not is_new:
                for code in codes:
                    is_known = code in node.children
                    node = node.children[code] if is_known else self.store(node, code)
                    path.append(node)
                    if not is_known:
                        break
        self.best = max(self.best, score)
        for one in path:
            one.scores.append(score)
