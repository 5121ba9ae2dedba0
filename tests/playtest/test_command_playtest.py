"""`manage.py playtest` as people run it."""

import json
from pathlib import Path

import pytest

from engine.level import draw_level, shipped_levels
from personas.agent import load_agent
from personas.persona import catalogue, dump_persona
from personas.report import paired_interval, playtest, summarise
from tests.playtest.commands import json_lines, refused, refused_process, run_command, without_room

LEVEL = draw_level(seed=4, moves=5, name="Four")
QUICK = ("--games", 4, "--iterations", 15, "--seed", 3)


@pytest.fixture
def level_file(tmp_path: Path) -> Path:
    path = tmp_path / "four.json"
    path.write_text(json.dumps(LEVEL.to_document()))
    return path


def without_seconds(line: dict) -> dict:
    for figures in line["agents"].values():
        assert figures.pop("seconds") >= 0
    return line


def test_playtest_prints_a_line_a_level_with_every_agent(level_file, tmp_path):
    other = tmp_path / "nameless.json"
    other.write_text(json.dumps({"game": "match3", "rows": 5, "cols": 8, "colours": 4, "moves": 3, "seed": 9}))
    lines = json_lines("playtest", level_file, other, "--agents", "random,vanilla", *QUICK)
    assert [line["level"] for line in lines] == ["Four", "nameless"]
    for line in lines:
        assert list(line["agents"]) == ["random", "vanilla"]
        for figures in line["agents"].values():
            assert list(figures) == ["games", "score", "legal_moves", "seconds"]
            assert figures["games"] == 4
            assert list(figures["score"]) == list(summarise([1.0]))


def test_playtest_agrees_with_the_report_in_python_on_any_number_of_workers(level_file):
    agents = [load_agent(name, iterations=15) for name in ("random", "greedy", "vanilla")]
    expected = without_seconds(playtest(LEVEL, agents, games=4, seed=3).to_json())
    for workers in (1, 2):
        names = "random,greedy,vanilla"
        (line,) = json_lines("playtest", level_file, "--agents", names, *QUICK, "--workers", workers)
        assert without_seconds(line) == expected


def test_playtest_traces_are_what_replay_plays_again(level_file, tmp_path):
    folder = tmp_path / "new" / "traces"
    (line,) = json_lines("playtest", level_file, "--agents", "greedy,vanilla", *QUICK, "--traces", folder)
    traces = [json.loads(text) for text in (folder / "four.jsonl").read_text().splitlines()]
    assert [trace["agent"] for trace in traces] == ["greedy"] * 4 + ["vanilla"] * 4
    scores = [trace["score"] for trace in traces if trace["agent"] == "greedy"]
    assert sum(scores) / 4 == line["agents"]["greedy"]["score"]["mean"]
    trace = traces[5]
    (tmp_path / "l.json").write_text(json.dumps(trace["level"]))
    (tmp_path / "a.json").write_text(json.dumps(trace["actions"]))
    (answer,) = json_lines("replay", tmp_path / "l.json", tmp_path / "a.json")
    assert answer["score"] == trace["score"]
    assert [move["legal_before"] for move in answer["moves"]] == trace["legal_moves"]
    assert all(move["legal"] for move in answer["moves"])


def test_playtest_of_levels_with_one_file_name_keeps_all_traces(level_file, tmp_path):
    (tmp_path / "b").mkdir()
    twin = tmp_path / "b" / "four.json"
    twin.write_text(level_file.read_text())
    json_lines("playtest", level_file, twin, "--agents", "random", *QUICK, "--traces", tmp_path / "t")
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["four-1.jsonl", "four-2.jsonl"]


def test_playtest_of_clairvoyant_agents_says_so_everywhere(level_file):
    (line,) = json_lines("playtest", level_file, "--agents", "random,vanilla", *QUICK, "--clairvoyant")
    assert line["agents"]["vanilla"]["clairvoyant"] is True
    shown = run_command("playtest", level_file, "--agents", "random,vanilla", *QUICK, "--clairvoyant").stdout
    assert "vanilla (clairvoyant)" in shown


