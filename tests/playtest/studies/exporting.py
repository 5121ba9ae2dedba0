"""Studies with data, and exports of them, for tests."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.core.management import call_command

from engine.level import draw_level
from playtest.studies.choices import Kind, RoundState
from playtest.studies.models import Participant, Round, Study
from playtest.studies.services import participant_complete, study_create, study_publish
from playtest.studies.services.moves import play_write
from tests.playtest.studies.factory import make_participant, study_document
from tests.playtest.studies.jobs import move_after

RESCORE = Path(__file__).with_name("rescore.py")


def mixed_study(*, moves: int = 3, slug: str = "") -> Study:
    """Questions, three rounds of Match-3 (with listed drops, often reshuffled, drawn) and one of SameGame."""
    document = study_document(rounds=2, moves=moves, questions=True)
    samegame = draw_level("samegame", rows=5, cols=5, colours=3, seed=3, name="Five by five").to_document()
    tight = draw_level(rows=4, cols=4, colours=5, moves=6, seed=5, name="Tight").to_document()
    document["pages"][2]["rounds"][1:1] = [{"key": "groups", "level": samegame}, {"key": "tight", "level": tight}]
    study = study_create(owner=None, document=document, slug=slug)
    study_publish(study=study)
    return study


def play(participant: Participant, *, position: int | None = None, most: int = 100, choice: int = 0) -> None:
    """Play rounds, or one, through the writer, each to its end or for so many moves."""
    rounds = Round.objects.filter(participant=participant, state=RoundState.PLANNED).order_by("position")
    for row in rounds if position is None else rounds.filter(position=position):
        Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN, play_epoch=1)
        codes: list[int] = []
        over = False
        while not over and len(codes) < most:
            job = move_after(row, codes, epoch=1, client_id=f"move-{row.pk}-{len(codes)}", choice=choice + len(codes))
            play_write([job])
            codes.append(job.action)
            over = job.over is not None


def finished(study: Study, *, kind: Kind = Kind.BOT, choice: int = 0) -> Participant:
    """Somebody who answered, played everything and came to the end."""
    participant, _ = make_participant(study, kind=kind)
    play(participant, choice=choice)
    assert participant_complete(participant=participant) == []
    return participant


def export(study: Study, folder: Path, *words: str) -> Path:
    """The folder that the command writes."""
    call_command("export", study.slug, "--out", str(folder), *words, verbosity=0)
    return folder


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """A table as the standard library reads its CSV."""
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def manifest(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return value


def rescored(folder: Path) -> dict[str, Any]:
    """What a fresh interpreter finds that has the standard library and nothing else."""
    words = [sys.executable, "-I", "-S", str(RESCORE), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert not done.stderr, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (1 if value["faults"] else 0)
    return value
