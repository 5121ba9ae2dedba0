"""The best known plays of the levels that come with the program: a fresh site has par on them without a search.

    python -m playtest.levels.shipped_pars PLAYS.jsonl ...

takes over from files of plays whatever is better than what `shipped_pars.jsonl` holds, and says what it took. A play
is a line as `manage.py solve --json` and the experiments write it: solver, score, actions, seconds of its search. Its
level is what the line calls `board`, else the name of its file. Only plays that the rules score the same are taken.

It was made from all plays of the standard positions in `docs/experiments/data/samegame` (`reach`, `record` and
`table-7`), and for the small levels from
`manage.py solve LEVEL --solver anneal --seconds 20 --seed 1 --json > LEVEL.jsonl`.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.game import get_game
from engine.level import Level, shipped_levels
from engine.round import Round
from playtest.levels.board_key import board_key

FILE = Path(__file__).with_suffix(".jsonl")


@dataclass(frozen=True)
class KnownPlay:
    """The best known play of a shipped level, by which solver and in a search of how many seconds.

    It holds for the board of that key (`board_key.py`) by the rules of that `game_version`.
    """

    level: str
    key: str
    game_version: int
    solver: str
    seconds: float
    score: int
    cleared: bool
    codes: tuple[int, ...]


class PlayRefusedError(ValueError):
    """A play that the rules score otherwise than it says; the message is one plain sentence."""


@cache
def known_plays() -> tuple[KnownPlay, ...]:
    """What comes with the program."""
    if not FILE.exists():
        return ()
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return tuple(KnownPlay(**{**line, "codes": tuple(line["codes"])}) for line in map(json.loads, lines))


def play_of_line(slug: str, level: Level, line: Mapping[str, Any]) -> KnownPlay:
    """The play of a line of a file; raises PlayRefusedError."""
    game = get_game(level.game)
    codes = tuple(game.encode_action(level, action) for action in line["actions"])
    played = Round.replay(level, codes)
    if played.score != line["score"] or played.over is None:
        raise PlayRefusedError(f"{slug}: {line['score']} points are claimed, by the rules they are {played.score}.")
    return KnownPlay(
        level=slug,
        key=board_key(level.to_document()),
        game_version=game.info.version,
        solver=line["solver"],
        seconds=line["seconds"],
        score=played.score,
        cleared=all(set(row) == {"."} for row in played.board),
        codes=codes,
    )


def better_plays(known: Iterable[KnownPlay], files: Sequence[Path]) -> dict[str, KnownPlay]:
    """The best play of each level, of those known and those in the files; of equals the first."""
    levels = shipped_levels()
    best = {
        play.level: play
        for play in known
        if play.level in levels
        and play.key == board_key(levels[play.level].to_document())
        and play.game_version == get_game(levels[play.level].game).info.version
    }
    for slug, line in _lines(files):
        if slug in levels and (slug not in best or line["score"] > best[slug].score):
            best[slug] = play_of_line(slug, levels[slug], line)
    return dict(sorted(best.items()))


def _lines(files: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in files:
        for text in path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            yield str(line.get("board", path.stem)), line


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m playtest.levels.shipped_pars", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="PLAYS.jsonl", help="files of plays, a line each")
    known = {play.level: play for play in known_plays()}
    best = better_plays(known.values(), parser.parse_args(arguments).files)
    text = "".join(json.dumps(asdict(play), separators=(",", ":")) + "\n" for play in best.values())
    FILE.write_text(text, encoding="utf-8")
    for slug, play in best.items():
        if play != known.get(slug):
            sys.stdout.write(f"{slug}: {play.score:,} points by {play.solver} in {play.seconds:.0f} s\n")
    sys.stdout.write(f"{len(best)} levels, {sum(play.score for play in best.values()):,} points in all\n")


if __name__ == "__main__":
    main()