def test_playtest_knows_the_default_agents_and_persona_files(level_file, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(dump_persona(catalogue()["vanilla"]))
    (line,) = json_lines("playtest", level_file, "--games", 1, "--iterations", 2)
    assert list(line["agents"]) == ["random", "greedy", "vanilla", "maxs", "mins", "maxm", "minm"]
    (line,) = json_lines("playtest", level_file, "--agents", f"{mine},vanilla", *QUICK)
    assert line["agents"][str(mine)]["score"] == line["agents"]["vanilla"]["score"]


def test_playtest_for_people_is_a_table(level_file):
    done = run_command("playtest", level_file, "--agents", "random", *QUICK)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Four, 4 games" in done.stdout
    assert "95 % of the mean" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--agents", "random,nobody"), 'There is no agent "nobody"'),
        (("--agents", "random,,greedy"), "empty name"),
        (("--agents", "random,random"), "twice"),
        (("--agents", "missing.toml"), "cannot be read"),
        (("--agents", "/dev/zero"), "larger than"),
        (("--agents", "x" * 5000), f'There is no agent "{"x" * 57}..."'),
        (("--agents", "two\nlines"), 'There is no agent "two\\nlines"'),
        (("--games", "0"), "from 1 to"),
        (("--games", "-3"), "from 1 to"),
        (("--games", "many"), "whole number"),
        (("--iterations", "0"), "from 1 to 100000"),
        (("--iterations", "1e3"), "whole number"),
        (("--seed", "-1"), "from 0 to"),
        (("--seed", str(2**53)), "from 0 to"),
        (("--workers", "0"), "from 1 to"),
        (("--traces", ""), "argument --traces: must not be empty"),
        (("--unknown",), "unrecognized arguments"),
    ],
)
def test_playtest_with_wrong_options_ends_with_2(level_file, options, said):
    assert said in refused("playtest", level_file, *options, "--json")


def test_playtest_with_a_wrong_level_plays_none_and_writes_nothing(level_file, tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    refused_process("playtest", level_file, wrong, "--agents", "random", "--traces", tmp_path / "t", "--json")
    assert not (tmp_path / "t").exists()


def test_playtest_refuses_a_trace_folder_that_is_a_file(level_file, tmp_path):
    (tmp_path / "t").write_text("")
    assert "cannot be made" in refused("playtest", level_file, "--agents", "random", "--traces", tmp_path / "t")


def test_playtest_takes_every_shipped_level():
    for level in shipped_levels("match3").values():
        load_agent("vanilla").check_level(level)


def test_playtest_writes_a_file_a_level_where_numbered_names_clash_too(level_file, tmp_path):
    files = [tmp_path / place for place in ("da/x.json", "db/x.json", "dc/x-2.json", "dd/x.json")]
    for file in files:
        file.parent.mkdir()
        file.write_text(level_file.read_text())
    json_lines("playtest", *files, "--agents", "random", *QUICK, "--traces", tmp_path / "t")
    names = [path.name for path in (tmp_path / "t").iterdir()]
    assert sorted(names) == ["x-1.jsonl", "x-2.jsonl", "x-3.jsonl", "x-4.jsonl"]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_playtest_whose_output_finds_no_room_ends_with_2(level_file, form):
    said = without_room("playtest", level_file, "--agents", "random", *QUICK, *form)
    assert said == "Error: The output cannot be written: No space left on device."


def test_playtest_against_another_level_gives_differences_seed_by_seed(level_file, tmp_path):
    base = tmp_path / "base.json"
    base.write_text(json.dumps(draw_level(seed=4, moves=3, name="Three").to_document()))
    (line,) = json_lines("playtest", level_file, "--against", base, "--agents", "random,vanilla", *QUICK)
    (alone,) = json_lines("playtest", base, "--agents", "random,vanilla", *QUICK)
    assert line["against"]["level"] == "Three"
    for name in ("random", "vanilla"):
        change = line["against"]["agents"][name]
        for outcome in ("score", "legal_moves"):
            expected = line["agents"][name][outcome]["mean"] - alone["agents"][name][outcome]["mean"]
            assert change[outcome]["mean"] == pytest.approx(expected)
            assert change[outcome]["ci95"][0] <= change[outcome]["mean"] <= change[outcome]["ci95"][1]
    results = [
        playtest(draw_level(seed=4, moves=moves), [load_agent("random")], games=4, seed=3).results["random"].scores
        for moves in (5, 3)
    ]
    expected = list(paired_interval(*results))
    assert line["against"]["agents"]["random"]["score"]["ci95"] == pytest.approx(expected)
    table = run_command("playtest", level_file, "--against", base, "--agents", "random", *QUICK).stdout
    assert "against Three, game by game with the same seed" in table


def test_playtest_refuses_to_hold_one_game_against_another(level_file, tmp_path):
    base = tmp_path / "groups.json"
    base.write_text(json.dumps(draw_level("samegame", rows=4, cols=4, colours=3, seed=4).to_document()))
    assert "two games" in refused("playtest", level_file, "--against", base, "--agents", "random", *QUICK)
