"""Agents as data."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django.db import transaction

from engine.level import canonical_json
from personas.agent import agent_from_document, agent_names, load_agent
from playtest.levels.models import AgentKind, AgentSpec, DefaultAgent

DEFAULT_AGENTS = ("maxs", "vanilla", "greedy", "maxm", "random", "minm", "mins")
"""Who plays in a report unless others are named, in the order of its rows."""


def agent_spec_ensure(*, document: Mapping[str, Any]) -> AgentSpec:
    """The row of the agent that the document describes. Equal documents are one row.

    Raises AgentError or PersonaError with a plain sentence for a document that describes no agent.
    """
    agent = agent_from_document(dict(document))
    spec = agent.document
    row, _ = AgentSpec.objects.get_or_create(
        hash=document_hash(spec),
        defaults={"kind": AgentKind[agent.kind.upper()], "spec": spec, "clairvoyant": agent.clairvoyant},
    )
    return row


def default_agents_ensure(*, game: str) -> list[DefaultAgent]:
    """Rows of the default agents that this release has for a game. One that was left out stays so."""
    known = agent_names(game)
    rows = []
    with transaction.atomic():
        for position, slug in enumerate(DEFAULT_AGENTS):
            if slug not in known:
                continue
            spec = agent_spec_ensure(document=load_agent(slug, game=game).document)
            row, _ = DefaultAgent.objects.update_or_create(
                game=game, slug=slug, defaults={"position": position, "agent_spec": spec}
            )
            rows.append(row)
    return rows


def default_specs(*, game: str) -> list[AgentSpec]:
    """The agents that play on a level of the game unless others are named, in their order."""
    rows = DefaultAgent.objects.filter(game=game)
    if not rows.exists():
        default_agents_ensure(game=game)
    return [row.agent_spec for row in rows.filter(offered=True).select_related("agent_spec")]


def document_hash(document: Mapping[str, Any]) -> str:
    """SHA-256 in hex over the canonical JSON of a document."""
    return sha256(canonical_json(document).encode()).hexdigest()
