"""Taking moves back: whatever is played and taken back, the round is the one in which only the standing moves were."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.level import Level, draw_level, parse_level, shipped_levels
from engine.rng import draw_seed
from engine.round import ActionRefused, Round

# Three by three cells of seven colours are shuffled after nearly every move.
MATCH3 = st.builds(
    lambda size, seed: draw_level(rows=size[0], cols=size[1], colours=size[2], moves=12, seed=seed),
    st.sampled_from([(3, 3, 7), (7, 7, 6), (4, 8, 3), (9, 9, 5)]),
    st.integers(0, 50),
)
SAMEGAME = st.builds(
    lambda size, seed: draw_level("samegame", rows=size[0], cols=size[1], colours=size[2], seed=seed),
    st.sampled_from([(2, 2, 2), (3, 4, 2), (6, 5, 3)]),
    st.integers(0, 50),
)
WISHES = st.lists(st.one_of(st.just("undo"), st.integers(0, 10_000)), max_size=40)


def everything(played: Round) -> dict[str, Any]:
    """All that a round says of itself, and the state that kernels go on from."""
    return {
        "board": played.board,
        "words": played.state.words.tolist(),
        "score": played.score,
        "moves": (played.moves_used, played.moves_left),
        "over": played.over,
        "bonus": played.bonus,
        "legal": (played.legal_total, played.legal_codes(), played.legal_count()),
        "groups": played.groups(),
        "fallen": played.drops_fallen(),
        "check": played.check(),
    }


@settings(max_examples=200, deadline=None, derandomize=True)
@given(level=st.one_of(MATCH3, SAMEGAME), wishes=WISHES)
def test_moves_and_undos_give_the_round_of_the_standing_moves(level: Level, wishes: list[Any]):
    played, standing = Round(level), []
    entries: list[int | None] = []
    for wish in wishes:
        before = played.score
        if wish == "undo" and standing:
            standing.pop()
            entries.append(None)
            undone = played.undo()
            assert (undone.gained, undone.score) == (played.score - before, played.score)
            assert undone.frames == [{"f": "set", "board": played.board}]
            assert undone.board == played.board
        elif wish != "undo" and played.over is None:
            codes = played.legal_codes()
            standing.append(codes[wish % len(codes)])
            entries.append(standing[-1])
            played.play_code(standing[-1])
        assert everything(played) == everything(Round.replay(level, standing))
    assert everything(played) == everything(Round.replay(level, entries))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(level=st.one_of(MATCH3, SAMEGAME), seed=st.integers(0, 2**32))
def test_a_whole_game_taken_back_is_the_level_and_comes_out_the_same_again(level: Level, seed: int):
    played, start = Round(level), everything(Round(level))
    seen, codes, outcomes = [start], [], []
    while played.over is None:
        legal = played.legal_codes()
        codes.append(legal[draw_seed(seed, "test", len(codes)) % len(legal)])
        outcomes.append(played.play_code(codes[-1]))
        seen.append(everything(played))
    for before, outcome in zip(reversed(seen[:-1]), reversed(outcomes), strict=True):
        assert played.undo().gained == -outcome.gained
        assert everything(played) == before
    assert everything(played) == start
    assert [played.play_code(code) for code in codes] == outcomes
    assert everything(played) == seen[-1]


def test_a_reshuffle_and_what_fell_are_taken_back_and_come_again():
    level = draw_level(rows=3, cols=3, colours=7, seed=1)
    played = Round(level)
    while True:
        before = everything(played)
        outcome = played.play_code(played.legal_codes()[0])
        if outcome.reshuffled:
            break
    assert played.drops_fallen() != before["fallen"]
    played.undo()
    assert everything(played) == before
    assert played.play_code(outcome.code) == outcome


@pytest.mark.parametrize(
    ("board", "bonus", "score"),
    [(["AA", "AA"], 1_000, 4 + 1_000), (["AA", "BC"], -2, -2)],
)
def test_what_the_end_of_a_samegame_added_or_took_is_taken_back(board: list[str], bonus: int, score: int):
    document = {"game": "samegame", "rows": 2, "cols": 2, "colours": 3, "seed": 1, "board": board}
    played = Round(parse_level(document))
    outcome = played.play([0, 0])
    assert (played.over, played.score, played.bonus and played.bonus["points"]) == ("stuck", score, bonus)
    undone = played.undo()
    assert (undone.gained, undone.score) == (-outcome.gained, 0)
    assert (played.over, played.score, played.bonus, played.moves_used) == (None, 0, None, 0)
    assert played.board == board


def test_with_nothing_to_take_back_an_undo_is_refused_and_changes_nothing():
    played = Round(shipped_levels("match3")["board-1"])
    start = everything(played)
    for _ in range(2):
        with pytest.raises(ActionRefused, match="illegal"):
            played.undo()
        assert everything(played) == start
        played.play_code(played.legal_codes()[0])
        played.undo()
    with pytest.raises(ActionRefused, match="illegal"):
        Round.replay(played.level, [played.legal_codes()[0], None, None])
