"""What each default agent would do at one position of a replay, computed when somebody asks."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.level import Level
from engine.round import Round as Game
from personas.agent import agent_from_document
from personas.opinions import choices_at, ranked
from playtest.levels.models import AgentSpec, DefaultAgent
from playtest.levels.selectors import agent_label, agent_role
from playtest.replay import cells_text

SEARCHES = 32
LEAST_SEARCHES, SECONDS = 4, 1.5
"""A position of a large board may take longer: then the answer is that of fewer searches, and says of how many."""
MOST_CODES = 5_000
SHOWN = 3
_one_at_a_time = threading.Lock()
"""Pages ask for one agent after the other; two readers wait for each other, and people who play for neither."""


@dataclass(frozen=True)
class Adviser:
    """An agent whose opinion may be asked."""

    slug: str
    label: str
    role: str
    spec: AgentSpec


def advisers(game: str) -> list[Adviser]:
    """The agents that play in a report unless others are named, in its order."""
    rows = DefaultAgent.objects.filter(game=game, offered=True).select_related("agent_spec")
    return [Adviser(row.slug, agent_label(row.agent_spec), agent_role(row.agent_spec), row.agent_spec) for row in rows]


def advice(adviser: Adviser, level: Level, codes: Sequence[int | None]) -> dict[str, Any]:
    """The actions that the agent chooses after these stored codes, as JSON; None takes the last move back.

    Over a round of the level's seed the searches are those of the stored opinions about its move. Raises AgentError
    if the agent cannot play the level, ActionRefused for codes that cannot be played.
    """
    game = Game.replay(level, codes)
    if game.over is not None:
        return {"over": True, "searches": 0, "choices": []}
    agent = agent_from_document(adviser.spec.spec)
    chosen: list[int] = []
    with _one_at_a_time:
        player = agent.new_player(level)
        until = None
        for code in choices_at(agent, player, game, seed=level.seed, step=len(codes), searches=SEARCHES):
            chosen.append(code)
            # The first search of a process loads its kernels; that says nothing of the others.
            until = time.monotonic() + SECONDS if until is None else until
            if len(chosen) >= LEAST_SEARCHES and time.monotonic() > until:
                break
    found = ranked(game, chosen)
    return {
        "over": False,
        "searches": len(chosen),
        "choices": [
            {"action": one.action, "words": cells_text(one.action), "times": one.times} for one in found[:SHOWN]
        ],
        "others": max(0, len(found) - SHOWN),
    }
