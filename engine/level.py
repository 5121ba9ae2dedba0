"""Levels: read from files that people write, checked with plain words, drawn from a seed, written back.

A level file is JSON (`docs` and the game's own page say what each key means):
`{"game":"match3","name":"...","rows":7,"cols":7,"colours":6,"moves":20,"seed":1,"board":["ABC...",...],"drops":[...]}`
"""

import hashlib
import json
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.game import Game, get_game
from engine.games import MODULES
from engine.rng import SEED_LIMIT

MOVES_RANGE = (1, 1000)
HORIZON_RANGE = (1, 1000)
LONGEST_NAME = 200
LONGEST_DROPS = 10_000
LARGEST_FILE = 1_000_000
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
EMPTY = "."
# Control characters, half characters, code points without a meaning, separators of lines and paragraphs.
UNPRINTABLE = frozenset({"Cc", "Cs", "Cn", "Zl", "Zp"})


class LevelError(ValueError):
    """What is wrong with a level, in a sentence for the person who made it."""


@dataclass(frozen=True)
class Level:
    """A level as it is played. `board` and `drops` hold letters, A for colour 1; the board's top row comes first."""

    game: str
    name: str
    rows: int
    cols: int
    colours: int
    moves: int | None
    seed: int
    board: tuple[str, ...]
    drops: tuple[str, ...] | None = None
    horizon: int | None = None

    def to_document(self) -> dict[str, Any]:
        """The level file as a JSON value. The board is always there, other keys only if the level has them."""
        document: dict[str, Any] = {
            "game": self.game,
            "name": self.name,
            "rows": self.rows,
            "cols": self.cols,
            "colours": self.colours,
            "moves": self.moves,
            "seed": self.seed,
            "board": list(self.board),
            "drops": None if self.drops is None else list(self.drops),
            "horizon": self.horizon,
        }
        return {key: value for key, value in document.items() if value is not None}

    def content_hash(self) -> str:
        """SHA-256 in hex of what changes play: everything but the name."""
        document = self.to_document()
        del document["name"]
        return hashlib.sha256(canonical_json(document).encode()).hexdigest()


def canonical_json(value: object) -> str:
    """The one JSON text of a value that hashes are taken of: sorted keys, no spaces, characters as they are.

    Raises ValueError for numbers that are not finite.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def parse_level(document: object) -> Level:
    """The level of a decoded level file; raises LevelError naming what is wrong and where."""
    if not isinstance(document, dict):
        raise LevelError(f'A level is a JSON object with keys such as "rows" and "board", not {_say(document)}.')
    game = _parse_game(document)
    info = game.info
    for key in document:
        if key not in info.level_keys:
            known = ", ".join(sorted(info.level_keys))
            raise LevelError(f"A {info.title} level has no key {_say(key)}. The keys are: {known}.")
    rows = _whole_number(document, "rows", info.sizes)
    cols = _whole_number(document, "cols", info.sizes)
    colours = _whole_number(document, "colours", info.colours, default=info.default_colours)
    moves = None
    if "moves" in info.level_keys:
        moves = _whole_number(document, "moves", MOVES_RANGE, default=info.default_moves)
    horizon = _whole_number(document, "horizon", HORIZON_RANGE) if "horizon" in document else None
    seed = _whole_number(document, "seed", (0, SEED_LIMIT - 1))
    name = _parse_name(document.get("name", ""))
    if "board" in document:
        board = _parse_board(document["board"], rows, cols, colours)
    else:
        board = game.draw_board(rows=rows, cols=cols, colours=colours, seed=seed)
    drops = _parse_drops(document["drops"], cols, colours) if "drops" in document else None
    level = Level(info.name, name, rows, cols, colours, moves, seed, board, drops, horizon)
    game.validate_level(level)
    return game.complete_level(level)


def load_level(path: str | Path) -> Level:
    """The level of a file; raises LevelError if the file cannot be read or the level is wrong."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise LevelError(f"The level file {path} cannot be read: {error.strerror or error}.") from error
    if len(content) > LARGEST_FILE:
        raise LevelError(f"The level file {path} is larger than {LARGEST_FILE:,} bytes.")
    return parse_level(decode_level(content))


