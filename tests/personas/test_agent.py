"""Agents: by name and by document, one action or whole games, the same on any number of threads."""

import json
import threading
from itertools import count

import pytest

from engine.level import draw_level, parse_level
from engine.round import Round
from personas.agent import (
    Agent,
    AgentError,
    Situation,
    StoppedError,
    agent_from_document,
    agent_names,
    load_agent,
)
from personas.persona import catalogue, dump_persona

NAMES = ["random", "greedy", "vanilla"]
LEVEL = draw_level(seed=31, moves=6)


def quick(name: str) -> Agent:
    return load_agent(name, iterations=30)


@pytest.mark.parametrize("name", NAMES)
def test_agent_plays_the_same_games_on_one_thread_and_on_three(name):
    levels = [draw_level(seed=seed, moves=4) for seed in range(7)]
    one = quick(name).play_games(levels, range(7))
    three = quick(name).play_games(levels, range(7), threads=3)
    assert one == three
    assert [trace.level for trace in one] == levels
    assert [trace.seed for trace in one] == list(range(7))


@pytest.mark.parametrize("name", NAMES)
def test_agent_asked_move_by_move_plays_its_whole_game(name):
    (trace,) = quick(name).play_games([LEVEL], [5])
    played = Round(LEVEL)
    while played.over is None:
        played.play(quick(name).choose(played, 5))
    assert played.score == trace.score
    assert Round.replay(LEVEL, trace.codes).board == played.board


@pytest.mark.parametrize("name", NAMES)
def test_agent_that_sees_only_the_board_chooses_the_same(name):
    played = Round(LEVEL)
    agent = quick(name)
    for _ in range(3):
        seen = parse_level({"game": "match3", "rows": 7, "cols": 7, "seed": 999, "board": played.board})
        situation = Situation(played.score, played.legal_total, played.moves_used, played.moves_left)
        action = agent.choose(played, 8)
        assert agent.choose_on_board(seen, situation, 8) == action
        played.play(action)


def test_agent_that_sees_only_the_board_of_a_game_with_a_horizon_chooses_the_same():
    level = draw_level("samegame", rows=6, cols=6, colours=3, moves=None, seed=4)
    document = load_agent("vanilla", iterations=40).document | {"game": "samegame", "objective": "maxm"}
    document["search"]["goal"] = "3.0"
    agent = agent_from_document(document)
    played = Round(level)
    for _ in range(6):
        # What stands on the screen: blocks that have moved to the left leave empty cells, which no level file has.
        if any("." in row for row in played.board):
            break
        seen = parse_level(level.to_document() | {"board": played.board, "seed": 7})
        situation = Situation(played.score, played.legal_total, played.moves_used, None, level.horizon)
        action = agent.choose(played, 8)
        assert agent.choose_on_board(seen, situation, 8) == action
        played.play(action)


def test_agent_plays_a_game_that_ends_by_itself_to_its_end():
    level = draw_level("samegame", rows=5, cols=5, colours=3, moves=None, seed=4)
    for name in ("random", "greedy"):
        (trace,) = load_agent(name, game="samegame").play_games([level], [1])
        played = Round.replay(level, trace.codes)
        assert played.over == "stuck"
        assert played.score == trace.score
        assert trace.legal_mean == sum(trace.legal_before[: level.horizon]) / level.horizon


def test_agent_plays_as_many_moves_as_it_is_told():
    (trace,) = quick("random").play_games([LEVEL], [1], moves=3)
    assert len(trace.codes) == len(trace.legal_before) == 3
    (trace,) = quick("random").play_games([LEVEL], [1])
    assert len(trace.codes) == 6


def test_agent_trace_as_json_replays_from_its_own_level():
    (trace,) = quick("greedy").play_games([draw_level(seed=12)], [3])
    line = json.loads(json.dumps(trace.to_json()))
    assert line["game_version"] == 1
    played = Round(parse_level(line["level"]))
    counts = []
    for action in line["actions"]:
        counts.append(played.legal_count())
        played.play(action)
    assert played.score == line["score"]
    assert counts == line["legal_moves"]
    assert trace.legal_mean == sum(counts) / 20


def test_agent_trace_replays_with_another_seed_because_it_lists_what_fell():
    # Only where nothing is reshuffled: that stream is the seed's.
    for seed in range(20):
        (trace,) = quick("random").play_games([draw_level(seed=seed)], [3])
        document = trace.to_json()["level"]
        outcomes = [Round(trace.level).play_code(trace.codes[0])]
        if any(outcome.reshuffled for outcome in outcomes):
            continue
        changed = parse_level(document | {"seed": document["seed"] + 1})
        played = Round.replay(changed, trace.codes[:1])
        assert played.board == Round.replay(trace.level, trace.codes[:1]).board


