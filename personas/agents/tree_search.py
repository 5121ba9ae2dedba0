"""Personas: tree search with UCB1 (kind mcts) or with a formula (kind formula)."""

from typing import Any

import numpy as np

from engine.game import copy_state, games, get_game
from engine.level import Level
from engine.search.dispatch import formula_policy, search
from engine.search.open_loop import OpenTree, new_open_tree
from engine.search.play import play_search
from engine.search.policies import FormulaPolicy, Ucb1, needs_states, new_ucb1
from engine.search.settings import ENDLESS, FINALS, OBJECTIVES, PLAYOUTS, Played, Settings
from engine.search.statistics import StatisticsPolicy
from engine.search.tree import Tree, new_tree
from personas.agents.base import Agent, AgentError, Player, Situation
from personas.persona import Persona


class SearchPlayer(Player):
    """Owns a tree and, for a formula, the registers of its program."""

    def __init__(self, level: Level, persona: Persona) -> None:
        super().__init__(level)
        self.settings = search_settings(persona, lazy=persona.kind == "mcts" or not needs_states(persona.parsed))
        self.clairvoyant = persona.search.clairvoyant
        iterations, codes = persona.search.iterations, self.game.code_limit(level)
        self.tree: Tree | OpenTree
        if persona.search.tree == "open":
            self.tree = new_open_tree(iterations, codes)
        else:
            self.tree = new_tree(iterations, codes, len(self.game.new_state(level).words))
        self.policy = new_policy(persona, self.tree)
        self.nodes = 0

    def play(self, state: Any, work: Any, queue: Any, key: np.uint64, begin: Situation) -> tuple[int, int]:
        points, made, nodes = play_search(
            state,
            queue,
            key,
            played_before(begin),
            work,
            queue if self.clairvoyant else self.chance,
            self.rng,
            self.policy,
            self.tree,
            self.settings,
            self.codes,
            self.legal_before,
        )
        self.nodes = int(nodes)
        return int(points), int(made)

    def choose(self, state: Any, queue: Any, situation: Situation) -> int:
        played = played_before(situation)
        chance = queue if self.clairvoyant else self.chance
        return int(
            search(state.words, copy_state(state), chance, self.rng, self.policy, self.tree, self.settings, played)
        )


class SearchAgent(Agent):
    """Plays as a persona document says. `name` may differ from the persona's: it is what the caller asked for."""

    def __init__(self, persona: Persona, name: str | None = None) -> None:
        self.persona = persona
        self.name = persona.name if name is None else name
        self.kind = persona.kind
        self.clairvoyant = persona.search.clairvoyant

    @property
    def document(self) -> dict[str, Any]:
        return self.persona.to_document()

    def check_level(self, level: Level) -> None:
        super().check_level(level)
        persona = self.persona
        if level.game != persona.game:
            raise AgentError(f"{self.name} plays {persona.game}, but the level is one of {level.game}.")
        self.check_rules()

    def check_rules(self) -> None:
        """Raise AgentError if the persona's game is unknown here, or its rules are others."""
        persona = self.persona
        if persona.game not in games():
            raise AgentError(f"{self.name} plays {persona.game}, which is no game here.")
        version = get_game(persona.game).info.version
        if version != persona.game_version:
            raise AgentError(
                f"{self.name} was made for version {persona.game_version} of {persona.game}, this is version {version}."
            )

    def new_player(self, level: Level) -> Player:
        self.check_level(level)
        return SearchPlayer(level, self.persona)


def played_before(situation: Situation) -> Played:
    """The situation as the kernel takes it."""
    return Played(
        points=situation.points,
        legal_total=situation.legal_total,
        actions=situation.made,
        left=ENDLESS if situation.left is None else situation.left,
        horizon=ENDLESS if situation.horizon is None else situation.horizon,
    )


def new_policy(persona: Persona, tree: Tree | OpenTree) -> Ucb1 | FormulaPolicy | StatisticsPolicy:
    """The selection policy for searches in that tree, with scratch of its own."""
    if persona.kind == "mcts":
        return new_ucb1(persona.search.exploration)
    return formula_policy(persona.parsed, tree)


def search_settings(persona: Persona, *, lazy: bool) -> Settings:
    """The persona's settings as the kernel takes them."""
    search = persona.search
    return Settings(
        iterations=search.iterations,
        objective=OBJECTIVES.index(persona.objective),
        win=search.reward == "win",
        goal=float(search.goal),
        scale=float(search.scale),
        playout=PLAYOUTS.index(search.playout),
        final=FINALS.index(search.final),
        lazy=lazy,
        lookahead=search.lookahead,
        draws=search.draws,
    )