def decode_level(content: bytes | str) -> object:
    """The JSON value of a level file's content; raises LevelError if it is no JSON or says a key twice."""
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        return json.loads(text, object_pairs_hook=_object_without_doubles)
    except UnicodeDecodeError as error:
        raise LevelError(f"The level file is not UTF-8 text (byte {error.start + 1}).") from error
    except json.JSONDecodeError as error:
        raise LevelError(
            f"The level file is not JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from error
    except RecursionError as error:
        raise LevelError("The level file is not a level: its lists are nested too deep.") from error
    except LevelError:
        raise
    except ValueError as error:
        # Python refuses to convert integers of thousands of digits.
        raise LevelError("The level file holds a number that is far too long.") from error


def draw_level(
    game: str = "match3",
    *,
    rows: int = 7,
    cols: int = 7,
    colours: int = 6,
    moves: int | None = 20,
    seed: int,
    name: str = "",
) -> Level:
    """A level whose board and falling pieces come from the seed; raises LevelError as `parse_level` does.

    `moves` is left out for a game that has no limit on moves.
    """
    document: dict[str, Any] = {"game": game, "name": name, "rows": rows, "cols": cols}
    document |= {"colours": colours, "seed": seed}
    has_limit = game not in MODULES or "moves" in get_game(game).info.level_keys
    if moves is not None and has_limit:
        document["moves"] = moves
    return parse_level(document)


@cache
def _shipped_levels(game: str) -> dict[str, Level]:
    folder = Path(__file__).parent / "games" / game / "levels"
    return {path.stem: load_level(path) for path in sorted(folder.glob("*.json"))}


def shipped_levels(game: str | None = None) -> dict[str, Level]:
    """The levels that come with the program, by slug; of one game or of all. Raises KeyError for an unknown game."""
    if game is not None and game not in MODULES:
        raise KeyError(game)
    levels: dict[str, Level] = {}
    for one in MODULES if game is None else (game,):
        levels.update(_shipped_levels(one))
    return levels


def _parse_game(document: dict[Any, Any]) -> Game:
    if "game" not in document:
        raise LevelError('The level does not say its game, for example "game": "match3".')
    name = document["game"]
    if not isinstance(name, str) or name not in MODULES:
        known = ", ".join(f'"{one}"' for one in MODULES)
        raise LevelError(f'"game" is {_say(name)}. The games are: {known}.')
    return get_game(name)


def _whole_number(document: dict[Any, Any], key: str, span: tuple[int, int], *, default: int | None = None) -> int:
    if key not in document:
        if default is None:
            raise LevelError(f'The level does not say "{key}", a whole number from {span[0]} to {span[1]}.')
        return default
    value = document[key]
    # In Python, true is an integer; in a level file it is a mistake.
    if isinstance(value, bool) or not isinstance(value, int) or not span[0] <= value <= span[1]:
        raise LevelError(f'"{key}" must be a whole number from {span[0]} to {span[1]}, not {_say(value)}.')
    return value


def _parse_name(name: object) -> str:
    if not isinstance(name, str):
        raise LevelError(f'"name" must be a text, not {_say(name)}.')
    if len(name) > LONGEST_NAME:
        raise LevelError(f'"name" has {len(name)} characters, at most {LONGEST_NAME} are allowed.')
    if any(unicodedata.category(character) in UNPRINTABLE for character in name):
        raise LevelError('"name" holds a character that cannot be printed.')
    return name


def _parse_board(board: object, rows: int, cols: int, colours: int) -> tuple[str, ...]:
    if not isinstance(board, list):
        raise LevelError(f'"board" must be a list of rows, top row first, not {_say(board)}.')
    if len(board) != rows:
        raise LevelError(f"The board has {_count(len(board), 'row')}, {_are(rows)} needed.")
    for number, row in enumerate(board, start=1):
        if not isinstance(row, str):
            raise LevelError(f"Row {number} must be a text of letters, not {_say(row)}.")
        if len(row) != cols:
            raise LevelError(f"Row {number} has {_count(len(row), 'letter')}, {_are(cols)} needed.")
        for place, letter in enumerate(row, start=1):
            if letter == EMPTY:
                raise LevelError(f"Row {number}, column {place} is empty. Boards with holes are not supported yet.")
            if letter not in LETTERS[:colours]:
                raise LevelError(
                    f"Row {number}, column {place} holds {_say(letter)}. "
                    f"With {colours} colours the letters are A to {LETTERS[colours - 1]}."
                )
    return tuple(board)


def _parse_drops(drops: object, cols: int, colours: int) -> tuple[str, ...]:
    if not isinstance(drops, list):
        raise LevelError(f'"drops" must be a list of texts, one a column, not {_say(drops)}.')
    if len(drops) != cols:
        raise LevelError(f'"drops" has {_count(len(drops), "text")}, {_are(cols)} needed: one a column.')
    for number, letters in enumerate(drops, start=1):
        if not isinstance(letters, str):
            raise LevelError(f'"drops" of column {number} must be a text of letters, not {_say(letters)}.')
        if len(letters) > LONGEST_DROPS:
            raise LevelError(
                f'"drops" of column {number} has {len(letters):,} letters, at most {LONGEST_DROPS:,} are allowed.'
            )
        for place, letter in enumerate(letters, start=1):
            if letter not in LETTERS[:colours]:
                raise LevelError(
                    f'"drops" of column {number} holds {_say(letter)} at place {place}. '
                    f"With {colours} colours the letters are A to {LETTERS[colours - 1]}."
                )
    return tuple(drops)


def _object_without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise LevelError(f"The level file says {_say(key)} twice.")
        found[key] = value
    return found


def _say(value: object) -> str:
    """A JSON value in a message: as it would stand in the file, cut short."""
    if isinstance(value, (dict, list, tuple)):
        return "an object" if isinstance(value, dict) else "a list"
    # The repr of an integer of thousands of digits is refused by Python.
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    try:
        text = json.dumps(value)
    except TypeError:
        return f"a {type(value).__name__}"
    return text if len(text) <= 40 else text[:37] + "..."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _are(number: int) -> str:
    return f"{number} is" if number == 1 else f"{number} are"
