"""What `manage.py replay` is asked to play: random levels and actions, with its whole answer by the plain twins."""

from typing import Any

from engine.level import Level, draw_level
from tests.engine.naive import match3, samegame
from tests.engine.naive.match3 import Draws, key_of

Replay = tuple[Level, list[Any], dict[str, Any]]
"""A level, the actions of its file, what the command must answer."""


def random_match3(number: int) -> Replay:
    """Game `number` of Match-3: any size and number of colours."""
    size = Draws(key_of(number, "replay size"))
    rows, cols, colours = 3 + size.below(10), 3 + size.below(10), 3 + size.below(5)
    level = draw_level(rows=rows, cols=cols, colours=colours, moves=12, seed=number)
    return level, *plain_match3(level, number)


def plain_match3(level: Level, seed: int) -> tuple[list[Any], dict[str, Any]]:
    """Random swaps, some of them illegal, three past the end, and what the command must answer."""
    source = match3.Queues(level.seed, level.cols, level.colours, level.drops)
    play = match3.Play(match3.board_of(level.board), level.colours, source)
    choice = Draws(key_of(seed, "choice"))
    actions: list[Any] = []
    moves: list[dict[str, Any]] = []
    assert level.moves is not None
    past = 0
    while past < 3:
        past += play.moves == level.moves
        every = match3.neighbours(play.board)
        swap = every[choice.below(len(every))] if choice.below(3) == 0 else play.legal[choice.below(len(play.legal))]
        action = [list(cell) for cell in swap]
        if choice.below(2):
            action.reverse()
        legal = play.moves < level.moves and swap in play.legal
        move = {"action": action, "legal": legal, "gained": 0, "steps": 0, "legal_before": len(play.legal)}
        if legal:
            move["gained"] = play.swap(swap)
            move["steps"] = len(play.steps)
            if play.shuffled:
                move["reshuffled"] = match3.rows_of(play.board)
        actions.append(action)
        moves.append(move)
    board = match3.rows_of(play.board)
    return actions, {"game": "match3", "score": play.score, "over": "moves", "moves": moves, "board": board}


def random_samegame(number: int) -> Replay:
    """Game `number` of SameGame: up to 12 x 12, any number of colours."""
    size = Draws(key_of(number, "replay size"))
    rows, cols, colours = 2 + size.below(11), 2 + size.below(11), 2 + size.below(8)
    level = draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=number)
    return level, *plain_samegame(level, number)


def plain_samegame(level: Level, seed: int) -> tuple[list[Any], dict[str, Any]]:
    """Random cells, some of them in no group, to the end and three more, and what the command must answer."""
    play = samegame.Play(samegame.board_of(level.board))
    choice = Draws(key_of(seed, "choice"))
    actions: list[Any] = []
    moves: list[dict[str, Any]] = []
    past = 0
    while past < 3:
        found = samegame.in_draw_order(samegame.groups(play.board))
        past += not found
        if found and choice.below(3):
            cells = sorted(found[choice.below(len(found))])
            cell = cells[choice.below(len(cells))]
        else:
            cell = (choice.below(level.rows), choice.below(level.cols))
        legal = any(cell in group for group in found)
        gained = play.remove(cell) if legal else 0
        actions.append(list(cell))
        moves.append(
            {
                "action": list(cell),
                "legal": legal,
                "gained": gained,
                "steps": int(legal),
                "legal_before": len(found),
            }
        )
    board = samegame.rows_of(play.board)
    return actions, {"game": "samegame", "score": play.score, "over": "stuck", "moves": moves, "board": board}
