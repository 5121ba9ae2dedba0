"""Evolve a persona, without the site: the same functions that its workers call."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from engine.game import games
from engine.search.settings import FINALS, OBJECTIVES
from personas.evolution import ConfigError, RunConfig, StateError
from personas.evolution.config import DEFAULT_MOVES, LIMITS, SCALES, STANDARD_NUMBERS
from personas.evolution.presets import PRESETS, STANDARD
from personas.evolution.run import Checkpoint, GenerationReport, evolve
from personas.files import write_atomically
from personas.persona import Persona, dump_persona
from playtest.commit import code_commit
from playtest.management.plain import (
    Error,
    PlainCommand,
    available_workers,
    check_writable,
    named_path,
    progress_bar,
    read_level,
    whole_number,
)

NUMBERS = {
    "generations": 100,
    "population": 100,
    "games": 50,
    "iterations": 250,
    "seed": 1,
}
# Of the preset standard, whose own numbers hold where they are not given.
HELP = {
    "scale": f"outcome that is a reward of 1 ({SCALES['maxs']} points, {SCALES['maxm']} legal moves)",
    "lookahead": "moves that a simulation plays at most; 0: to the end of the game",
    "draws": "random moves of which a play-out makes the one that looks best; 1: random play-outs",
    "racing": "games after which the hopeless stop; 0: none",
    "final_games": "fresh games in which the last best ten play again",
}


class Command(PlainCommand):
    help = "Evolve the selection formula of a persona, a line a generation, and keep the best one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--persona", required=True, choices=OBJECTIVES, help="what it tries to make of a game")
        parser.add_argument("--game", default="match3", choices=tuple(games()), help="(match3)")
        parser.add_argument("--level", metavar="L.json", help="play this level only; else each game seed draws one")
        for name, default in NUMBERS.items():
            parser.add_argument(f"--{name}", type=whole_number(*LIMITS[name]), default=default, help=f"({default})")
        parser.add_argument("--moves", type=whole_number(*LIMITS["moves"]), help="of a game (the level's, else 20)")
        parser.add_argument("--preset", default=STANDARD.name, choices=tuple(PRESETS), help=f"({STANDARD.name})")
        for name, said in HELP.items():
            usual = "" if name == "scale" else f" ({STANDARD_NUMBERS[name]})"
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, type=whole_number(*LIMITS[name]), metavar="N", help=said + usual)
        parser.add_argument(
            "--final",
            choices=FINALS,
            help=f"what chooses the move after the search ({STANDARD.final}; replication: formula)",
        )
        parser.add_argument("--clairvoyant", action="store_true", help="searches see what will fall")
        parser.add_argument(
            "--workers", type=whole_number(1, 256), default=available_workers(), metavar="N", help="threads (all)"
        )
        parser.add_argument(
            "--resume", type=named_path, metavar="DIR", help="keep generations there; go on from the last"
        )
        parser.add_argument("--out", type=Path, metavar="persona.toml", help="write the persona there")
        parser.add_argument("--json", action="store_true", help="JSON lines instead of a table")

    def handle(self, *args: Any, **options: Any) -> None:
        config = read_config(options)
        if options["out"] is not None:
            check_writable(options["out"])
        resume: Path | None = options["resume"]
        hint = f"The same command goes on from what lies in {resume}." if resume else ""
        try:
            with self.quiet_end(hint):
                persona = self.run_all(config, resume, options)
                if options["out"] is not None:
                    write_atomically(options["out"], dump_persona(persona))
                if options["json"]:
                    self.write_json({"persona": persona.to_json()})
                else:
                    self.stdout.write(f"\n{dump_persona(persona)}")
        except StateError as error:
            raise Error(str(error)) from None
        except OSError as error:
            said = f"{error.filename} cannot be written" if error.filename else "The run cannot go on"
            raise Error(f"{said}: {error.strerror or error}.") from None

    def run_all(self, config: RunConfig, resume: Path | None, options: dict[str, Any]) -> Persona:
        # Vanilla and random play beside the population.
        with progress_bar((config.population + 2) * config.games, "game") as bar:

            def tell(report: GenerationReport) -> None:
                bar.clear()
                self.tell(report, as_json=options["json"])
                is_last = report.generation.number == config.generations
                bar.reset(config.most_finalists * (config.final_games or 0) if is_last else None)

            return evolve(
                config,
                threads=options["workers"],
                checkpoint=None if resume is None else Checkpoint(resume),
                commit=code_commit(),
                on_generation=tell,
                progress=bar.update,
            )

    def tell(self, report: GenerationReport, *, as_json: bool) -> None:
        line = report.to_json()
        if as_json:
            self.write_json(line)
            return
        self.stdout.write(
            f"generation {line['generation']:3}  min {line['min']:9.2f}  median {line['median']:9.2f}  "
            f"max {line['max']:9.2f}  goal {line['goal']:9.2f}  {line['seconds']:6.1f} s  {line['best']}"
        )
        self.stdout.flush()


def read_config(options: dict[str, Any]) -> RunConfig:
    """The run that the options describe; raises Error."""
    level = None if options["level"] is None else read_level(options["level"])
    if level is not None and level.game != options["game"]:
        raise Error(f"The level is one of {level.game}, but the run is one of {options['game']}.")
    moves = options["moves"]
    if moves is not None and games()[options["game"]].info.default_moves is None:
        raise Error(f"--moves is for games with a limit on moves; {options['game']} ends by itself.")
    if moves is None:
        moves = DEFAULT_MOVES if level is None or level.moves is None else level.moves
    try:
        config = RunConfig(
            persona=options["persona"],
            game=options["game"],
            preset=options["preset"],
            moves=moves,
            clairvoyant=options["clairvoyant"],
            level=None if level is None else level.to_document(),
            **{name: options[name] for name in (*NUMBERS, *HELP, "final")},
        )
        if options["resume"] is None or not options["resume"].exists():
            config.check_new()
        return config
    except ConfigError as error:
        raise Error(str(error)) from None