@pytest.mark.parametrize("name", NAMES)
def test_agent_document_makes_an_equal_agent(name):
    agent = load_agent(name, iterations=20)
    document = json.loads(json.dumps(agent.document))
    again = agent_from_document(document)
    assert again.document == agent.document
    assert again.kind == agent.kind
    assert [t.codes for t in again.play_games([LEVEL], [2])] == [t.codes for t in agent.play_games([LEVEL], [2])]


def test_agent_document_holds_no_floats():
    def floats(value: object) -> list[object]:
        if isinstance(value, dict):
            return [found for item in value.values() for found in floats(item)]
        return [value] if isinstance(value, float) else []

    assert floats(load_agent("vanilla").document) == []


def test_agent_names_are_all_known():
    names = agent_names()
    assert names[:3] == ["random", "greedy", "vanilla"]
    assert set(catalogue()) <= set(names)
    for name in names:
        assert load_agent(name).name == name


def test_agent_of_an_objective_without_a_standard_entry_is_the_replication(tmp_path):
    for objective in ("maxs", "mins", "maxm", "minm"):
        slug = objective if objective in catalogue() else f"{objective}-replication"
        assert load_agent(objective).document == catalogue()[slug].to_document()


def test_agent_from_a_file_is_that_of_the_catalogue(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(dump_persona(catalogue()["vanilla"]))
    assert load_agent(path).document == load_agent("vanilla").document
    assert load_agent(str(path)).name == str(path)


def test_agent_takes_other_iterations_and_clairvoyance_and_says_so():
    agent = load_agent("vanilla", iterations=7, clairvoyant=True)
    assert agent.document["search"]["iterations"] == 7
    assert agent.clairvoyant
    assert agent.title == "vanilla (clairvoyant)"
    assert load_agent("vanilla").title == "vanilla"


def test_agent_that_is_clairvoyant_refuses_to_play_from_a_board_alone():
    agent = load_agent("vanilla", iterations=7, clairvoyant=True)
    with pytest.raises(AgentError, match="cannot play from a board alone"):
        agent.choose_on_board(LEVEL, Situation(left=5), 1)


def test_agent_that_is_clairvoyant_plays_otherwise_than_a_fair_one():
    levels = [draw_level(seed=seed, moves=4) for seed in range(6)]
    fair = load_agent("vanilla", iterations=60).play_games(levels, range(6))
    seeing = load_agent("vanilla", iterations=60, clairvoyant=True).play_games(levels, range(6))
    assert [trace.codes for trace in fair] != [trace.codes for trace in seeing]


@pytest.mark.parametrize("name", ["nobody", "", "maxs-", "Random"])
def test_agent_with_an_unknown_name_is_refused_with_the_known_ones(name):
    with pytest.raises(AgentError, match="known are random, greedy, vanilla"):
        load_agent(name)


def test_agent_file_that_is_missing_or_wrong_is_refused(tmp_path):
    with pytest.raises(AgentError, match="cannot be read"):
        load_agent(tmp_path / "nothing.toml")
    path = tmp_path / "wrong.toml"
    path.write_text("kind = 3")
    with pytest.raises(AgentError, match=r'"kind" must be one of mcts, formula, not 3'):
        load_agent(path)


@pytest.mark.parametrize("document", [None, [], "random", {}, {"kind": "human"}, {"kind": ["random"]}])
def test_agent_document_that_is_none_is_refused(document):
    with pytest.raises(AgentError):
        agent_from_document(document)


def test_agent_made_for_another_version_of_the_rules_is_refused():
    document = load_agent("vanilla").document | {"game_version": 99}
    with pytest.raises(AgentError, match="version 99 of match3, this is version 1"):
        agent_from_document(document).play_games([LEVEL], [1])


@pytest.mark.parametrize("threads", [1, 2])
def test_agent_stops_between_games_when_told(threads):
    done: list[int] = []
    asked = count()
    with pytest.raises(StoppedError):
        quick("random").play_games(
            [LEVEL] * 50, range(50), threads=threads, progress=done.append, stop=lambda: next(asked) >= 5
        )
    assert sum(done) <= 5


@pytest.mark.parametrize("threads", [1, 2])
def test_agent_reports_every_game_from_the_calling_thread(threads):
    heard = []
    quick("random").play_games(
        [LEVEL] * 20, range(20), threads=threads, progress=lambda n: heard.append((n, threading.current_thread()))
    )
    assert heard == [(1, threading.current_thread())] * 20


def test_agent_passes_on_an_error_of_a_thread():
    with pytest.raises(ValueError, match="seed"):
        quick("random").play_games([LEVEL] * 3, [1, -1, 2], threads=2)
