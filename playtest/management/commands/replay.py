"""Play a list of actions by the rules and tell what each did."""

from argparse import ArgumentParser
from typing import Any

from engine.level import Level
from engine.round import Round
from playtest.management.plain import Error, PlainCommand, read_json_file, read_level


class Command(PlainCommand):
    help = "Play a list of actions on a level by the rules of its game and report every step."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("level", metavar="LEVEL.json", help="level file")
        parser.add_argument(
            "actions", metavar="ACTIONS.json", help="list of actions: for Match-3 [[r,c],[r,c]], for SameGame [r,c]"
        )
        parser.add_argument("--json", action="store_true", help="one JSON line instead of a table")

    def handle(self, *args: Any, **options: Any) -> None:
        level = read_level(options["level"])
        actions = read_actions(options["actions"], level)
        answer = replay(level, actions)
        with self.quiet_end():
            if options["json"]:
                self.write_json(answer)
            else:
                self.write_table(answer)

    def write_table(self, answer: dict[str, Any]) -> None:
        for number, move in enumerate(answer["moves"], start=1):
            if not move["legal"]:
                self.stdout.write(f"{number:4}  {move['action']}  not legal")
                continue
            said = f"{move['gained']} points, {move['steps']} steps, {move['legal_before']} legal before"
            self.stdout.write(f"{number:4}  {move['action']}  {said}{', reshuffled' if 'reshuffled' in move else ''}")
        for row in answer["board"]:
            self.stdout.write(f"      {row}")
        self.stdout.write(f"Score {answer['score']}" + (f", over ({answer['over']})" if answer["over"] else ""))


def read_actions(path: str, level: Level) -> list[Any]:
    """The actions in a file, each of the right shape; raises Error."""
    actions = read_json_file(path)
    if not isinstance(actions, list):
        raise Error(f"{path} must hold a list of actions.")
    shape = Round(level)
    for number, action in enumerate(actions, start=1):
        if shape.refusal(action) == "bad_action":
            shown = repr(action)
            raise Error(f"{path}: action {number} is malformed: {shown if len(shown) <= 60 else shown[:57] + '...'}")
    return actions


def replay(level: Level, actions: list[Any]) -> dict[str, Any]:
    """What the command answers: every action with what it did, illegal ones too, then score and board."""
    played = Round(level)
    moves: list[dict[str, Any]] = []
    for action in actions:
        move = {
            "action": action,
            "legal": played.refusal(action) is None,
            "gained": 0,
            "steps": 0,
            "legal_before": played.legal_count(),
        }
        if move["legal"]:
            outcome = played.play(action)
            move |= {"gained": outcome.gained, "steps": outcome.steps}
            if outcome.reshuffled is not None:
                move["reshuffled"] = outcome.reshuffled
        moves.append(move)
    return {
        "game": level.game,
        "score": played.score,
        "over": played.over,
        "moves": moves,
        "board": played.board,
    }
