"""Agents by name, by file or by document. A new kind of agent is a file in `personas/agents` and a line in `SIMPLE`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.search.settings import OBJECTIVES
from personas.agents.base import Agent, AgentError, Situation, StoppedError, Trace
from personas.agents.greedy import GreedyAgent
from personas.agents.random_play import RandomAgent
from personas.agents.tree_search import SearchAgent
from personas.persona import Persona, PersonaError, catalogue, load_persona

SIMPLE: Mapping[str, Callable[[], Agent]] = {"random": RandomAgent, "greedy": GreedyAgent}
PAPER_SUFFIX = "-replication"


def agent_names(game: str = "match3") -> list[str]:
    """Every name that `load_agent` knows for a game, in the order in which people want to read them."""
    shipped = catalogue(game)
    first = [name for name in ("vanilla", *OBJECTIVES) if _persona_of(name, game) is not None]
    return [*SIMPLE, *first, *(slug for slug in shipped if slug not in first)]


def _persona_of(name: str, game: str) -> Persona | None:
    """The catalogue's entry for a name; an objective without a standard entry stands for the paper's."""
    shipped = catalogue(game)
    if name in shipped:
        return shipped[name]
    return shipped.get(name + PAPER_SUFFIX) if name in OBJECTIVES else None


def load_agent(
    name: str | Path, *, game: str = "match3", iterations: int | None = None, clairvoyant: bool | None = None
) -> Agent:
    """The agent of that name, or of the persona file at that path.

    `iterations` and `clairvoyant` override the persona's search; agents that do not search take no notice. Raises
    AgentError with a plain sentence.
    """
    text = str(name)
    if text in SIMPLE:
        return SIMPLE[text]()
    try:
        persona = _persona_of(text, game)
        if persona is None:
            if not _is_path(text):
                known = ", ".join(agent_names(game))
                shown = json.dumps(text if len(text) <= 60 else text[:57] + "...", ensure_ascii=False)
                raise AgentError(f"There is no agent {shown}; known are {known}, or give the path of a persona file.")
            persona = load_persona(text)
    except PersonaError as error:
        raise AgentError(f"{text}: {error}") from error
    return SearchAgent(persona.with_search(iterations=iterations, clairvoyant=clairvoyant), text)


def _is_path(text: str) -> bool:
    try:
        return text.endswith(".toml") or "/" in text or Path(text).is_file()
    except OSError:
        # A name that is too long for one.
        return False


def agent_from_document(document: object) -> Agent:
    """The agent that a document describes, as `Agent.document` gives it; raises AgentError with a plain sentence."""
    if not isinstance(document, Mapping):
        raise AgentError("An agent must be a table of names and values.")
    kind: Any = document.get("kind")
    if isinstance(kind, str) and kind in SIMPLE:
        return SIMPLE[kind]()
    try:
        return SearchAgent(Persona.from_document(document))
    except PersonaError as error:
        raise AgentError(str(error)) from error


__all__ = [
    "Agent",
    "AgentError",
    "Situation",
    "StoppedError",
    "Trace",
    "agent_from_document",
    "agent_names",
    "load_agent",
]
