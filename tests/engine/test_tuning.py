"""The cross-entropy method: finds what is better, goes on where it was, and refuses what does not fit."""

import json
from pathlib import Path

import pytest

from engine.solver import SolverError
from engine.solving import get_solver, solver_names
from engine.tuning import TuneConfig, check_config, tune, usual_bounds

SMALL = {"rows": 6, "cols": 6, "colours": 3, "samples": 8, "elite": 3, "games": 2, "iterations": 3, "nodes": 60}


def config(**more: object) -> TuneConfig:
    given = {"bounds": {"C": (0.0, 50.0), "T": (0, 20)}, "fixed": {"per": "game"}, **SMALL, **more}
    return TuneConfig("sp-mcts", **given)


def test_gaussians_start_in_the_middle_and_are_fitted_to_the_elite():
    iterations = list(tune(config()))
    assert [one.number for one in iterations] == [0, 1, 2]
    first = iterations[0]
    assert first.mean == {"C": 25.0, "T": 10.0}
    assert first.deviation == {"C": 25.0, "T": 10.0}
    assert first.best_score >= first.elite_score >= first.mean_score
    assert 0 <= first.best["C"] <= 50
    assert isinstance(first.best["T"], int)
    assert iterations[1].mean == first.next_mean
    assert isinstance(iterations[-1].settings["T"], int)


@pytest.mark.parametrize("cut", [20, -1])
def test_run_that_was_broken_off_goes_on_and_ends_the_same_on_any_number_of_threads(tmp_path: Path, cut: int):
    whole = list(tune(config(), folder=tmp_path / "whole", workers=2))
    broken = tmp_path / "broken"
    next(tune(config(), folder=broken))
    lines = (broken / "scores.jsonl").read_text().splitlines()
    assert len(lines) == SMALL["samples"]
    # As if it had been killed in the middle of a line.
    (broken / "scores.jsonl").write_text("\n".join(lines[:5]) + "\n" + lines[5][:cut])
    done: list[int] = []
    assert list(tune(config(), folder=broken, report=done.append)) == whole
    assert done[0] == 5
    assert sum(done) == SMALL["samples"] * SMALL["iterations"]
    kept = [json.loads(line) for line in (broken / "scores.jsonl").read_text().splitlines() if line.endswith("}}")]
    assert len({(row["iteration"], row["sample"]) for row in kept}) == sum(done)


def test_folder_of_another_run_is_refused(tmp_path: Path):
    next(tune(config(), folder=tmp_path))
    with pytest.raises(SolverError, match="another run"):
        next(tune(config(seed=2), folder=tmp_path))
    assert len(list(tune(config(iterations=1), folder=tmp_path))) == 1


def test_folder_whose_run_cannot_be_read_is_refused(tmp_path: Path):
    (tmp_path / "run.json").write_text('{"solver": "sp-m')
    with pytest.raises(SolverError, match="tells no run"):
        next(tune(config(), folder=tmp_path))


@pytest.mark.parametrize("name", solver_names())
def test_numbers_of_every_solver_can_be_tuned(name: str):
    solver = get_solver(name)
    bounds = usual_bounds(solver)
    for one in solver.parameters:
        if not isinstance(one.default, str):
            bounds.setdefault(one.name, (one.low, one.high))
    if bounds:
        check_config(TuneConfig(name, bounds, {}, **SMALL))


def test_a_parameter_that_matters_is_driven_to_where_play_is_better():
    solver_config = TuneConfig(
        "mc-rws",
        {"epsilon": (0.0, 1.0)},
        {"playout": "tabu-color"},
        **{**SMALL, "rows": 10, "cols": 10, "colours": 4, "games": 6, "nodes": 500, "iterations": 4},
    )
    last = list(tune(solver_config))[-1]
    assert last.next_mean["epsilon"] < 0.5


@pytest.mark.parametrize(
    ("problem", "more"),
    [
        ("no parameter with bounds", {"bounds": {}}),
        ("is no number", {"bounds": {"per": (0, 1)}}),
        ("is no number", {"bounds": {"q": (0, 1)}}),
        ("within bounds", {"bounds": {"C": (5, 5)}}),
        ("within bounds", {"bounds": {"C": (-1, 5)}}),
        ("fewer than the samples", {"elite": 8}),
        ("two at least", {"elite": 1}),
        ("no parameter", {"fixed": {"q": 1}}),
        ("one of the two", {"seconds": 1.0}),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(problem: str, more: dict[str, object]):
    with pytest.raises(SolverError, match=problem):
        check_config(config(**more))


def test_usual_bounds_are_within_those_of_the_parameters():
    bounds = usual_bounds(get_solver("sp-mcts"))
    assert set(bounds) == {"C", "D", "T", "W", "epsilon"}
    check_config(config(bounds=bounds))
