"""Figures of runs in files, for the documentation."""

import json
from pathlib import Path

import pytest

from personas.evolution import RunConfig
from personas.evolution.run import Checkpoint
from playtest.evolution.figure_file import figure_of, lines_of, main
from tests.playtest.evolution.running import TINY, undisturbed


def lines(config: RunConfig) -> str:
    said = [{"config": config.to_document()}, *(report.to_json() for report in undisturbed(config))]
    return "\n".join(map(json.dumps, said))


def test_figure_in_a_file_is_that_of_the_site_with_the_runs_numbers(tmp_path: Path) -> None:
    path = tmp_path / "tiny.jsonl"
    path.write_text(lines(TINY))
    main([str(path)])
    drawn = path.with_suffix(".svg").read_text()
    assert drawn.startswith("<svg")
    assert "Points in a game" in drawn
    figure = figure_of(*lines_of(path.read_text()))
    points = figure["datasets"]["generations"]
    assert [point["most"] for point in points] == [max(one.generation.values()) for one in undisturbed(TINY)]


def test_outcomes_are_what_people_count_where_less_is_wanted() -> None:
    config = RunConfig(persona="minm", seed=3, preset="replication", population=6, generations=2, games=2, moves=5)
    generations = [
        {"generation": 1, "min": -7.0, "median": -5.0, "max": -3.0, "goal": -7.2, "vanilla": -6.0, "random": -7.1},
        {"generation": 2, "min": -6.0, "median": -4.0, "max": -2.5, "goal": -3.0, "vanilla": -6.0, "random": -7.1},
    ]
    figure = figure_of(config.to_document(), generations)
    first = figure["datasets"]["generations"][0]
    assert (first["least"], first["median"], first["most"]) == (3.0, 5.0, 7.0)


@pytest.mark.parametrize("text", ["", '{"generation": 1}', "{}"])
def test_file_without_a_configuration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="configuration"):
        lines_of(text)


def test_file_of_the_command_is_drawn_with_the_configuration_of_its_folder(tmp_path: Path) -> None:
    path, folder = tmp_path / "said.jsonl", tmp_path / "run"
    Checkpoint(folder).open(TINY)
    said = "\n".join(json.dumps(report.to_json()) for report in undisturbed(TINY))
    path.write_text(f'{said}\n{{"persona": {{}}}}\n')
    main(["--run", str(folder), str(path)])
    config, generations = lines_of(path.read_text(), folder)
    assert (config, len(generations)) == (TINY.to_document(), TINY.generations)
    figure = figure_of(config, generations)
    assert [point["generation"] for point in figure["datasets"]["generations"]] == [1, 2, 3]
    assert path.with_suffix(".svg").read_text().startswith("<svg")


def test_file_that_cannot_be_drawn_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text(json.dumps(undisturbed(TINY)[0].to_json()))
    with pytest.raises(SystemExit, match=r"said\.jsonl: .*--run DIR"):
        main([str(path)])
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(SystemExit, match=r"run\.json"):
        main(["--run", str(tmp_path), str(path)])
    with pytest.raises(SystemExit, match="absent"):
        main([str(tmp_path / "absent.jsonl")])
