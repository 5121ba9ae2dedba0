"""Every solver: the same result from the same seed, plays that the rules confirm, ends that come, threads, stopping."""

import time

import pytest

from engine.level import Level, draw_level, parse_level, shipped_levels
from engine.round import Round
from engine.solver import DONE, NO_FURTHER, NODES, PLAYOUTS, Budget, SolverError, Task
from engine.solving import Progress, SolveRun, get_solver, solve, solver_names
from tests.engine.naive.solving import best_score

STANDARD = shipped_levels("samegame")["samegame-01"]
SOLVERS = solver_names()


def level_of(*rows: str) -> Level:
    colours = max(2, max("ABCDEFGHI".index(letter) for row in rows for letter in row) + 1)
    document = {"game": "samegame", "rows": len(rows), "cols": len(rows[0]), "colours": colours, "seed": 1}
    return parse_level(document | {"board": list(rows)})


@pytest.mark.parametrize("name", SOLVERS)
def test_same_seed_and_nodes_give_the_same_result_and_another_seed_another_search(name: str):
    first, again = (solve(STANDARD, name, nodes=3000, seed=5) for _ in range(2))
    assert (first.codes, first.score, first.nodes) == (again.codes, again.score, again.nodes)
    assert first.average_depth == again.average_depth
    assert first.playouts == again.playouts
    if name not in ("idastar", "dbs"):
        # Those two have no more use for chance than ties of greedy play-outs.
        others = {solve(STANDARD, name, nodes=3000, seed=seed).codes for seed in (6, 7)}
        assert others != {first.codes}


@pytest.mark.parametrize("name", SOLVERS)
def test_result_does_not_depend_on_the_slices_in_which_a_search_goes_on(name: str):
    solver = get_solver(name)
    task = Task(STANDARD, solver.settle(), Budget(nodes=3000), 5)
    whole, sliced = solver.searcher(task), solver.searcher(task)
    whole.advance(3000, 0.0)
    for until in range(0, 3000, 7):
        sliced.advance(until, 0.0)
    sliced.advance(3000, 0.0)
    assert sliced.tally.counts.tolist() == whole.tally.counts.tolist()
    assert sliced.tally.codes.tolist() == whole.tally.codes.tolist()


@pytest.mark.parametrize("name", SOLVERS)
def test_play_that_is_found_is_a_whole_game_with_the_score_that_is_claimed(name: str):
    found = solve(STANDARD, name, nodes=2000)
    played = Round(STANDARD)
    for action in found.actions:
        played.play(action)
    assert played.score == found.score
    assert played.over == "stuck"
    assert found.cleared == all(set(row) == {"."} for row in played.board)
    assert found.nodes > 0
    assert 0 < found.average_depth <= found.deepest


@pytest.mark.parametrize("name", SOLVERS)
def test_solver_spends_its_budget_of_nodes_or_has_searched_everything(name: str):
    found = solve(STANDARD, name, nodes=20_000)
    assert found.exhausted or 20_000 <= found.nodes <= 20_000 + 15 * 15


@pytest.mark.parametrize("name", SOLVERS)
def test_one_node_is_enough_for_a_play(name: str):
    assert solve(STANDARD, name, nodes=1).actions


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    "rows",
    [("AA", "AA"), ("AA", "BB"), ("AB", "AB"), ("AA", "BC"), ("AAB", "BBA"), ("ABCA", "BAAC", "CABB"), ("AAAAA",) * 5],
)
def test_best_play_of_tiny_boards_is_found_and_the_search_ends(name: str, rows: tuple[str, ...]):
    found = solve(level_of(*rows), name, nodes=3000).score
    # The wheel never takes what it spares before it must, so the best play may be none of its own.
    assert found <= best_score(rows) if name == "mc-rws" else found == best_score(rows)


@pytest.mark.parametrize("name", SOLVERS)
def test_small_boards_never_give_more_than_the_best_of_all_plays(name: str):
    for seed in range(4):
        level = draw_level("samegame", rows=4, cols=4, colours=3, seed=seed)
        assert solve(level, name, nodes=2000).score <= best_score(level.board)


