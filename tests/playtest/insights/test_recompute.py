"""The numbers of a page, computed again from the export by a script that knows nothing of the program."""

import ast
import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.choices import Kind, Use
from playtest.studies.services.annotations import use_decide
from tests.playtest.insights.rows import make_participant, make_study, play_rounds, preset_levels
from tests.playtest.studies.exporting import export

RECOMPUTE = Path(__file__).with_name("recompute.py")


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_numbers_of_a_page_come_out_of_the_export_again(
    tmp_path: Path, designer: User, designer_client: Client
) -> None:
    study = make_study(owner=designer, levels=preset_levels()[:1], drawn=0)
    people = [make_participant(study, Kind.PERSON) for _ in range(9)]
    for seed, person in enumerate([*people, make_participant(study, Kind.BOT)]):
        play_rounds(person, seed=200 + seed)
    use_decide(participant=people[3], row=None, use=Use.EXCLUDE, reason="A trial.", by=designer)

    folder = export(study, tmp_path / "export")
    answer = subprocess.run(
        [sys.executable, str(RECOMPUTE), str(folder), "preset-1"], capture_output=True, text=True, check=True
    )
    found = json.loads(answer.stdout)

    def lines(key: str) -> list[dict[str, str]]:
        address = reverse("insights:level_people_csv", args=[study.pk, preset_levels()[0].content_hash(), key])
        return list(csv.DictReader(io.StringIO(designer_client.get(address).content.decode())))

    def numbers(line: dict[str, str], name: str) -> list[float]:
        return [float(line[part]) for part in (name, f"{name}, low", f"{name}, high")]

    (scores,) = lines("scores")
    assert (int(scores["n"]), found["n"]) == (8, 8)
    assert numbers(scores, "Mean score") == pytest.approx(found["mean"])
    assert numbers(scores, "Median") == pytest.approx(found["median"])
    assert numbers(scores, "Legal moves") == pytest.approx(found["legal"])
    assert (float(scores["Least"]), float(scores["Most"])) == (found["least"], found["most"])
    # Before the first move the board is the same for all; before the second it is not.
    assert numbers(lines("legal")[1], "People") == pytest.approx(found["legal_second"])


def test_the_script_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(RECOMPUTE.read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
