"""The configuration of an evolution run: everything, beside the code, that its result depends on."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.game import GameInfo, games, get_game
from engine.level import Level, LevelError, draw_level, parse_level
from engine.search.settings import FINALS, MOST_DRAWS, OBJECTIVES, ONE_DRAW
from personas.documents import DocumentReader
from personas.evolution.presets import PRESETS, STANDARD, Preset
from personas.persona import MAX_ITERATIONS, MAX_LOOKAHEAD, SEED_LIMIT

LIMITS: Mapping[str, tuple[int, int]] = {
    "population": (4, 1000),
    "generations": (1, 1000),
    "games": (1, 1000),
    "iterations": (1, MAX_ITERATIONS),
    "moves": (1, 200),
    "seed": (0, SEED_LIMIT - 1),
    "scale": (1, 1_000_000),
    "lookahead": (0, MAX_LOOKAHEAD),
    "draws": (ONE_DRAW, MOST_DRAWS),
    "racing": (0, 1000),
    "final_games": (0, 10_000),
}

# What only the preset standard has, and its own numbers; that of the scale depends on what is counted.
STANDARD_NUMBERS: Mapping[str, int] = {
    "scale": 0,
    "lookahead": 0,
    "draws": ONE_DRAW,
    "racing": 0,
    "final_games": 100,
}
STANDARD_ONLY: Mapping[str, int | str] = {**STANDARD_NUMBERS, "final": STANDARD.final}
# Later than the rest, and left out of documents where they have the preset's own value: hashes of older runs stay.
LEFT_OUT = ("draws", "final")
SCALES: Mapping[str, int] = {"maxs": 1000, "mins": 1000, "maxm": 10, "minm": 10}
# Fewer games say too little about how far an individual may still rise.
FEWEST_BEFORE_STOP = 5

DEFAULT_MOVES = 20

# Rows, columns and colours of what a game seed draws where no level is given.
USUAL = (7, 7, 6)
DRAWN: Mapping[str, tuple[int, int, int]] = {"samegame": (10, 10, 4)}


def usual_size(game: str) -> tuple[int, int, int]:
    """Rows, columns and colours of the boards that are drawn for a game where nobody says otherwise."""
    return DRAWN.get(game, USUAL)


class ConfigError(ValueError):
    """A run that makes no sense; the message is one plain sentence."""


@dataclass(frozen=True)
class RunConfig:
    """One run. `level` is a level document that all games are played on; without it each game seed draws a level.

    Only the preset standard has the following; where it is not given the preset's own number is filled in.

    scale: outcome that a simulation is rewarded 1 for, in points or legal moves
    lookahead: moves that a simulation plays at most, tree and play-out together; 0: up to the end of the game
    draws: random moves of which a play-out makes the one with the best prospect; 1: random play-outs
    final: what chooses the move after the search, the mean reward or the formula, which then may read `searching`
    racing: games after which an individual that cannot reach the elite any more stops; 0: all play all games
    final_games: fresh games in which the best of the last generation play again; 0: the best there is kept as it is
    """

    persona: str
    seed: int
    game: str = "match3"
    preset: str = STANDARD.name
    population: int = 100
    generations: int = 100
    games: int = 50
    iterations: int = 250
    moves: int = DEFAULT_MOVES
    clairvoyant: bool = False
    level: Mapping[str, Any] | None = None
    scale: int | None = None
    lookahead: int | None = None
    draws: int | None = None
    final: str | None = None
    racing: int | None = None
    final_games: int | None = None

    def __post_init__(self) -> None:
        """Raise ConfigError for anything zero, absurd or unknown."""
        _check_choice("persona", self.persona, OBJECTIVES)
        _check_choice("preset", self.preset, tuple(PRESETS))
        _check_choice("game", self.game, tuple(games()))
        self._settle_preset()
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if value is None and name in STANDARD_NUMBERS:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ConfigError(f"{name} must be a whole number from {low} to {high}, not {value!r}.")
        if self.racing and self.racing < FEWEST_BEFORE_STOP:
            raise ConfigError(f"racing must be 0 (none) or at least {FEWEST_BEFORE_STOP} games, not {self.racing}.")
        if self.final is not None:
            _check_choice("final", self.final, FINALS)
        if not isinstance(self.clairvoyant, bool):
            raise ConfigError(f"clairvoyant must be true or false, not {self.clairvoyant!r}.")
        if self.game_info.default_moves is None and self.moves != DEFAULT_MOVES:
            raise ConfigError(f"moves is for games with a limit on moves; {self.game_info.title} ends by itself.")
        if self.level is not None:
            self._check_level()

    def check_new(self) -> None:
        """Raise ConfigError for what changes nothing, which a run that is begun should not claim to do.

        Configurations that are stored may hold it.
        """
        if self.racing and self.racing >= self.games:
            raise ConfigError(
                f"racing must be fewer than the {self.games} games that each plays, or 0 (none), not {self.racing}."
            )

    def _settle_preset(self) -> None:
        """Fill in the preset's own numbers, or refuse what it does not have."""
        for name, usual in STANDARD_ONLY.items():
            value = getattr(self, name)
            if self.preset != STANDARD.name:
                if value is not None:
                    raise ConfigError(f"{name} is for the preset {STANDARD.name} only.")
            elif value is None:
                object.__setattr__(self, name, SCALES[self.persona] if name == "scale" else usual)

    @property
    def rules(self) -> Preset:
        return PRESETS[self.preset]

    @property
    def chosen_by(self) -> str:
        """What chooses the move after a search of the individuals, as in `personas.persona.SearchSettings.final`."""
        return self.final or self.rules.final

    @property
    def game_info(self) -> GameInfo:
        return get_game(self.game).info

    def _check_level(self) -> None:
        try:
            level = parse_level(self.level)
        except LevelError as error:
            raise ConfigError(f"The level is wrong: {error}") from error
        if level.game != self.game:
            raise ConfigError(f"The level is one of {level.game}, but the run is one of {self.game}.")

    def to_document(self) -> dict[str, Any]:
        """A JSON document that `from_document` reads back as an equal configuration; it holds no floats.

        What the preset does not have is left out.
        """
        document = {name: value for name, value in vars(self).items() if name not in STANDARD_ONLY or value is not None}
        for name in LEFT_OUT:
            if document.get(name) == STANDARD_ONLY[name]:
                del document[name]
        document["level"] = None if self.level is None else dict(self.level)
        return document

    @classmethod
    def from_document(cls, document: object) -> "RunConfig":
        """Raises ConfigError for missing, wrong or unknown fields."""
        reader = DocumentReader(document, "The run", ConfigError)
        names = {name: limits for name, limits in LIMITS.items() if name != "seed" and name not in STANDARD_ONLY}
        config = cls(
            persona=reader.choice("persona", OBJECTIVES),
            seed=reader.integer("seed", *LIMITS["seed"]),
            game=reader.choice("game", tuple(games()), default="match3"),
            preset=reader.choice("preset", tuple(PRESETS), default=STANDARD.name),
            clairvoyant=reader.flag("clairvoyant", default=False),
            level=reader.mapping("level") if reader.has("level") else None,
            **{name: reader.integer(name, *limits, default=getattr(cls, name)) for name, limits in names.items()},
            final=reader.choice("final", FINALS) if reader.has("final") else None,
            **{name: reader.integer(name, *LIMITS[name]) for name in STANDARD_NUMBERS if reader.has(name)},
        )
        reader.finish()
        return config

    def content_hash(self) -> str:
        """SHA-256 in hex of the document: equal hashes, equal results."""
        text = json.dumps(self.to_document(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def elites(self) -> int:
        """How many of the best enter the next generation: a tenth, at least one."""
        return max(1, self.population // self.rules.elites_one_in)

    @property
    def mutants(self) -> int:
        """How many of the next generation come from mutation: half of what the elites leave."""
        return (self.population - self.elites) // self.rules.mutants_one_in

    @property
    def finalists(self) -> int:
        """How many of the last generation play again on fresh seeds, to find the one that is kept; 0: none."""
        return min(self.rules.finalists, self.population) if self.final_games else 0

    @property
    def most_finalists(self) -> int:
        """How many play again at most: those of the last generation, and selections written by hand beside them."""
        return self.finalists * (2 if self.rules.begins_with_written else 1)

    def game_level(self, game_seed: int) -> Level:
        """The level that the game of that seed is played on."""
        if self.level is not None:
            return parse_level(self.level)
        rows, cols, colours = usual_size(self.game)
        moves = None if self.game_info.default_moves is None else self.moves
        return draw_level(self.game, rows=rows, cols=cols, colours=colours, moves=moves, seed=game_seed)


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
