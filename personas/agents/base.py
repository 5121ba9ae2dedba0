"""What every agent offers: one action in the middle of a game, or whole games, many at a time on threads.

An agent is data (`document`) and two kernels' worth of behaviour. Its games depend on the level, the seed and the
agent alone: action `t` draws from the stream (seed, "agent", t), whoever asks for it and on whichever thread.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, copy_state, get_game
from engine.level import Level
from engine.rng import Rng, stream
from engine.round import Round

Job = TypeVar("Job")
Result = TypeVar("Result")

Progress = Callable[[int], None]
"""Called from the calling thread with the number of games that are newly done."""

Stop = Callable[[], bool]
"""Asked between games, from any thread; True ends the work with `StoppedError`."""

# A game without a limit on moves ends by itself; no kernel writes more actions than this.
LONGEST_GAME = 1000


class AgentError(ValueError):
    """An agent that does not exist or cannot play this; the message is one plain sentence."""


class StoppedError(Exception):
    """Games were broken off because the caller's `stop` said so; nothing of them is kept."""


@dataclass(frozen=True)
class Trace:
    """One game: action codes in order, and the number of legal actions before each."""

    agent: str
    seed: int
    level: Level
    codes: tuple[int, ...]
    score: int
    legal_before: tuple[int, ...]

    @property
    def legal_mean(self) -> float:
        """Mean number of legal actions before an action; 0 for a game without actions.

        If the level has a horizon K it is the sum over the first K actions divided by K, which counts 0 after the end.
        """
        if self.level.horizon is not None:
            return sum(self.legal_before[: self.level.horizon]) / self.level.horizon
        return sum(self.legal_before) / len(self.legal_before) if self.legal_before else 0.0

    def to_json(self) -> dict[str, Any]:
        """The line of a trace file: the level has its board and the pieces that fell, so `replay` needs no more."""
        game = get_game(self.level.game)
        played = Round.replay(self.level, self.codes)
        level = self.level.to_document()
        drops = played.drops_fallen()
        if drops:
            level["drops"] = drops
        return {
            "agent": self.agent,
            "seed": self.seed,
            "game_version": game.info.version,
            "level": level,
            "actions": [game.decode_action(self.level, code) for code in self.codes],
            "score": self.score,
            "legal_moves": list(self.legal_before),
        }


@dataclass(frozen=True)
class Situation:
    """What happened before the position that an agent looks at. `left` None: the game has no limit on moves.

    `legal_total` sums the numbers of legal actions before the actions made, as `Round.legal_total` does.
    """

    points: int = 0
    legal_total: int = 0
    made: int = 0
    left: int | None = None
    horizon: int | None = None


class Player(ABC):
    """An agent at the board of one thread, for levels of one size: owns the memory that its kernels write to."""

    def __init__(self, level: Level) -> None:
        self.game: Game = get_game(level.game)
        self.rng: Rng = np.zeros(1, np.uint64)
        self.chance = self.game.sampled(self.rng)
        self.actions: NDArray[np.int32] = np.zeros(self.game.code_limit(level), np.int32)
        self.codes: NDArray[np.int32] = np.zeros(LONGEST_GAME, np.int32)
        self.legal_before: NDArray[np.int32] = np.zeros(LONGEST_GAME, np.int32)

    @abstractmethod
    def play(self, state: Any, work: Any, queue: Any, key: np.uint64, begin: Situation) -> tuple[int, int]:
        """Play a game from its beginning; points and number of actions. Fills `codes`, `legal_before`.

        state: changed in place; work: scratch; queue: the level's true chance; key: the game's stream
        """

    @abstractmethod
    def choose(self, state: Any, queue: Any, situation: Situation) -> int:
        """The code of the action for `state`, drawing from `rng` as it stands; `queue` None: the future is unknown."""


