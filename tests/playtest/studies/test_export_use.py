"""That an export says what staff left out of the figures, and why; anonymised, without the why."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections

from playtest.studies.choices import Use
from playtest.studies.models import Participant
from playtest.studies.services import use_decide
from tests.playtest.studies.exporting import export, finished, table
from tests.playtest.studies.factory import make_study
from tests.playtest.studies.linking import labelled

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])


@pytest.fixture(autouse=True)
def reading_closed() -> Iterator[None]:
    yield
    connections["reading"].close()


def test_export_says_what_is_left_out_of_the_figures(tmp_path: Path) -> None:
    study = make_study(rounds=2)
    out, part, whole = (finished(study, choice=number) for number in range(3))
    use_decide(participant=out, row=None, use=Use.EXCLUDE, reason="A test, =1+1.", by=None)
    use_decide(participant=part, row=part.rounds.get(position=2), use=Use.EXCLUDE, reason="The phone rang.", by=None)
    folder = export(study, tmp_path / "plain", "--format", "csv")
    assert {row["participant"]: (row["use"], row["use_reason"]) for row in table(folder, "participants")} == {
        out.code: ("exclude", "A test, =1+1."),
        part.code: ("include", ""),
        whole.code: ("include", ""),
    }
    assert {row["round"]: (row["use"], row["use_reason"]) for row in table(folder, "rounds")} == {
        f"{out.code}-1.1": ("exclude", "A test, =1+1."),
        f"{out.code}-2.1": ("exclude", "A test, =1+1."),
        f"{part.code}-1.1": ("include", ""),
        f"{part.code}-2.1": ("exclude", "The phone rang."),
        f"{whole.code}-1.1": ("include", ""),
        f"{whole.code}-2.1": ("include", ""),
    }
    wide = {row["participant"]: row for row in table(folder, "wide")}
    assert [wide[one.code or ""]["use"] for one in (out, part, whole)] == ["exclude", "include", "include"]
    assert wide[part.code or ""]["rounds.drawn.use"] == "exclude"
    assert wide[part.code or ""]["rounds.fixed-1.use"] == "include"
    assert "`use_reason`" in (folder / "codebook.md").read_text("utf-8")


def test_wide_table_has_the_label_of_the_link_unless_anonymised(tmp_path: Path) -> None:
    study = make_study(rounds=1)
    one = finished(study)
    Participant.objects.filter(pk=one.pk).update(link=labelled(study, "P01"))
    folder = export(study, tmp_path / "plain", "--format", "csv")
    assert [row["link_label"] for row in table(folder, "wide")] == ["P01"]
    assert "label of the link" in (folder / "codebook.md").read_text("utf-8").partition("## Table wide")[2].lower()
    folder = export(study, tmp_path / "out", "--anonymous", "--format", "csv")
    assert "link_label" not in table(folder, "wide")[0]


def test_anonymised_export_keeps_the_decision_and_not_the_reason(tmp_path: Path) -> None:
    study = make_study(rounds=2)
    out = finished(study)
    use_decide(participant=out, row=None, use=Use.EXCLUDE, reason="Anna slept.", by=None)
    folder = export(study, tmp_path / "out", "--anonymous", "--format", "csv")
    (row,) = table(folder, "participants")
    assert row["use"] == "exclude"
    assert "use_reason" not in row
    assert "Anna" not in "".join(path.read_text("utf-8") for path in folder.iterdir())
