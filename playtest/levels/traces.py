"""Trace blocks, format 1: a few games of one agent in as few bytes as they need.

Little-endian: the four bytes ``PTB1``, u16 number of games, i32 score of each game, u16 length of each game, then the
u16 action codes of all games one after the other, then as many u16 numbers of legal actions before each of them.
Boards, points of a move, cascades and reshuffles are not kept: replaying a game gives them again, and its score and
legal counts check the replay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

MAGIC = b"PTB1"
MAX_U16 = 2**16 - 1
MIN_I32, MAX_I32 = -(2**31), 2**31 - 1
Buffer = bytes | memoryview
"""Databases give binary columns as either."""
U16, I32 = np.dtype("<u2"), np.dtype("<i4")


class TraceFormatError(ValueError):
    """Bytes that are no trace block, or games that do not fit into one."""


@dataclass(frozen=True)
class GameTrace:
    """One game: its final score, the action codes in order, and the number of legal actions before each."""

    score: int
    actions: tuple[int, ...]
    legal_before: tuple[int, ...]

    def legal_mean(self, horizon: int | None = None) -> float | None:
        """Mean number of legal actions before a move, with a horizon K before the first K, 0 after the end.

        None for a game without moves.
        """
        if not self.legal_before:
            return None
        return sum(self.legal_before[:horizon]) / (len(self.legal_before) if horizon is None else horizon)


def encode_block(games: Sequence[GameTrace]) -> bytes:
    """The bytes of these games. Raises TraceFormatError if a number does not fit its field."""
    _check_range("number of games", [len(games)], 0, MAX_U16)
    _check_range("score", [game.score for game in games], MIN_I32, MAX_I32)
    for game in games:
        if len(game.actions) != len(game.legal_before):
            raise TraceFormatError(f"{len(game.actions)} actions but {len(game.legal_before)} legal counts in a game.")
    lengths = [len(game.actions) for game in games]
    actions = [action for game in games for action in game.actions]
    legal = [count for game in games for count in game.legal_before]
    _check_range("number of actions", lengths, 0, MAX_U16)
    _check_range("action code", actions, 0, MAX_U16)
    _check_range("number of legal actions", legal, 0, MAX_U16)
    return b"".join(
        [
            MAGIC,
            np.array([len(games)], U16).tobytes(),
            np.array([game.score for game in games], I32).tobytes(),
            np.array(lengths, U16).tobytes(),
            np.array(actions, U16).tobytes(),
            np.array(legal, U16).tobytes(),
        ]
    )


def decode_block(data: Buffer) -> list[GameTrace]:
    """The games of a block. Raises TraceFormatError if the bytes are not exactly one block."""
    scores, lengths, actions, legal = _arrays(data)
    games = []
    start = 0
    for score, length in zip(scores.tolist(), lengths.tolist(), strict=True):
        end = start + length
        games.append(GameTrace(score, tuple(actions[start:end].tolist()), tuple(legal[start:end].tolist())))
        start = end
    return games


def block_figures(data: Buffer, horizons: Sequence[int | None] | None = None) -> tuple[list[int], list[float]]:
    """Scores, and mean legal actions of the games that have a move, without building the games.

    `horizons` says for each game what `GameTrace.legal_mean` is asked with; without it all moves count.
    """
    scores, lengths, _, legal = _arrays(data)
    ends = np.cumsum(lengths, dtype=np.int64)
    sums = np.concatenate([[0], np.cumsum(legal, dtype=np.int64)])
    means = []
    for end, length, horizon in zip(ends, lengths, horizons or [None] * len(ends), strict=True):
        if length:
            counted = int(length) if horizon is None else min(int(length), horizon)
            first = end - length
            means.append(float(sums[first + counted] - sums[first]) / (horizon or int(length)))
    return scores.tolist(), means


def block_digest(data: bytes) -> str:
    """SHA-256 of a block as 64 hex characters."""
    return sha256(data).hexdigest()


def _check_range(what: str, values: Sequence[int], least: int, most: int) -> None:
    for value in values:
        if not least <= value <= most:
            raise TraceFormatError(f"A {what} of {value} does not fit into a trace block ({least} to {most}).")


def _arrays(
    data: Buffer,
) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.uint16], NDArray[np.uint16]]:
    """The four runs of numbers of a block: scores, lengths, actions, legal counts."""
    data = bytes(data)
    if data[: len(MAGIC)] != MAGIC:
        raise TraceFormatError("These bytes are no trace block of format 1.")
    head = len(MAGIC) + U16.itemsize
    if len(data) < head:
        raise TraceFormatError("The trace block ends before its number of games.")
    games = int(np.frombuffer(data, U16, 1, len(MAGIC))[0])
    body = head + games * (I32.itemsize + U16.itemsize)
    if len(data) < body:
        raise TraceFormatError(f"The trace block ends before the lengths of its {games} games.")
    scores = np.frombuffer(data, I32, games, head)
    lengths = np.frombuffer(data, U16, games, head + games * I32.itemsize)
    moves = int(lengths.sum(dtype=np.int64))
    if len(data) != body + 2 * moves * U16.itemsize:
        raise TraceFormatError(
            f"The trace block has {len(data)} bytes, {body + 2 * moves * U16.itemsize} were announced."
        )
    actions = np.frombuffer(data, U16, moves, body)
    legal = np.frombuffer(data, U16, moves, body + moves * U16.itemsize)
    return scores, lengths, actions, legal
