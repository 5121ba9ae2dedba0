"""Every bench runs at a small size and prints lines of the agreed shape. Nothing here depends on how long it takes."""

import math
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from playtest.bench import match3, search
from playtest.bench.c_program import CProgram, compile_program, read_times
from playtest.bench.figures import BenchError, Size, best_by_turns, processor
from tests.playtest.commands import json_lines, json_lines_here, refused

pytestmark = pytest.mark.embedded

FACTS = {"what", "load", "processor", "cores", "python", "numba", "numpy", "path"}
PROGRAM = r"""
#include <stdio.h>
int main(void) {
    puts("board " "7x7 colours 6");
    puts("rollout: 1.61e+07 moves/s (62.0 ns/move), mean score 1.0, mean legal 2.00");
    puts("MCTS closed tree, UCB1 hard-coded, children made on first visit     9.9e+05 it/s (1.01 us/it), mean score 4");
    puts("MCTS closed tree, 15-node bytecode, per sibling block (8-wide) 8e+05 it/s (1.25 us/it), mean score 4");
    puts("MCTS open loop,   UCB1 hard-coded            9e+05 it/s (1.10 us/it), mean score 5");
    puts("8 games per register (AVX-512) rollout: 4e+07 moves/s (25.0 ns/move), mean score 1.0, mean legal 2.00");
    return 0;
}
"""


