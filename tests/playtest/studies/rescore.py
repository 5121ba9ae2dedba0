"""Plays every round of an export again, from its two CSV files and the rules alone: `python rescore.py FOLDER`.

It imports nothing but the standard library and nothing of the program. It prints one JSON object: rounds, moves, and
what does not agree; its exit status is 1 if anything does not. Slow and simple.
"""

import csv
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

EMPTY = "."


def runs(board):
    """All straight stretches of three or more equal pieces, each a set of cells."""
    rows, cols = len(board), len(board[0])
    lines = [[(row, col) for col in range(cols)] for row in range(rows)]
    lines += [[(row, col) for row in range(rows)] for col in range(cols)]
    found = []
    for line in lines:
        stretch = []
        for cell in [*line, None]:
            same = cell and stretch and board[cell[0]][cell[1]] == board[stretch[0][0]][stretch[0][1]] != EMPTY
            if not same:
                if len(stretch) >= 3:
                    found.append(set(stretch))
                stretch = []
            stretch.append(cell)
    return found


def matches(board):
    """Runs that share a cell are one match."""
    found = []
    for run in runs(board):
        touching = [match for match in found if match & run]
        found = [match for match in found if not match & run] + [run.union(*touching)]
    return found


def swapped(board, first, second):
    board = [list(row) for row in board]
    (row, col), (other_row, other_col) = first, second
    board[row][col], board[other_row][other_col] = board[other_row][other_col], board[row][col]
    return board


class Match3:
    def __init__(self, level):
        self.board = [list(row) for row in level["board"]]
        self.drops = level["drops"]
        self.taken = [0] * level["cols"]
        self.most = list(self.taken)

    def legal(self):
        rows, cols = len(self.board), len(self.board[0])
        pairs = [((r, c), (r, c + 1)) for r in range(rows) for c in range(cols - 1)]
        pairs += [((r, c), (r + 1, c)) for r in range(rows - 1) for c in range(cols)]
        return sum(bool(runs(swapped(self.board, *pair))) for pair in pairs)

    def play(self, action):
        first, second = action
        assert abs(first[0] - second[0]) + abs(first[1] - second[1]) == 1, "not neighbours"
        self.board = swapped(self.board, first, second)
        gained = 0
        step = 0
        while found := matches(self.board):
            step += 1
            for match in found:
                gained += step * len(match) * (20 + 10 * (len(match) - 3))
                for row, col in match:
                    self.board[row][col] = EMPTY
            self.fall()
        assert step, "no match"
        return gained

    def fall(self):
        rows = len(self.board)
        for col, drops in enumerate(self.drops):
            column = [self.board[row][col] for row in reversed(range(rows)) if self.board[row][col] != EMPTY]
            missing = rows - len(column)
            begin = self.taken[col]
            assert begin + missing <= len(drops), "drops too short"
            column += drops[begin : begin + missing]
            self.taken[col] += missing
            self.most[col] = max(self.most[col], self.taken[col])
            for height, piece in enumerate(column):
                self.board[rows - 1 - height][col] = piece

    def uses_all_drops(self):
        return all(len(drops) == taken for drops, taken in zip(self.drops, self.most, strict=True))

    def position(self):
        return [list(row) for row in self.board], list(self.taken)

    def go_back(self, position):
        self.board, self.taken = position


class SameGame:
    def __init__(self, level):
        self.board = [list(row) for row in level["board"]]

    def group(self, cell):
        piece = self.board[cell[0]][cell[1]]
        assert piece != EMPTY, "empty cell"
        found, waiting = set(), [tuple(cell)]
        while waiting:
            row, col = waiting.pop()
            inside = 0 <= row < len(self.board) and 0 <= col < len(self.board[0])
            if inside and (row, col) not in found and self.board[row][col] == piece:
                found.add((row, col))
                waiting += [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
        return found

    def legal(self):
        seen, count = set(), 0
        for row, line in enumerate(self.board):
            for col, piece in enumerate(line):
                if piece != EMPTY and (row, col) not in seen:
                    group = self.group((row, col))
                    seen |= group
                    count += len(group) >= 2
        return count

    def play(self, action):
        group = self.group(action)
        assert len(group) >= 2, "a single piece"
        rows, cols = len(self.board), len(self.board[0])
        columns = []
        for col in range(cols):
            kept = [self.board[row][col] for row in range(rows) if (row, col) not in group]
            kept = [piece for piece in kept if piece != EMPTY]
            if kept:
                columns.append([EMPTY] * (rows - len(kept)) + kept)
        columns += [[EMPTY] * rows] * (cols - len(columns))
        self.board = [[column[row] for column in columns] for row in range(rows)]
        gained = (len(group) - 2) ** 2
        if not self.legal():
            left = Counter(piece for line in self.board for piece in line if piece != EMPTY)
            gained += -sum((count - 2) ** 2 for count in left.values()) if left else 1000
        return gained

    def uses_all_drops(self):
        return True

    def position(self):
        return [list(row) for row in self.board]

    def go_back(self, position):
        self.board = position


GAMES = {"match3": Match3, "samegame": SameGame}


def faults_of(row, moves):
    """What does not agree in one round."""
    play = GAMES[row["game"]](json.loads(row["level"]))
    score, made = 0, []
    for number, move in enumerate(moves, start=1):
        assert int(move["seq"]) == number, "a gap"
        before = score
        if move["kind"] == "undo":
            position, score = made.pop()
            play.go_back(position)
        else:
            if int(move["legal_before"]) != play.legal():
                yield f"move {number}: {play.legal()} legal actions, not {move['legal_before']}"
            made.append((play.position(), score))
            score += play.play(json.loads(move["action"]))
            if move["reshuffled"]:
                play.board = [list(line) for line in json.loads(move["reshuffled"])]
        if (score - before, score) != (int(move["gained"]), int(move["score_after"])):
            yield f"move {number}: {score - before} to {score}, not {move['gained']} to {move['score_after']}"
    if (score, len(made)) != (int(row["score"]), int(row["moves"])):
        yield f"{score} points in {len(made)} moves, not {row['score']} in {row['moves']}"
    if not play.uses_all_drops():
        yield "drops that never fell"


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def main(folder):
    csv.field_size_limit(2**24)
    moves = defaultdict(list)
    for move in read(folder / "moves.csv"):
        moves[move["round"]].append(move)
    faults, rounds, count = [], 0, 0
    for row in read(folder / "rounds.csv"):
        rounds += 1
        own = moves.pop(row["round"], [])
        count += len(own)
        try:
            faults += [f"{row['round']}: {fault}" for fault in faults_of(row, own)]
        except AssertionError as fault:
            faults.append(f"{row['round']}: {fault}")
    faults += [f"{name}: moves of no round" for name in moves]
    sys.stdout.write(json.dumps({"rounds": rounds, "moves": count, "faults": faults}) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
