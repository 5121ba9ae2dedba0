"""The other representation of SameGame plays by the rules, so that what is measured are two ways to do the same."""

import numpy as np
import pytest

from engine.games.letters import cells_of, rows_of
from engine.level import draw_level
from engine.rng import new_rng
from playtest.bench.samegame_cells import CellGames, find_groups, find_root, remove_group
from tests.engine.naive import samegame as twin

pytestmark = pytest.mark.embedded


@pytest.mark.parametrize("seed", range(12))
def test_groups_and_removals_are_those_of_the_plain_twin(seed: int) -> None:
    level = draw_level("samegame", rows=5 + seed % 4, cols=6, colours=2 + seed % 3, seed=seed)
    columns = np.ascontiguousarray(cells_of(level.board)[::-1].T)
    cols, rows = columns.shape
    heights = np.full(cols, rows)
    parents, sizes, roots = (np.zeros(columns.size, np.int64) for _ in range(3))
    board = twin.board_of(level.board)
    while True:
        count = find_groups(columns, heights, parents, sizes, roots)
        plain = twin.groups(board)
        assert sorted(sizes[roots[:count]].tolist()) == sorted(len(group) for group in plain)
        if not count:
            break
        root = int(roots[seed % count])
        members = {
            (rows - 1 - row, col)
            for col in range(cols)
            for row in range(heights[col])
            if find_root(parents, col * rows + row) == root
        }
        group = next(one for one in plain if set(one) == members)
        board = twin.without(board, group)
        remove_group(columns, heights, parents, root)
        shown = np.zeros((rows, cols), np.uint8)
        for col in range(cols):
            shown[rows - heights[col] :, col] = columns[col, : heights[col]][::-1]
        assert rows_of(shown) == twin.rows_of(board)


def test_random_games_are_as_long_and_wide_as_those_that_are_played() -> None:
    games = CellGames(
        [draw_level("samegame", rows=15, cols=15, colours=5, seed=seed).board for seed in range(50)], new_rng(1, "x")
    )
    games.play(200)
    assert games.moves / games.played == pytest.approx(64.4, abs=1.5)
    assert games.totals[1] / games.moves == pytest.approx(20.7, abs=0.7)
