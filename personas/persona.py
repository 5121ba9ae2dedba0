"""A persona is data: how its tree search is set up, its formula, and where it came from.

The same document stands in a TOML file of the catalogue, in the database as an agent's specification, and in what
evolution writes. `docs/algorithms/search.md` explains the settings.
"""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from engine.formula import OF_THE_NODE, Formula, FormulaError, parse_formula
from engine.search.policies import PAPER_EXPLORATION
from engine.search.settings import FINALS, MOST_DRAWS, NO_LOOKAHEAD, OBJECTIVES, ONE_DRAW, PLAYOUTS
from personas.documents import DocumentReader, decimal_text

KINDS = ("mcts", "formula")
TREES = ("closed", "open")
REWARDS = ("win", "graded")
PRESETS = ("replication", "standard")
MAX_ITERATIONS = 100_000
MAX_LOOKAHEAD = 1000
LARGEST_FILE = 64_000
# A key of thousands of names is read in time and memory that grow with their square.
_LONG_KEY = re.compile(r"""(?:\.[^\S\n]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[^\S\n]*){16}""")
SEED_LIMIT = 2**53
MOST_FITNESS = 10**12

CATALOGUE = Path(__file__).resolve().parent / "catalogue"


class PersonaError(ValueError):
    """A document or file that is no persona; the message is one plain sentence."""


@dataclass(frozen=True)
class SearchSettings:
    """The `[search]` table. `goal` counts for reward win, `scale` for reward graded, both in units of the outcome."""

    tree: str = "closed"
    reward: str = "win"
    goal: float = 4000.0
    scale: float = 1000.0
    iterations: int = 250
    playout: str = "literal"
    final: str = "formula"
    clairvoyant: bool = False
    exploration: float = PAPER_EXPLORATION
    """The constant of UCB1; only kind mcts has it."""
    lookahead: int = NO_LOOKAHEAD
    """Moves that a simulation plays at most, tree and play-out together; 0: no limit of its own."""
    draws: int = ONE_DRAW
    """Random moves of which a play-out makes the one with the best prospect; 1: random play-outs."""


@dataclass(frozen=True)
class Source:
    """The `[source]` table: the run that found the persona; of one written by hand only a `note` that says so."""

    run: str = ""
    preset: str = ""
    generation: int | None = None
    generations: int | None = None
    population: int | None = None
    games: int | None = None
    seed: int | None = None
    commit: str = ""
    fitness: float | None = None
    final_games: int | None = None
    """Fresh games in which it was the best of the finalists; the fitness is from there. None: from its generation."""
    note: str = ""


@dataclass(frozen=True)
class Persona:
    """kind mcts selects by UCB1, kind formula by `formula`; `objective` is what the search tries to maximise."""

    kind: str
    name: str
    game: str
    game_version: int
    objective: str
    search: SearchSettings
    formula: str = ""
    source: Source = field(default_factory=Source)

    @property
    def parsed(self) -> Formula:
        """The formula, parsed; kind formula only."""
        return parse_formula(self.formula)

    def with_search(self, *, iterations: int | None = None, clairvoyant: bool | None = None) -> "Persona":
        """The same persona with other search settings where they are given."""
        search = self.search
        if iterations is not None:
            search = replace(search, iterations=iterations)
        if clairvoyant is not None:
            search = replace(search, clairvoyant=clairvoyant)
        return replace(self, search=search)

    def to_document(self) -> dict[str, Any]:
        """A JSON document that fully describes the persona; decimals as text, as hashed documents hold them."""
        return _plain(self, decimal_text)

    def to_json(self) -> dict[str, Any]:
        """The same for people and programs: decimals as numbers."""
        return _plain(self, float)

    @classmethod
    def from_document(cls, document: object) -> "Persona":
        """Raises PersonaError with a plain sentence for anything that is missing, wrong or unknown."""
        reader = DocumentReader(document, "The persona", PersonaError)
        kind = reader.choice("kind", KINDS)
        formula = reader.text("formula", longest=20_000) if kind == "formula" else ""
        if kind == "formula":
            try:
                formula = parse_formula(formula).text
            except FormulaError as error:
                raise PersonaError(f"The persona's formula is wrong: {error}") from error
        name = reader.text("name", longest=80)
        if not name.strip():
            raise reader.fail("name", "some text")
        persona = cls(
            kind=kind,
            name=name,
            game=reader.text("game", longest=40),
            game_version=reader.integer("game_version", 1, 10**6),
            objective=reader.choice("objective", OBJECTIVES),
            search=_read_search(reader.table("search"), kind),
            formula=formula,
            source=_read_source(reader.table("source")),
        )
        reader.finish()
        return persona


def _read_search(reader: DocumentReader, kind: str) -> SearchSettings:
    reward = reader.choice("reward", REWARDS, default="win")
    defaults = SearchSettings()
    scale = reader.number("scale", default=defaults.scale)
    if scale <= 0.0:
        raise reader.fail("scale", "a number above 0")
    exploration = defaults.exploration
    if kind == "mcts":
        exploration = reader.number("exploration", default=defaults.exploration)
        if exploration < 0.0:
            raise reader.fail("exploration", "a number from 0 up")
    settings = SearchSettings(
        tree=reader.choice("tree", TREES, default="closed"),
        reward=reward,
        goal=reader.number("goal") if reward == "win" else reader.number("goal", default=defaults.goal),
        scale=scale,
        iterations=reader.integer("iterations", 1, MAX_ITERATIONS, default=250),
        playout=reader.choice("playout", PLAYOUTS, default="literal"),
        final=reader.choice("final", FINALS, default="formula"),
        clairvoyant=reader.flag("clairvoyant", default=False),
        exploration=exploration,
        lookahead=reader.integer("lookahead", NO_LOOKAHEAD, MAX_LOOKAHEAD, default=NO_LOOKAHEAD),
        draws=reader.integer("draws", ONE_DRAW, MOST_DRAWS, default=ONE_DRAW),
    )
    reader.finish()
    return settings


