"""A game played back from its level and stored actions alone gives every score and board that was stored."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.level import Level, draw_level
from engine.round import Round as Game
from playtest.replay import Entry, Replay, StepKind, replay_game

SIZES = {"match3": (3, 6), "samegame": (3, 4)}


@st.composite
def levels(draw: st.DrawFn) -> Level:
    """Small and large boards of both games, those that are often stuck or shuffled among them."""
    game = draw(st.sampled_from(sorted(SIZES)))
    size = st.integers(4, 9)
    colours = draw(st.integers(*SIZES[game]))
    moves = draw(st.integers(1, 25)) if game == "match3" else None
    rows, cols, seed = draw(size), draw(size), draw(st.integers(0, 10_000))
    return draw_level(
        game, rows=rows, cols=cols, colours=max(colours, 4 if game == "match3" else 3), moves=moves, seed=seed
    )


@st.composite
def played(draw: st.DrawFn) -> tuple[Level, list[Entry]]:
    """A whole game of random moves, with attempts and undos between them, as the store has it."""
    level = draw(levels())
    rules = Game(level).game
    codes: list[int] = []
    entries: list[Entry] = []
    game = Game(level)
    seq = 1
    while game.over is None and seq <= 40:
        choice = draw(st.integers(0, 9))
        if choice == 0 and codes:
            codes.pop()
            game = Game.replay(level, codes)
            entries.append(Entry(StepKind.UNDO, seq, score_after=game.score, check=game.check()))
            seq += 1
        elif choice == 1:
            illegal = [
                code
                for code in range(rules.code_limit(level))
                if is_action(game, code) and game.refusal(rules.decode_action(level, code))
            ]
            if illegal:
                action = rules.decode_action(level, draw(st.sampled_from(illegal)))
                entries.append(Entry(StepKind.ATTEMPT, seq, action=action))
                continue
        legal = game.legal_codes()
        if not legal or game.over is not None:
            break
        code, reversed = draw(st.sampled_from(legal)), draw(st.booleans()) and level.game == "match3"
        game.play_code(code, reversed)
        codes.append(code)
        entries.append(
            Entry(StepKind.MOVE, seq, code=code, reversed=reversed, score_after=game.score, check=game.check())
        )
        seq += 1
    return level, entries


def is_action(game: Game, code: int) -> bool:
    try:
        game.game.decode_action(game.level, code)
    except ValueError:
        return False
    return True


@settings(max_examples=150, deadline=None)
@given(played())
def test_replay_gives_every_stored_score_and_board(of: tuple[Level, list[Entry]]) -> None:
    level, entries = of
    replay = replay_game(level, entries, game_version=Game(level).game.info.version)
    assert replay.fault == ""
    assert len(replay.steps) == len(entries)
    score, board = 0, list(level.board)
    for step, entry in zip(replay.steps, entries, strict=True):
        if entry.kind == StepKind.ATTEMPT:
            assert (step.score, step.board, step.frames) == (score, board, [])
        else:
            assert step.score == entry.score_after
        assert step.score == score + step.gained
        score, board = step.score, step.board
    assert len({step.anchor for step in replay.steps}) == len(entries)
    assert_drawable(replay)


def assert_drawable(replay: Replay) -> None:
    """What the page gets is JSON, and each step's legal actions are those of the engine at that moment."""
    shown: dict[str, Any] = json.loads(json.dumps(replay.to_json()))
    assert shown["start"]["board"] == list(replay.level.board)
    codes: list[int] = []
    game = Game(replay.level)
    for step, drawn in zip(replay.steps, shown["steps"], strict=True):
        assert step.legal_before == game.legal_count() or step.kind == StepKind.UNDO
        if step.kind == StepKind.ATTEMPT:
            assert "board" not in drawn
            continue
        if step.kind == StepKind.MOVE:
            codes.append(game.game.encode_action(replay.level, step.action))
        else:
            codes.pop()
        game = Game.replay(replay.level, codes)
        assert drawn["board"] == game.board
        assert drawn["legal"]["count"] == game.legal_count()
        if replay.gesture == "swap":
            assert drawn["legal"]["swaps"] == game.legal_actions()
        else:
            assert max(map(max, drawn["legal"]["groups"])) == game.legal_count()


def match3_game(moves: int = 3) -> tuple[Level, list[Entry]]:
    level = draw_level("match3", rows=7, cols=7, colours=6, moves=moves, seed=4)
    game = Game(level)
    entries = []
    for seq in range(1, moves + 1):
        code = game.legal_codes()[0]
        game.play_code(code)
        entries.append(Entry(StepKind.MOVE, seq, code=code, score_after=game.score, check=game.check()))
    return level, entries


def changed(entries: list[Entry], place: int, **values: Any) -> list[Entry]:
    one = Entry(**{**vars(entries[place]), **values})
    return [*entries[:place], one, *entries[place + 1 :]]


@pytest.mark.parametrize(
    ("values", "words", "steps"),
    [
        ({"score_after": 7}, "After move 2 there are 7 points stored; playing it again gives", 2),
        ({"check": "0" * 16}, "After move 2 the board is another one than was stored.", 2),
        ({"code": 10_000}, "Move 2 is not legal when it is played again (bad_action): what is stored is damaged.", 1),
    ],
)
def test_what_does_not_agree_is_said_and_nothing_after_it_is_shown(
    values: dict[str, Any], words: str, steps: int
) -> None:
    level, entries = match3_game()
    replay = replay_game(level, changed(entries, 1, **values))
    assert replay.fault.startswith(words)
    assert len(replay.steps) == steps


def test_games_of_other_rules_are_not_played_by_those_of_today() -> None:
    level, entries = match3_game()
    replay = replay_game(level, entries, game_version=999)
    assert "version 999" in replay.fault
    assert replay.steps == ()


def test_times_are_only_shown_where_they_are_known() -> None:
    level, entries = match3_game(1)
    known, unknown = (
        replay_game(level, changed(entries, 0, **values)).steps[0]
        for values in ({"think_ms": 2_345, "at_ms": 65_999}, {})
    )
    assert (known.think_seconds, known.clock) == (2.345, "1:05")
    assert (unknown.think_seconds, unknown.clock) == (None, "")
    assert known.words.startswith("Move 1: ")