@pytest.mark.parametrize(
    "name", [name if name == "mc-rws" else pytest.param(name, marks=pytest.mark.slow) for name in SOLVERS]
)
def test_large_boards_are_played_too(name: str):
    level = draw_level("samegame", rows=20, cols=18, colours=9, seed=1)
    assert solve(level, name, nodes=500).actions


@pytest.mark.parametrize("name", SOLVERS)
def test_every_standard_position_is_played(name: str):
    positions = [level for slug, level in shipped_levels("samegame").items() if "small" not in slug]
    assert len(positions) == 20
    for level in positions:
        found = solve(level, name, nodes=200)
        assert Round.replay(level, found.codes).score == found.score


@pytest.mark.parametrize("settings", [{"parallel": "tree"}, {"layer": 1}, {"layer": 2, "best": 4, "runs": 3}])
def test_swarm_search_in_one_tree_or_from_a_set_of_roots_finds_whole_games(settings: dict[str, int | str]):
    for workers in (1, 2):
        found = solve(STANDARD, "hgsts", nodes=20_000, workers=workers, settings=settings)
        assert found.nodes >= 20_000
        assert found.score > 0


@pytest.mark.parametrize("name", SOLVERS)
def test_play_that_none_can_beat_ends_the_search(name: str):
    """One colour: all in one group at once, which is what the bound says."""
    found = solve(level_of("AA", "AA"), name, seconds=60)
    assert found.seconds < 5
    assert found.exhausted
    assert found.score == 1004


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("name", "settings"),
    [("mc-rws", {"playout": "random", "per": "game"}), ("nested", {"playout": "random", "level": 1})],
)
def test_same_seed_and_nodes_give_the_same_result_where_a_play_is_found_that_none_can_beat(
    name: str, settings: dict[str, int | str], workers: int
):
    level = level_of(*["ABACADAEAFA"] * 6)
    for seed in (1, 3, 4):
        runs = [
            solve(level, name, nodes=100_000, seed=seed, workers=workers, settings=settings).to_json() for _ in range(6)
        ]
        assert runs[0]["exhausted"]
        assert workers > 1 or runs[0]["nodes"] < 100_000
        assert all({**run, "seconds": 0} == {**runs[0], "seconds": 0} for run in runs)


@pytest.mark.parametrize(
    ("name", "settings", "most"),
    [
        ("sp-mcts", {"per": "game", "simulations_each": 1_000_000_000}, 500),
        ("sp-mcts", {"per": "move", "T": 100_000}, 500),
        ("hgsts", {"runs": 1000}, 2000),
        ("hgsts", {"runs": 1000, "parallel": "tree"}, 2000),
    ],
)
def test_slice_ends_though_play_outs_find_no_new_nodes(name: str, settings: dict[str, int | str], most: int):
    solver = get_solver(name)
    searcher = solver.searcher(Task(STANDARD, solver.settle(None, settings), Budget(nodes=10**12), 5))
    played = 0
    for _ in range(5):
        searcher.go_on(10**12, 0.0)
        assert searcher.tally.counts[PLAYOUTS] - played <= most
        played = int(searcher.tally.counts[PLAYOUTS])
    assert not searcher.finished


@pytest.mark.parametrize("name", SOLVERS)
def test_depths_are_those_of_nodes_that_count(name: str):
    found = solve(STANDARD, name, nodes=1)
    assert found.average_depth <= found.deepest
    if name == "idastar":
        assert found.deepest <= found.nodes


@pytest.mark.parametrize("name", ["idastar", "dbs"])
def test_threads_that_would_search_the_same_are_not_started(name: str):
    alone, many = (solve(STANDARD, name, nodes=3000, workers=workers) for workers in (1, 4))
    assert alone.to_json() | {"seconds": 0} == many.to_json() | {"seconds": 0}


@pytest.mark.parametrize("name", [name for name in SOLVERS if get_solver(name).gains_by_threads])
def test_threads_with_nodes_give_the_same_result_each_time(name: str):
    first, again = (solve(STANDARD, name, nodes=4000, workers=2, seed=3) for _ in range(2))
    assert first.to_json() | {"seconds": 0} == again.to_json() | {"seconds": 0}