def _read_source(reader: DocumentReader) -> Source:
    def whole(name: str, low: int, high: int) -> int | None:
        return reader.integer(name, low, high) if reader.has(name) else None

    source = Source(
        run=reader.text("run", default=""),
        preset=reader.choice("preset", PRESETS, default="") if reader.has("preset") else "",
        generation=whole("generation", 1, 10**6),
        generations=whole("generations", 1, 10**6),
        population=whole("population", 1, 10**6),
        games=whole("games", 1, 10**6),
        seed=whole("seed", 0, SEED_LIMIT - 1),
        commit=reader.text("commit", longest=64, default=""),
        fitness=_read_fitness(reader) if reader.has("fitness") else None,
        final_games=whole("final_games", 1, 10**6),
        note=reader.text("note", longest=300, default=""),
    )
    reader.finish()
    return source


def _read_fitness(reader: DocumentReader) -> float:
    fitness = reader.number("fitness")
    if abs(fitness) > MOST_FITNESS:
        raise reader.fail("fitness", f"a number up to {MOST_FITNESS:,}")
    return fitness


def _plain(persona: Persona, decimal: Any) -> dict[str, Any]:
    """The persona as nested dicts; `decimal` says how floats are written. What does not apply is left out."""
    search = persona.search
    table: dict[str, Any] = {"tree": search.tree, "reward": search.reward}
    if search.reward == "win":
        table["goal"] = decimal(search.goal)
    else:
        table["scale"] = decimal(search.scale)
    table |= {
        "iterations": search.iterations,
        "playout": search.playout,
        **({"lookahead": search.lookahead} if search.lookahead != NO_LOOKAHEAD else {}),
        **({"draws": search.draws} if search.draws != ONE_DRAW else {}),
        "final": search.final,
        "clairvoyant": search.clairvoyant,
    }
    if persona.kind == "mcts":
        table["exploration"] = decimal(search.exploration)
    source = {
        name: decimal(value) if isinstance(value, float) else value
        for name, value in vars(persona.source).items()
        if value not in (None, "")
    }
    document: dict[str, Any] = {
        "kind": persona.kind,
        "name": persona.name,
        "game": persona.game,
        "game_version": persona.game_version,
        "objective": persona.objective,
    }
    if persona.kind == "formula":
        document["formula"] = persona.formula
    document["search"] = table
    if source:
        document["source"] = source
    return document


def dump_persona(persona: Persona) -> str:
    """The persona as a TOML document, which `load_persona` reads back as an equal one."""
    document = _plain(persona, float)
    tables = {name: value for name, value in document.items() if isinstance(value, Mapping)}
    lines = [f"{name} = {_toml(value)}" for name, value in document.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        assert math.isfinite(value)
        return repr(value)
    text = str(value)
    escaped = "".join(_toml_character(character) for character in text)
    return f'"{escaped}"'


def _toml_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if ord(character) < 32 or ord(character) == 127:
        return f"\\u{ord(character):04x}"
    return character


def read_persona(text: str) -> Persona:
    """The persona that the TOML `text` describes; raises PersonaError, also for a formula that cannot search."""
    if _LONG_KEY.search(text):
        raise PersonaError("The persona file is no TOML for a persona: a key in it has too many parts.")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PersonaError(f"The persona file is no TOML: {error}.") from error
    except ValueError as error:
        # Python refuses to read decimals of thousands of digits.
        raise PersonaError("The persona file is no TOML: a number in it is too long.") from error
    except RecursionError as error:
        raise PersonaError("The persona file is no TOML: it is nested too deeply.") from error
    persona = Persona.from_document(document)
    _check_formula_tells_apart(persona)
    return persona


def _check_formula_tells_apart(persona: Persona) -> None:
    """Raise PersonaError for what the preset standard never breeds; the paper's search allows formulas of constants."""
    search = persona.search
    is_standard = persona.kind == "formula" and (search.tree, search.reward) == ("open", "graded")
    if is_standard and persona.parsed.reads <= OF_THE_NODE:
        raise PersonaError(
            "The persona's formula reads nothing of a move, such as mean or visits, so it cannot tell moves apart."
        )


def load_persona(path: str | Path) -> Persona:
    """The persona in a TOML file; raises PersonaError, also if the file cannot be read."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise PersonaError(f"The persona file {path} cannot be read: {error.strerror or error}.") from error
    return decode_persona(content, f"The persona file {path}")


def decode_persona(content: bytes, name: str = "The persona file") -> Persona:
    """The persona that the bytes of a file describe, of which `LARGEST_FILE` + 1 are enough; raises PersonaError."""
    if len(content) > LARGEST_FILE:
        raise PersonaError(f"{name} is larger than {LARGEST_FILE:,} bytes.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PersonaError(f"{name} cannot be read: it is not UTF-8 text.") from error
    return read_persona(text)


@cache
def _catalogue(game: str) -> dict[str, Persona]:
    folder = CATALOGUE / game
    return {path.stem: load_persona(path) for path in sorted(folder.glob("*.toml"))}


def catalogue(game: str = "match3") -> dict[str, Persona]:
    """The shipped personas of a game by slug, in the order of their slugs."""
    return dict(_catalogue(game))
