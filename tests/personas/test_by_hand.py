"""The search for the best selection that is written by hand."""

import json
from pathlib import Path

import pytest

from personas.evolution.by_hand import FINALISTS, candidates, main
from personas.persona import load_persona


def test_candidates_are_all_different_and_look_ahead_as_far_as_they_say() -> None:
    found = list(candidates("maxs"))
    assert len({(one.formula, one.search) for one in found}) == len(found)
    assert {one.search.lookahead for one in found} == {0, 1, 2, 3, 5, 7, 10}
    assert {one.kind for one in found} == {"mcts", "formula"}


def test_best_of_the_second_stage_becomes_a_persona(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--out", str(tmp_path), "--personas", "minm", "--games", "2", "--final-games", "6"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    first = [line for line in lines if line["stage"] == "first"]
    final = [line for line in lines if line["stage"] == "final"]
    assert len(first) == len(list(candidates("minm")))
    assert len(final) == FINALISTS
    assert [line["outcome"] for line in final] == sorted((line["outcome"] for line in final), reverse=True)
    kept = load_persona(tmp_path / "minm.toml")
    assert (kept.name, kept.objective, kept.search.lookahead) == ("MinM by hand", "minm", final[0]["lookahead"])
    assert kept.source.note.startswith("Written by hand")
