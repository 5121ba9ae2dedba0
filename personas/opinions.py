"""What an agent would do at a position, and how sure it is: it searches again and again with seeds of its own."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.rng import stream
from engine.round import Round as Game
from personas.agent import Agent, Situation


@dataclass(frozen=True)
class Choice:
    """An action, how many of the searches chose it, and its JSON value."""

    code: int
    times: int
    action: Any


def choices_at(agent: Agent, player: Any, game: Game, *, seed: int, step: int, searches: int) -> Iterator[int]:
    """The action that each search chooses at the position of `game`, one after the other.

    Search k draws from the stream (seed, "opinion", step, k): the same input gives the same choices. `player` is one
    that the agent made for the game's level. An action may have several codes, see `same_action`.
    """
    level = game.level
    situation = Situation(game.score, game.legal_total, game.moves_used, game.moves_left, level.horizon)
    queue = game.queued if agent.clairvoyant else None
    for search in range(searches):
        player.rng[0] = stream(seed, "opinion", step, search)
        yield int(player.choose(game.state, queue, situation))


def ranked(game: Game, chosen: list[int]) -> list[Choice]:
    """The chosen actions, the most frequent first, of several the first chosen. All codes of an action count as one."""
    first: dict[int, int] = {}
    for code in chosen:
        if code not in first:
            first |= dict.fromkeys(same_action(game, code), code)
    times = Counter(first[code] for code in chosen)
    return [Choice(code, count, game.game.decode_action(game.level, code)) for code, count in times.most_common()]


def same_action(game: Game, code: int) -> set[int]:
    """Every code that names the same action now: all cells of a group, or the one swap."""
    groups = game.groups()
    if groups is None:
        return {code}
    cols = game.level.cols
    cells = [number for row in groups.numbers for number in row]
    assert len(cells) == game.level.rows * cols
    return {place for place, number in enumerate(cells) if number and number == cells[code]} or {code}
