"""An export streams: its memory does not grow with the study, and a quarter of a million moves fit into 300 MB."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playtest.studies.models import Move, Round, Study
from playtest.studies.services import study_create, study_publish
from tests.playtest.commands import ROOT, environment
from tests.playtest.studies.crowd import MOVES, ROUNDS, crowd
from tests.playtest.studies.exporting import manifest
from tests.playtest.studies.factory import study_document
from tests.playtest.studies.server import database_variables

pytestmark = pytest.mark.django_db(transaction=True)

MOST_MEGABYTES = 300
FEW, MORE, MANY = 20, 170, 2_084
"""Participants of 120 moves each: 2,400, 20,400 and 250,080 moves."""


def crowded_study(participants: int) -> Study:
    document = study_document(rounds=1, moves=MOVES, questions=True)
    (drawn,) = document["pages"][2]["rounds"]
    document["pages"][2]["rounds"] = [{**drawn, "key": f"drawn-{number}"} for number in range(1, ROUNDS + 1)]
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    crowd(study, participants)
    return study


def measured_export(study: Study, folder: Path, *words: str) -> dict[str, Any]:
    """Export in a new process: megabytes at its start and at most, and seconds of the processor."""
    script = Path(__file__).with_name("measured.py")
    done = subprocess.run(
        [sys.executable, str(script), "export", study.slug, "--out", str(folder), *words],
        cwd=ROOT,
        env=environment() | database_variables(),
        capture_output=True,
        text=True,
        timeout=3_600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    return figures


def test_memory_of_an_export_does_not_grow_with_the_study(tmp_path: Path) -> None:
    few = measured_export(crowded_study(FEW), tmp_path / "few")
    more = measured_export(crowded_study(MORE), tmp_path / "more")
    assert manifest(tmp_path / "more")["tables"]["moves"] == MORE * ROUNDS * MOVES
    assert more["peak"] < MOST_MEGABYTES
    # Held as rows, the 18,000 moves between the two would take 50 MB and more.
    assert more["peak"] - few["peak"] < 20, (few, more)


@pytest.mark.slow
def test_a_quarter_of_a_million_moves_take_less_than_300_megabytes(tmp_path: Path) -> None:
    study = crowded_study(MANY)
    assert Move.objects.count() == 250_080
    for words in ([], ["--anonymous"]):
        folder = tmp_path / "".join(["out", *words])
        figures = measured_export(study, folder, *words)
        sys.stderr.write(f"export {' '.join(words)}: {json.dumps(figures)}\n")
        assert manifest(folder)["tables"]["moves"] == 250_080
        assert manifest(folder)["tables"]["rounds"] == Round.objects.count()
        assert figures["peak"] < MOST_MEGABYTES
        assert figures["peak"] - figures["start"] < MOST_MEGABYTES
