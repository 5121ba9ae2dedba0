"""Trace blocks: what goes in comes out, in few bytes, and replays to the same score."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.level import draw_level
from engine.round import Round
from personas.agent import load_agent
from playtest.levels.traces import GameTrace, TraceFormatError, block_digest, block_figures, decode_block, encode_block

U16 = st.integers(0, 2**16 - 1)


@st.composite
def game_traces(draw: st.DrawFn) -> GameTrace:
    moves = draw(st.lists(st.tuples(U16, U16), max_size=12))
    return GameTrace(
        draw(st.integers(-(2**31), 2**31 - 1)), tuple(one for one, _ in moves), tuple(two for _, two in moves)
    )


@given(st.lists(game_traces(), max_size=8))
def test_any_games_come_out_of_a_block_as_they_went_in(games: list[GameTrace]) -> None:
    data = encode_block(games)
    assert decode_block(data) == games
    assert decode_block(memoryview(data)) == games
    scores, legal = block_figures(data)
    assert scores == [game.score for game in games]
    assert legal == pytest.approx([game.legal_mean() for game in games if game.actions])


def test_bytes_are_those_of_the_data_model() -> None:
    data = encode_block([GameTrace(300, (5, 97), (7, 8)), GameTrace(-4, (), ())])
    by_hand = b"PTB1" + struct.pack("<H2i2H2H2H", 2, 300, -4, 2, 0, 5, 97, 7, 8)
    assert data == by_hand
    assert block_digest(data) == block_digest(by_hand)


def test_hundred_games_of_twenty_moves_take_under_nine_kilobytes() -> None:
    level = draw_level(seed=1)
    traces = load_agent("random").play_games([level] * 100, list(range(100)))
    games = [GameTrace(trace.score, trace.codes, trace.legal_before) for trace in traces]
    blocks = [encode_block(games[start : start + 25]) for start in range(0, 100, 25)]
    assert sum(len(block) for block in blocks) < 9_000


@pytest.mark.parametrize("agent", ["random", "greedy", "vanilla"])
def test_games_from_a_block_replay_to_their_score_and_legal_counts(agent: str) -> None:
    levels = [draw_level(rows=6, cols=7, colours=4, moves=12, seed=seed) for seed in range(6)]
    traces = load_agent(agent, iterations=20).play_games(levels, list(range(6)))
    games = [GameTrace(trace.score, trace.codes, trace.legal_before) for trace in traces]
    for level, game in zip(levels, decode_block(encode_block(games)), strict=True):
        played = Round(level)
        assert tuple(played.play_code(code).legal_before for code in game.actions) == game.legal_before
        assert played.score == game.score


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no trace block"),
        (b"PTB2\x00\x00", "no trace block"),
        (b"PTB1", "before its number of games"),
        (b"PTB1\x02\x00\x00\x00", "before the lengths of its 2 games"),
        (encode_block([GameTrace(1, (2,), (3,))])[:-1], "15 bytes, 16 were announced"),
        (encode_block([GameTrace(1, (2,), (3,))]) + b"\0", "17 bytes, 16 were announced"),
    ],
)
def test_bytes_that_are_no_block_are_refused_with_a_reason(data: bytes, words: str) -> None:
    for read in (decode_block, block_figures):
        with pytest.raises(TraceFormatError, match=words):
            read(data)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (GameTrace(2**31, (), ()), "score of 2147483648"),
        (GameTrace(0, (2**16,), (1,)), "action code of 65536"),
        (GameTrace(0, (-1,), (1,)), "action code of -1"),
        (GameTrace(0, (1,), (2**16,)), "legal actions of 65536"),
        (GameTrace(0, (1, 2), (1,)), "2 actions but 1 legal counts"),
        (GameTrace(0, (1,) * 2**16, (1,) * 2**16), "number of actions of 65536"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_and_not_cut(game: GameTrace, words: str) -> None:
    with pytest.raises(TraceFormatError, match=words):
        encode_block([game])