@pytest.mark.parametrize("final", ["top", "visits", "average"])
@pytest.mark.parametrize("per", ["game", "move"])
def test_single_player_search_ends_with_whole_games_however_the_final_move_is_chosen(final: str, per: str):
    found = solve(STANDARD, "sp-mcts", nodes=6000, settings={"final": final, "per": per})
    assert Round.replay(STANDARD, found.codes).over == "stuck"
    assert not found.exhausted


def test_searches_before_each_action_by_time_come_to_the_end_of_the_game():
    found = solve(STANDARD, "sp-mcts", seconds=0.5, settings={"final": "visits"})
    assert found.seconds < 1.5
    assert found.actions


def test_restarts_share_the_nodes_or_come_after_a_number_of_them():
    shared = solve(STANDARD, "sp-mcts", nodes=4000, settings={"per": "game", "restarts": 4})
    each = solve(STANDARD, "sp-mcts", nodes=4000, settings={"per": "game", "nodes_each": 1000})
    assert shared.restarts == each.restarts == 3
    assert shared.codes == each.codes


def test_trees_of_so_many_simulations_are_as_many_as_restarts_and_go_on_where_they_find_nothing_new():
    exploit = {"per": "game", "C": 0.1, "D": 32.0, "W": 0.0, "epsilon": 0.0, "restarts": 2}
    found = solve(STANDARD, "sp-mcts", nodes=40_000, settings={**exploit, "simulations_each": 20_000})
    assert found.restarts == 1
    assert found.nodes < 40_000
    assert not found.exhausted
    # Trees that end once they find nothing new are more, for as many nodes.
    assert solve(STANDARD, "sp-mcts", nodes=found.nodes, settings=exploit).restarts > 1


@pytest.mark.parametrize("name", SOLVERS)
def test_seconds_are_kept(name: str):
    solve(STANDARD, name, nodes=1)
    started = time.perf_counter()
    found = solve(STANDARD, name, seconds=0.3)
    # Compiled kernels are loaded before the clock starts, which counts here.
    assert found.seconds < 0.6
    assert time.perf_counter() - started < 2.0


@pytest.mark.parametrize("name", SOLVERS)
def test_preset_settings_are_within_the_bounds_of_their_parameters(name: str):
    solver = get_solver(name)
    for preset, settings in solver.presets.items():
        assert solver.settle(preset) == solver.settle(None, settings)
    for parameter in solver.parameters:
        assert parameter.read(parameter.default) == parameter.default
        assert parameter.meaning


def test_workers_share_the_nodes_and_the_best_of_them_is_kept():
    alone = [solve(STANDARD, "mc-rws", nodes=2000, seed=3) for _ in range(2)]
    both = [solve(STANDARD, "mc-rws", nodes=4000, seed=3, workers=2) for _ in range(2)]
    assert both[0].codes == both[1].codes
    assert both[0].nodes == both[1].nodes >= 4000
    assert both[0].score >= alone[0].score


def test_run_stops_when_it_is_told_to_and_keeps_the_best_so_far():
    solver = get_solver("mc-rws")
    run = SolveRun(STANDARD, solver, solver.settle(), Budget(seconds=60), seed=1, workers=2)
    seen: list[Progress] = []

    def report(progress: Progress) -> None:
        seen.append(progress)

    found = run.run(report, stop=lambda: len(seen) >= 3)
    assert found.interrupted
    assert found.seconds < 2
    assert Round.replay(STANDARD, found.codes).score == found.score
    assert [one.spent for one in seen] == sorted(one.spent for one in seen)
    assert seen[-1].score is not None


def test_best_play_so_far_can_be_read_while_threads_write_it():
    solver = get_solver("mc-rws")
    run = SolveRun(STANDARD, solver, solver.settle(), Budget(seconds=1), seed=1, workers=2)
    seen = []
    assert run.best_so_far() is None
    found = run.run(lambda progress: seen.append(run.best_so_far()))
    plays = [play for play in seen if play is not None]
    assert len(plays) >= 3
    for play in plays:
        assert Round.replay(STANDARD, play.codes).score == play.score
    scores = [play.score for play in plays]
    assert scores == sorted(scores)
    assert run.best_so_far() == (found.score, found.codes, found.cleared)


