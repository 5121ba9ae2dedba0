"""The tables of the solvers: units that go on where they were, boards that are the papers' or drawn, honest sums."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.round import Round
from engine.solver import Budget
from engine.solving import get_solver
from personas.solver_tables import (
    STANDARD,
    TABLES,
    Column,
    boards,
    complete,
    main,
    positions,
    search,
    table,
    together,
    units,
)

BOARDS = "b546fef1cc9d7338e9b1dc4f4a8bcfd09544f613048f9f3af1aa8511c1356ca8"
SMALL = Column("mc-rws, 500 nodes", "mc-rws", Budget(nodes=500), 3)


def test_column_is_completed_unit_by_unit_and_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / SMALL.file
    assert path.name == "mc-rws-500-nodes.jsonl"
    assert list(complete(SMALL, tmp_path, 1)) == ["random-000", "random-001", "random-002"]
    whole = path.read_text()
    first, *_ = whole.splitlines()
    path.write_text(first + "\n" + '{"board": "random-001", "sco')
    assert list(units(path)) == ["random-000"]
    path.write_text(first + "\n")
    assert list(complete(SMALL, tmp_path, 2)) == ["random-001", "random-002"]
    again = [json.loads(line) for line in path.read_text().splitlines()]
    for one, other in zip(again, map(json.loads, whole.splitlines()), strict=True):
        assert (one["board"], one["score"], one["actions"]) == (other["board"], other["score"], other["actions"])
    assert list(complete(SMALL, tmp_path, 1)) == []


def test_units_replay_to_their_scores_and_the_table_sums_them(tmp_path: Path) -> None:
    list(complete(SMALL, tmp_path, 1))
    found = units(tmp_path / SMALL.file)
    for name, level in boards(SMALL):
        played = Round(level)
        for action in found[name]["actions"]:
            played.play(action)
        assert played.score == found[name]["score"]
    text = table([SMALL, Column("nobody", "nested", Budget(nodes=1), 3)], tmp_path)
    total = sum(unit["score"] for unit in found.values())
    assert f"| mc-rws, 500 nodes | 3 | {total:,} |" in text
    assert "nobody" not in text


def test_standard_boards_are_the_twenty_and_random_ones_are_always_the_same() -> None:
    (column,) = (one for one in TABLES["table-7"] if one.label == "anneal, 1 s")
    assert [name for name, _ in boards(column)] == [f"samegame-{number:02d}" for number in range(1, 21)]
    drawn = [[level.board for _, level in boards(SMALL)] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len({tuple(board) for board in drawn[0]}) == 3


def test_random_boards_are_those_that_the_figures_were_measured_on() -> None:
    """They are drawn, not shipped: if drawing ever changes, this says so, and the tables are to be made anew."""
    digest = hashlib.sha256()
    for name, level in boards(Column("all", "mc-rws", Budget(nodes=1), 250)):
        digest.update(f"{name} {'/'.join(level.board)}\n".encode())
    assert digest.hexdigest() == BOARDS


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_a_table_have_files_of_their_own_and_settings_that_their_solvers_know(name: str) -> None:
    columns = TABLES[name]
    assert len({column.file for column in columns}) == len(columns)
    for column in columns:
        get_solver(column.solver).settle(column.preset, column.settings)


def test_command_shows_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "table-1", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("| Search |")


PUBLISHED = """method,year,source,position,score
DBS,2006,quoted,1,100
DBS,2006,quoted,2,230
"""


def test_positions_stand_beside_what_is_published(tmp_path: Path) -> None:
    column = Column("anneal, 1 node", "anneal", Budget(nodes=1), STANDARD)
    lines = [json.dumps({"board": f"samegame-{number:02d}", "score": 1_000 * number}) for number in (1, 3)]
    (tmp_path / column.file).write_text("\n".join(lines) + "\n")
    (tmp_path / "published.csv").write_text(PUBLISHED)
    assert positions([column, SMALL], tmp_path, tmp_path / "published.csv").splitlines() == [
        "| Position | DBS | anneal, 1 node |",
        "| --- | ---: | ---: |",
        "| 1 | 100 | 1,000 |",
        "| 2 | 230 | – |",
        "| 3 | – | 3,000 |",
        "| all | 330 | 4,000 |",
    ]


def test_columns_of_other_numbers_search_the_same_boards_with_other_seeds() -> None:
    first, second = TABLES["record"][:2]
    assert first.settings == second.settings
    short = [replace(one, budget=Budget(nodes=20_000)) for one in (first, second)]
    name, level = next(boards(first))
    plays = [search(one, name, level)["actions"] for one in (*short, short[0])]
    assert plays[0] == plays[2] != plays[1]


def test_columns_together_are_the_best_of_each_board_so_far(tmp_path: Path) -> None:
    columns = [Column(f"search {number}", "anneal", Budget(seconds=60), STANDARD) for number in (1, 2, 3)]
    scores = ({"samegame-01": 1_000, "samegame-02": 5}, {"samegame-01": 900, "samegame-02": 70}, {"samegame-01": 9_999})
    for column, of_boards in zip(columns, scores, strict=True):
        lines = (
            json.dumps({"board": board, "score": score, "cleared": score > 950}) for board, score in of_boards.items()
        )
        (tmp_path / column.file).write_text("\n".join(lines) + "\n")
    assert together(columns, tmp_path).splitlines()[2:] == ["| 1 | 60 | 1,005 | 1 |", "| 2 | 120 | 1,070 | 1 |"]
    assert together(columns[2:], tmp_path).splitlines()[2:] == ["| 1 | 60 | 9,999 | 1 |"]


DATA = Path(__file__).parents[2] / "docs" / "experiments" / "data" / "samegame"
KEPT = [
    (name, column) for name, columns in TABLES.items() for column in columns if (DATA / name / column.file).exists()
]


@pytest.mark.parametrize(("name", "column"), KEPT, ids=lambda one: one if isinstance(one, str) else one.file)
def test_scores_in_the_documentation_come_from_plays_that_the_rules_confirm(name: str, column: Column) -> None:
    levels = dict(boards(column))
    found = units(DATA / name / column.file)
    assert found
    for board, unit in found.items():
        played = Round(levels[board])
        for action in unit["actions"]:
            played.play(action)
        assert (played.score, played.over) == (unit["score"], "stuck")
        assert unit["cleared"] == all(set(row) == {"."} for row in played.board)