class Agent(ABC):
    """Someone who plays. Immutable; safe to use from several threads."""

    name: str
    kind: str
    clairvoyant: bool = False

    @property
    def title(self) -> str:
        """The name as results show it: who looks at the true queue carries that word."""
        return f"{self.name} (clairvoyant)" if self.clairvoyant else self.name

    @property
    @abstractmethod
    def document(self) -> dict[str, Any]:
        """A JSON document from which `personas.agent.agent_from_document` makes an equal agent."""

    def check_level(self, level: Level) -> None:
        """Raise AgentError if the agent cannot play the level."""
        if level.moves is not None and level.moves > LONGEST_GAME:
            raise AgentError(f"Agents play at most {LONGEST_GAME} moves, the level has {level.moves}.")

    @abstractmethod
    def new_player(self, level: Level) -> Player:
        """A player for levels of the same game and size; raises AgentError if the agent cannot play them."""

    def choose(self, played: Round, rng_seed: int) -> list[Any]:
        """The JSON action that the agent plays next in the round `played`, where it uses the game seed `rng_seed`.

        Asked move by move with the same seed it plays the same game as `play_games`.
        """
        situation = Situation(
            played.score, played.legal_total, played.moves_used, played.moves_left, played.level.horizon
        )
        player = self.new_player(played.level)
        player.rng[0] = _action_stream(rng_seed, played.moves_used)
        queue = played.queued if self.clairvoyant else None
        code = player.choose(played.state, queue, situation)
        return player.game.decode_action(played.level, int(code))

    def choose_on_board(self, level: Level, situation: Situation, rng_seed: int) -> list[Any]:
        """The JSON action for the start board of `level`, reached as `situation` says: for who sees only the board.

        Where the situation names no horizon but the level has one, that is taken for what is left of it. Raises
        AgentError for a clairvoyant agent, which needs to see what will fall.
        """
        if self.clairvoyant:
            raise AgentError(f"{self.name} looks at the level's queue and cannot play from a board alone.")
        player = self.new_player(level)
        player.rng[0] = _action_stream(rng_seed, situation.made)
        if level.horizon is not None:
            left = level.horizon if situation.horizon is None else max(situation.horizon - situation.made, 0)
            situation = replace(situation, horizon=situation.made + left)
            level = replace(level, horizon=left)
        code = player.choose(player.game.new_state(level), None, situation)
        return player.game.decode_action(level, int(code))

    def play_games(
        self,
        levels: Sequence[Level],
        seeds: Sequence[int],
        *,
        moves: int | None = None,
        threads: int = 1,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> list[Trace]:
        """Game i on level i with seed i, in that order; `moves` overrides the levels' number of moves.

        The games are the same on any number of threads. Raises StoppedError if `stop` said so.
        """
        jobs = list(zip(levels, seeds, strict=True))

        def play_one(desk: "Desk", job: tuple[Level, int]) -> Trace:
            return desk.play(self, *job, moves=moves)

        return run_jobs(play_one, jobs, threads=threads, progress=progress, stop=stop)


class Desk:
    """The players of one thread: one for each agent and size of level, made when first needed.

    An agent must outlive the desk, since it is known by its identity.
    """

    def __init__(self) -> None:
        self._players: dict[tuple[int, str, int, int], Player] = {}

    def play(self, agent: Agent, level: Level, seed: int, *, moves: int | None = None) -> Trace:
        """One whole game."""
        place = (id(agent), level.game, level.rows, level.cols)
        player = self._players.get(place)
        if player is None:
            player = self._players[place] = agent.new_player(level)
        length = moves if moves is not None else level.moves
        state = player.game.new_state(level)
        queue = player.game.queued(level)
        key = np.uint64(stream(seed, "agent"))
        begin = Situation(left=length, horizon=level.horizon)
        points, made = player.play(state, copy_state(state), queue, key, begin)
        return Trace(
            agent=agent.name,
            seed=seed,
            level=level,
            codes=tuple(player.codes[:made].tolist()),
            score=int(points),
            legal_before=tuple(player.legal_before[:made].tolist()),
        )


def run_jobs(
    work: Callable[[Desk, Job], Result],
    jobs: Sequence[Job],
    *,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
    weigh: Callable[[Result], int] = lambda result: 1,
) -> list[Result]:
    """`work(desk, job)` for every job, results in the order of the jobs; each thread has a desk of its own.

    `progress` hears of each result, as many games as `weigh` says it holds.

    Kernels release the interpreter lock, so threads run side by side. Raises StoppedError if `stop` said so between two
    jobs; an error or a keyboard interrupt ends the other threads after the job that they are at.
    """
    desks = threading.local()
    given_up = threading.Event()

    def run_one(job: Job) -> Result:
        if given_up.is_set() or (stop is not None and stop()):
            raise StoppedError
        if not hasattr(desks, "desk"):
            desks.desk = Desk()
        return work(desks.desk, job)

    results: list[Result] = []
    if threads <= 1 or len(jobs) <= 1:
        for job in jobs:
            results.append(run_one(job))
            _report(progress, weigh(results[-1]))
        return results
    with ThreadPoolExecutor(threads, thread_name_prefix="games") as pool:
        try:
            for result in pool.map(run_one, jobs):
                results.append(result)
                _report(progress, weigh(result))
        except BaseException:
            given_up.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def _report(progress: Progress | None, games: int) -> None:
    if progress is not None:
        progress(games)


def _action_stream(seed: int, action: int) -> int:
    return stream(seed, "agent", action)