def test_keyboard_interrupt_ends_a_run_with_the_best_so_far():
    solver = get_solver("mc-rws")
    run = SolveRun(STANDARD, solver, solver.settle(), Budget(seconds=60), seed=1)

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    assert run.run(interrupt).interrupted


def test_keyboard_interrupt_before_the_search_ends_it_without_waiting_for_a_play(monkeypatch: pytest.MonkeyPatch):
    run = SolveRun(STANDARD, get_solver("anneal"), get_solver("anneal").settle(), Budget(seconds=60), seed=1)

    def compile_kernels() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "_load_kernels", compile_kernels)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.best_so_far() is None


def test_search_that_finds_nothing_new_for_ever_goes_on_in_slices_that_do_not_grow():
    solver = get_solver("mc-rws")
    asked: list[int] = []

    class Idle(type(solver)):
        def searchers(self, task, workers):
            (found,) = super().searchers(task, workers)
            if task.budget.nodes == 10**12:
                found.advance(1)

                def go_on(until: int, spent: float) -> None:
                    asked.append(until - found.nodes)
                    found.tally.counts[DONE] = NO_FURTHER if len(asked) == 3000 else 0

                found.go_on = go_on
            return [found]

    run = SolveRun(STANDARD, Idle(), solver.settle(), Budget(nodes=10**12), seed=1)
    assert run.run().actions
    assert len(asked) == 3000
    assert set(asked) == {1}


def test_failure_in_a_thread_ends_the_run_and_is_told():
    solver = get_solver("mc-rws")

    class Broken(type(solver)):
        def searchers(self, task, workers):
            found = super().searchers(task, workers)
            if task.budget.seconds is not None:
                found[0].go_on = None
            return found

    run = SolveRun(STANDARD, Broken(), solver.settle(), Budget(seconds=60), seed=1, workers=2)
    with pytest.raises(TypeError):
        run.run()


@pytest.mark.parametrize("name", SOLVERS)
def test_match3_is_refused_in_a_sentence(name: str):
    solver = get_solver(name)
    with pytest.raises(SolverError, match=r"Match-3"):
        SolveRun(draw_level(seed=1), solver, solver.settle(), Budget(nodes=10), seed=1)


def test_wrong_settings_are_refused_in_a_sentence():
    for problem, chosen in [
        ("epsilon must be from 0 to 1", {"epsilon": "2"}),
        ("epsilon must be a number", {"epsilon": "x"}),
        ("epsilon must be from", {"epsilon": "nan"}),
        ("no parameter 'q'", {"q": 1}),
        ("per must be one of game, move", {"per": "week"}),
        ("restarts must be a whole number", {"restarts": "1.5"}),
    ]:
        with pytest.raises(SolverError, match=problem):
            solve(STANDARD, "mc-rws", nodes=1, settings=chosen)
    with pytest.raises(SolverError, match="no preset"):
        solve(STANDARD, "mc-rws", nodes=1, preset="x")
    with pytest.raises(SolverError, match="no solver"):
        solve(STANDARD, "x", nodes=1)


@pytest.mark.parametrize(("seconds", "nodes"), [(None, None), (1, 1), (0, None), (-1, None), (None, 0), (1e9, None)])
def test_budgets_that_are_none_or_two_or_nothing_are_refused(seconds: float | None, nodes: int | None):
    with pytest.raises(SolverError):
        Budget(seconds, nodes)


def test_shares_of_a_budget_add_up():
    shares = [Budget(nodes=10).share(number, 3).nodes for number in range(3)]
    assert shares == [4, 3, 3]
    assert Budget(seconds=2.0).share(0, 3).seconds == 2.0
    solver = get_solver("mc-rws")
    searchers = solver.searchers(Task(STANDARD, solver.settle(), Budget(nodes=100), 1), 2)
    assert [one.tally.counts[NODES] for one in searchers] == [0, 0]
