"""What an agent would do at each move of a stored round, and how sure it is: the round is played again, and before each
move the agent searches 32 times with seeds of its own.

Format 1 of the stored bytes, little-endian: `OPN1`, u16 moves, u16 best[moves], f32 share[moves]. `best` is the code of
the action chosen most often, of several the one chosen first; where it is the person's own it has the person's code,
also in games in which an action has several. `share` is the share of searches that chose the person's action.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.level import Level
from engine.round import Round as Game
from personas.agent import Agent
from personas.opinions import choices_at, same_action

SEARCHES = 32
MAGIC = b"OPN1"
U16 = np.dtype("<u2")
F32 = np.dtype("<f4")


class OpinionError(ValueError):
    """Why there is no opinion, in a sentence."""


@dataclass(frozen=True)
class Opinions:
    """One entry for each move that was played, undone ones too; undos have none."""

    best: tuple[int, ...]
    share: tuple[float, ...]


def opinions_of(
    agent: Agent,
    level: Level,
    codes: Sequence[int | None],
    *,
    seed: int,
    searches: int = SEARCHES,
    progress: Callable[[], None] | None = None,
) -> Opinions:
    """The agent's opinions of these moves; None among the codes takes the last move back.

    Step t of `choices_at` is that of the stored step t: the same input gives the same opinions.
    Raises AgentError if the agent cannot play the level, ActionRefused for a move that is not legal.
    """
    player = agent.new_player(level)
    game = Game(level)
    played: list[int] = []
    best: list[int] = []
    share: list[float] = []
    for step, code in enumerate(codes):
        if code is None:
            played = played[:-1]
            game = Game.replay(level, played)
            continue
        chosen = list(choices_at(agent, player, game, seed=seed, step=step, searches=searches))
        own = same_action(game, code)
        counted = [code if choice in own else choice for choice in chosen]
        best.append(max(dict.fromkeys(counted), key=counted.count))
        share.append(counted.count(code) / searches)
        game.play_code(code)
        played.append(code)
        if progress is not None:
            progress()
    return Opinions(tuple(best), tuple(share))


def encode_opinions(opinions: Opinions) -> bytes:
    best = np.array(opinions.best, np.int64)
    if len(best) >= 2**16 or (len(best) and not 0 <= best.min() <= best.max() < 2**16):
        raise OpinionError("The round has more moves, or greater action codes, than the format holds.")
    head = MAGIC + np.array([len(best)], U16).tobytes()
    return head + best.astype(U16).tobytes() + np.array(opinions.share, F32).tobytes()


def decode_opinions(data: bytes | memoryview) -> Opinions:
    """Raises OpinionError if the bytes are not exactly one list of opinions."""
    data = bytes(data)
    head = len(MAGIC) + U16.itemsize
    if data[: len(MAGIC)] != MAGIC or len(data) < head:
        raise OpinionError("These bytes are no opinions of format 1.")
    moves = int(np.frombuffer(data, U16, 1, len(MAGIC))[0])
    if len(data) != head + moves * (U16.itemsize + F32.itemsize):
        raise OpinionError(f"The opinions have {len(data)} bytes, {moves} moves were announced.")
    best = np.frombuffer(data, U16, moves, head)
    share = np.frombuffer(data, F32, moves, head + moves * U16.itemsize)
    return Opinions(tuple(best.tolist()), tuple(share.tolist()))