def checked(lines: Iterable[dict[str, Any]], bench: str) -> dict[str, dict[str, Any]]:
    """The lines by what they tell, after a look at their shape."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        assert list(line) == ["bench", "unit", "value", "detail"]
        assert line["bench"] == bench
        assert math.isfinite(line["value"])
        assert line["detail"].keys() >= FACTS
        key = f"{line['detail']['what']}, {line['unit']}"
        assert key not in found
        found[key] = line
    return found


def assert_positive(lines: dict[str, dict[str, Any]]) -> None:
    assert all(line["value"] > 0 for line in lines.values())


def test_match3_measures_both_ways_all_sizes_rounds_threads_and_the_first_game() -> None:
    lines = checked(json_lines_here("bench", "match3", "--quick", "--repeats", "1"), "match3")
    assert_positive(lines)
    ways = {name for name in lines if name.startswith("random play, 7 x 7")}
    assert "random play, 7 x 7, portable, moves/s" in ways
    assert len(ways) == (1 if next(iter(lines.values()))["detail"]["path"] == "portable" else 2)
    assert {
        "random play, 9 x 9, moves/s",
        "random play, 12 x 12, moves/s",
        "Round.play with its frames, 7 x 7, us",
        "random games, speed of two threads to that of one, x",
        "first game after imports, s",
    } <= lines.keys()
    line = lines["random play, 9 x 9, moves/s"]
    assert line["value"] * line["detail"]["ns_a_move"] == pytest.approx(1e9, rel=0.01)


def test_samegame_counts_moves_and_groups_as_long_as_published() -> None:
    lines = checked(json_lines("bench", "samegame", "--quick", "--repeats", "1"), "samegame")
    assert_positive(lines)
    for kind in ("random", "TabuRandom", "TabuColorRandom"):
        assert f"{kind} play-outs, 15 x 15 x 5, play-outs/s" in lines
    moves = lines["random play, 15 x 15 x 5, moves/s"]
    playouts = lines["random play-outs, 15 x 15 x 5, play-outs/s"]
    length = lines["random play, 15 x 15 x 5, length of a game, moves"]["value"]
    assert moves["value"] / playouts["value"] == pytest.approx(length, rel=0.01)
    # 80 games each; the same ones whenever and wherever this runs.
    assert length == pytest.approx(64.4, abs=2)
    assert lines["random play, 15 x 15 x 5, removable groups, groups"]["value"] == pytest.approx(20.7, abs=1)
    assert playouts["detail"]["state"] == "SmallBoard"
    assert lines["random play-outs, 20 x 20 x 5, play-outs/s"]["detail"]["state"] == "WideBoard"


def test_search_measures_trees_and_policies() -> None:
    lines = checked(json_lines_here("bench", "search", "--quick", "--repeats", "1"), "search")
    assert_positive(lines)
    assert {f"{name}, us/iteration" for name in search.CASES} < lines.keys()
    assert "playtest, speed of two threads to that of one, x" in lines


def test_formulas_of_the_bench_have_fifteen_nodes_and_differ_in_what_they_read() -> None:
    from engine.formula import parse_formula
    from engine.search.policies import needs_states

    both = [parse_formula(text) for text in (search.FORMULA, search.FORMULA_WITHOUT)]
    assert [formula.size for formula in both] == [15, 15]
    assert [needs_states(formula) for formula in both] == [True, False]


def test_evolve_measures_a_generation_breeding_and_memory() -> None:
    lines = checked(json_lines_here("bench", "evolve", "--quick", "--repeats", "1"), "evolve")
    assert_positive(lines)
    memory = {name: line["value"] for name, line in lines.items() if line["unit"] == "MB"}
    loaded, most = memory.values()
    # A Python process with numba and Django, in megabytes and not in pages or kilobytes.
    assert 50 < loaded <= most < 10_000
    assert any("breeding" in name for name in lines)


def test_site_measures_moves_that_are_acknowledged_and_all_stored() -> None:
    lines = checked(json_lines_here("bench", "site", "--clients", "3", "--seconds", "3"), "site")
    values = {name.removeprefix("SQLite: "): line["value"] for name, line in lines.items() if "SQLite" in name}
    assert values["acknowledged moves, moves/s"] > 0
    assert values["acknowledged moves that are not stored, moves"] == 0
    assert 0 < values["time to the acknowledgement, p50, ms"] <= values["time to the acknowledgement, p99, ms"]
    detail = next(iter(lines.values()))["detail"]
    assert (detail["clients"], detail["seconds"], detail["failed_clients"]) == (3, 3, 0)


def test_times_of_a_c_program_are_read_in_seconds() -> None:
    output = PROGRAM.replace('    puts("', "").replace('");', "")
    assert read_times(output) == {
        "rollout": pytest.approx(62e-9),
        "closed tree, UCB1 hard-coded, children made on first visit": pytest.approx(1.01e-6),
        "closed tree, 15-node bytecode, per sibling block (8-wide)": pytest.approx(1.25e-6),
        "open loop, UCB1 hard-coded": pytest.approx(1.1e-6),
        "8 games per register (AVX-512) rollout": pytest.approx(25e-9),
    }


@pytest.fixture
def program(tmp_path: Path) -> CProgram:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    source = tmp_path / "m3.c"
    source.write_text(PROGRAM)
    return compile_program(source, tmp_path / "built", rows=7, cols=7)


TINY = Size(repeats=1, share=0.001)


def test_ratios_to_a_c_program_are_ours_by_its_own(program: CProgram) -> None:
    lines = checked((figure.to_json() for figure in match3.measure(TINY, {7: program})), "match3")
    theirs = lines["C, random play, 7 x 7, moves/s"]
    assert theirs["detail"]["ns_a_move"] == 62.0
    assert "C, random play, 7 x 7, 8 games at once, moves/s" in lines
    ratio = lines["time a move on 7 x 7, ours to C's, ratio"]
    ours = lines[f"{ratio['detail']['ours']}, moves/s"]
    assert ratio["value"] == pytest.approx(theirs["value"] / ours["value"], rel=0.01)

    lines = checked((figure.to_json() for figure in search.measure(TINY, program)), "search")
    ours = lines["open loop, UCB1, us/iteration"]
    ratio = lines["time of open loop, UCB1, ours to C's, ratio"]
    assert ratio["value"] == pytest.approx(ours["value"] / 1.1, rel=0.01)


def test_least_time_of_all_turns_counts() -> None:
    times = iter([{"a": 3.0, "b": 1.0}, {"a": 2.0, "b": 5.0}, {"a": 4.0, "b": 2.0}])
    assert best_by_turns([lambda: next(times)], Size(repeats=3)) == {"a": 2.0, "b": 1.0}


def test_processor_is_named_also_where_the_system_does_not_tell(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("vendor_id\t: x\nmodel name\t: Fast One 3000\nmodel name\t: Fast One 3000\n")
    assert processor(info) == "Fast One 3000"
    assert processor(tmp_path / "none")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chess"], 'There is no bench "chess"'),
        (["match3", "Search"], 'There is no bench "Search"'),
        (["match3", "--repeats", "0"], "must be a whole number from 1"),
        (["site", "--clients", "no"], "must be a whole number"),
        (["match3", "--m3c", "none.c"], "There is no file none.c"),
        (["match3", "--write", "none/table.md"], "The folder none does not exist"),
    ],
)
def test_wrong_input_ends_with_2(words: list[str], said: str) -> None:
    assert said in refused("bench", *words, "--json")


def test_c_program_that_is_none_ends_with_2(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    source = tmp_path / "m3.c"
    source.write_text("int main(void) { return }")
    assert "m3.c does not compile" in refused("bench", "match3", "--m3c", source)
    source.write_text("int main(void) { return 0; }")
    silent = compile_program(source, tmp_path, rows=7, cols=7)
    with pytest.raises(BenchError, match="prints no line"):
        silent.measure()
