"""What an export holds: every table, counted and hashed, of the right people, enough to play every round again."""

import csv
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.db import connections
from django.db.utils import DatabaseError
from django.utils import timezone

from playtest.accounts.models import AuditLog
from playtest.studies.choices import EventKind, InputMode, Kind, Missing, MoveFlag, MoveKind, RoundState
from playtest.studies.export import rows
from playtest.studies.export.archive import export_folder
from playtest.studies.export.options import ExportOptions
from playtest.studies.models import Answer, Attempt, Event, Move, Participant, Round, Study
from playtest.studies.services import participant_start, participant_withdraw, study_publish
from playtest.studies.services.moves import AttemptJob, play_write
from tests.playtest.studies.exporting import export, finished, manifest, mixed_study, play, rescored, table
from tests.playtest.studies.factory import make_participant, make_study
from tests.playtest.studies.jobs import first_move

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])


@pytest.fixture(autouse=True)
def reading_closed() -> Iterator[None]:
    yield
    connections["reading"].close()


def test_every_round_of_bots_comes_out_again_by_the_rules_and_the_csv_files_alone(tmp_path: Path) -> None:
    study = mixed_study(moves=20)
    for number in range(3):
        finished(study, choice=number)
    folder = export(study, tmp_path / "out", "--format", "csv")
    moves = table(folder, "moves")
    assert rescored(folder) == {"rounds": 12, "moves": len(moves), "faults": []}
    assert {row["kind"] for row in table(folder, "rounds")} == {"bot"}
    assert {row["game"] for row in table(folder, "rounds")} == {"match3", "samegame"}
    assert any(row["reshuffled"] for row in moves)
    assert all(row["replay_agrees"] == "true" for row in table(folder, "rounds"))


def test_a_score_that_was_changed_is_found_by_the_script_and_by_the_export(tmp_path: Path) -> None:
    study = mixed_study()
    finished(study)
    changed = Round.objects.filter(position=2).get()
    Round.objects.filter(pk=changed.pk).update(score=changed.score + 1)
    folder = export(study, tmp_path / "out", "--format", "csv")
    (fault,) = rescored(folder)["faults"]
    assert f"not {changed.score + 1} in" in fault
    assert [row["replay_agrees"] for row in table(folder, "rounds")] == ["true", "false", "true", "true"]


def test_moves_that_cannot_be_played_do_not_stop_the_export(tmp_path: Path) -> None:
    study = mixed_study()
    finished(study)
    Move.blanking().filter(round__position=1, seq=2).update(action=10_000)
    folder = export(study, tmp_path / "out", "--format", "csv")
    assert [row["replay_agrees"] for row in table(folder, "rounds")] == ["false", "true", "true", "true"]
    assert table(folder, "moves")[1]["action"] == "10000"


def test_an_undo_gives_board_drops_and_score_back(tmp_path: Path) -> None:
    study = make_study(rounds=2, moves=5)
    participant, _ = make_participant(study, kind=Kind.BOT)
    play(participant, position=1, most=2)
    row = Round.objects.get(participant=participant, position=1)
    first, second = Move.objects.filter(round=row).order_by("seq")
    Move.objects.create(
        round=row,
        seq=3,
        kind=MoveKind.UNDO,
        client_id="undo-number-one",
        action=None,
        gained=-second.gained,
        score_after=first.score_after,
        steps=0,
        cleared=0,
        legal_before=0,
        check_hex=first.check_hex,
        received_at=timezone.now(),
        conn=1,
    )
    Round.objects.filter(pk=row.pk).update(seq=3, score=first.score_after, moves_used=1, check_hex=first.check_hex)
    folder = export(study, tmp_path / "out", "--format", "csv")
    assert rescored(folder)["faults"] == []
    undo = table(folder, "moves")[2]
    assert (undo["kind"], undo["action"], int(undo["gained"])) == ("undo", '"undo"', -second.gained)
    exported = table(folder, "rounds")[0]
    assert (exported["moves"], exported["entries"], exported["replay_agrees"]) == ("1", "3", "true")


def test_all_tables_say_what_was_stored(tmp_path: Path) -> None:
    study = mixed_study()
    participant, _ = make_participant(study)
    Round.objects.filter(participant=participant, position=1).update(state=RoundState.OPEN, play_epoch=1)
    row = Round.objects.get(participant=participant, position=1)
    at = datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC)
    job = first_move(row, epoch=1)
    changes = {"received_at": at, "think_ms": 1840, "server_ms": 9_000, "input": InputMode.DRAG}
    job = type(job)(**{**vars(job), **changes, "flags": MoveFlag.CLIENT_TIME | MoveFlag.CLOCKS})
    play_write([job])
    play_write([AttemptJob(row.pk, 1, 2, "an-attempt", [[0, 0], [0, 1]], at, think_ms=7, input=InputMode.KEY)])
    Event.objects.create(
        participant=participant, round=row, kind=EventKind.HIDDEN, received_at=at, client_ms=5, data='{"a":[1]}'
    )
    folder = export(study, tmp_path / "out", "--format", "csv,json,parquet")

    (move,) = table(folder, "moves")
    assert move["received_at"] == "2026-03-04T05:06:07.089000Z"
    assert (move["think_ms"], move["server_ms"], move["anim_ms"], move["input"]) == ("1840", "9000", "", "drag")
    assert move["flags"] == "client_time clocks"
    (attempt,) = table(folder, "attempts")
    assert (attempt["before_seq"], attempt["action"], attempt["reason"]) == ("2", "[[0, 0], [0, 1]]", "illegal")
    (event,) = table(folder, "events")
    assert (event["event"], event["client_ms"], event["data"]) == ("hidden", "5", '{"a":[1]}')
    assert event["round"] == move["round"] == attempt["round"] == f"{participant.code}-1.1"
    answers = {row["item"]: (row["value"], row["number"], row["missing"]) for row in table(folder, "answers")}
    assert answers["age"] == ("40", "40.0", "no")
    assert answers["words"] == ("", "", "skipped")
    (wide,) = table(folder, "wide")
    assert (wide["profile.often"], wide["profile.age"], wide["profile.words"]) == ("daily", "40", "")
    assert (wide["rounds.fixed-1.score"], wide["rounds.fixed-1.think_ms"]) == (move["score_after"], "1840")
    assert (wide["rounds.drawn.state"], wide["rounds.drawn.score"]) == ("planned", "0")
    rounds = {row["key"]: row for row in table(folder, "rounds")}
    for key in ("fixed-1", "drawn"):
        for name in ("game", "level_name"):
            assert wide[f"rounds.{key}.{name}"] == rounds[key][name]
    assert wide["rounds.drawn.game"] == "match3"
    assert [row["to"] for row in table(folder, "transitions")] == ["started", "consented", "active"]
    (consent,) = table(folder, "consents")
    assert (consent["decision"], consent["withdrawn"]) == ("agreed", "false")

    read = json.loads((folder / "moves.json").read_text("utf-8"))
    assert read[0]["action"] == json.loads(move["action"])
    assert (read[0]["think_ms"], read[0]["reshuffled"]) == (1840, None)
    assert json.loads((folder / "events.json").read_text("utf-8"))[0]["data"] == {"a": [1]}
    stored = pq.read_table(folder / "moves.parquet").to_pylist()[0]
    assert (stored["received_at"], stored["seq"], stored["anim_ms"]) == (at, 1, None)


def test_the_manifest_counts_rows_and_hashes_every_file(tmp_path: Path) -> None:
    study = mixed_study()
    finished(study)
    folder = export(study, tmp_path / "out")
    said = manifest(folder)
    assert {file["name"] for file in said["files"]} == {path.name for path in folder.iterdir()} - {"manifest.json"}
    for file in said["files"]:
        content = (folder / file["name"]).read_bytes()
        assert (file["bytes"], file["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
        if "table" in file:
            assert file["rows"] == said["tables"][file["table"]] == row_count(folder / file["name"])
    assert said["tables"]["moves"] == Move.objects.count()
    assert said["tables"]["rounds"] == Round.objects.count() == 4
    assert (said["participants"], said["withdrawn"], said["anonymous"]) == (1, 0, False)
    (version,) = said["versions"]
    document = json.loads((folder / version["file"]).read_text("utf-8"))
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(canonical.encode()).hexdigest() == version["hash"]
    assert said["study"]["slug"] == study.slug


def row_count(path: Path) -> int:
    if path.suffix == ".parquet":
        return pq.read_metadata(path).num_rows
    if path.suffix == ".json":
        return len(json.loads(path.read_text("utf-8")))
    with path.open(encoding="utf-8-sig", newline="") as file:
        return sum(1 for _ in csv.DictReader(file))


def test_the_codebook_explains_every_column_of_every_file(tmp_path: Path) -> None:
    study = mixed_study()
    finished(study)
    for words in ([], ["--anonymous"]):
        folder = export(study, tmp_path / "".join(["out", *words]), "--format", "csv", *words)
        explained = [(row["table"], row["column"]) for row in table(folder, "codebook")]
        text = (folder / "codebook.md").read_text("utf-8")
        columns = [
            (name, column)
            for name in manifest(folder)["tables"]
            for column in (folder / f"{name}.csv").read_text("utf-8").splitlines()[0].split(",")
        ]
        assert sorted(explained) == sorted(columns)
        assert all(f"| `{column}` |" in text for _, column in columns)
        assert all(row["meaning"] and row["type"] for row in table(folder, "codebook"))
        assert "How often do you play?" in text


def test_an_empty_study_has_every_table_with_its_header(tmp_path: Path) -> None:
    folder = export(mixed_study(), tmp_path / "out")
    said = manifest(folder)
    assert set(said["tables"].values()) == {0}
    assert table(folder, "moves") == []
    assert (folder / "moves.csv").read_text("utf-8").startswith("round,seq,participant,kind,action,gained,score_after")
    assert json.loads((folder / "moves.json").read_text("utf-8")) == []
    assert pq.read_table(folder / "moves.parquet").num_rows == 0
    assert rescored(folder) == {"rounds": 0, "moves": 0, "faults": []}


def test_previews_and_withdrawn_participants_are_in_no_table(tmp_path: Path) -> None:
    study = mixed_study()
    person, bot = finished(study, kind=Kind.PERSON), finished(study)
    preview = finished(study, kind=Kind.PREVIEW)
    gone = finished(study, kind=Kind.PERSON)
    names = [value for who in (preview, gone) for value in (who.code, who.public_id) if value]
    participant_withdraw(participant=gone)
    folder = export(study, tmp_path / "out")
    assert [row["participant"] for row in table(folder, "participants")] == [person.code, bot.code]
    content = b"".join(path.read_bytes() for path in folder.iterdir() if path.suffix != ".parquet").decode()
    assert not [name for name in names if name in content]
    for name in manifest(folder)["tables"]:
        if name != "consents":
            assert len(table(folder, name)) % 2 == 0
    withdrawn = [row for row in table(folder, "consents") if row["withdrawn"] == "true"]
    assert [(row["participant"], row["decision"]) for row in withdrawn] == [("", "agreed")]
    assert withdrawn[0]["at"].endswith("T00:00:00.000000Z")
    assert manifest(folder)["withdrawn"] == 1


def test_filters_choose_and_are_recorded(tmp_path: Path) -> None:
    study = mixed_study()
    person, bot = finished(study, kind=Kind.PERSON), finished(study)
    under_way, _ = make_participant(study)
    draft = {**study.draft, "title": "Another title"}
    Study.objects.filter(pk=study.pk).update(draft=draft)
    study.refresh_from_db()
    study_publish(study=study)
    later, _ = make_participant(study)

    def exported(*words: str) -> list[str]:
        folder = export(study, tmp_path / "-".join(["out", *words]), "--format", "csv", *words)
        assert manifest(folder)["participants"] == len(table(folder, "participants"))
        return [row["participant"] for row in table(folder, "participants")]

    assert exported() == [person.code, bot.code, under_way.code, later.code]
    assert exported("--kind=person") == [person.code, under_way.code, later.code]
    assert exported("--status=completed") == [person.code, bot.code]
    assert exported("--kind=person", "--status=active") == [under_way.code, later.code]
    assert exported("--study-version=2") == [later.code]
    both = tmp_path / "out"
    assert [version["number"] for version in manifest(both)["versions"]] == [1, 2]
    assert {path.name for path in both.glob("study-version-*")} == {"study-version-1.json", "study-version-2.json"}
    assert [row["version"] for row in table(both, "participants")] == ["1", "1", "1", "2"]
    narrow = manifest(tmp_path / "out---kind=person---status=active")
    assert narrow["filters"] == {"kind": ["person"], "version": "all", "status": ["active"]}
    assert manifest(tmp_path / "out---study-version=2")["filters"]["version"] == [2]


def test_an_export_shows_one_moment_while_people_go_on_playing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LOT_PARTICIPANTS", 1)
    study = make_study(rounds=1, moves=3)
    participants = [make_participant(study)[0] for _ in range(3)]
    for participant in participants:
        play(participant, most=1)
    seen: list[tuple[int, int]] = []

    def go_on(done: int, of: int) -> None:
        """Between two lots everybody moves, one withdraws and one comes."""
        seen.append((done, of))
        if done == 1:
            job = first_move(Round.objects.get(participant=participants[2]), epoch=1)
            play_write([type(job)(**{**vars(job), "seq": 2, "client_id": "meanwhile"})])
            participant_withdraw(participant=participants[1])
            make_participant(study)

    export_folder(study, ExportOptions(formats=("csv",)), tmp_path / "out", go_on)
    assert Move.objects.count() == 3
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert [row["seq"] for row in table(tmp_path / "out", "moves")] == ["1", "1", "1"]
    assert rescored(tmp_path / "out")["faults"] == []
    assert manifest(tmp_path / "out")["withdrawn"] == 0


def test_the_connection_for_long_reads_cannot_write() -> None:
    with pytest.raises(DatabaseError), connections["reading"].cursor() as cursor:
        cursor.execute("DELETE FROM studies_move")


def secrets_of(participant: Participant) -> list[str]:
    return [str(value) for value in (participant.code, participant.seed, "PID-12345", "Hobart")]


def test_an_anonymised_export_names_nobody_and_no_time_of_day(tmp_path: Path) -> None:
    study = mixed_study()
    participants = []
    for number in range(3):
        started = participant_start(study=study, kind=Kind.PERSON, query={"PROLIFIC_PID": ["PID-12345"]})
        Participant.objects.filter(pk=started.participant.pk).update(
            recruiter="prolific", recruiter_id=f"PID-12345-{number}"
        )
        participants.append(started.participant)
    answered = finished(study, kind=Kind.PERSON)
    words = Answer.objects.filter(participant=answered, item_key="words")
    words.update(value='"I live in Hobart"', missing=Missing.NO)
    start = answered.started_at
    Move.blanking().filter(round__participant=answered).update(received_at=start + timedelta(seconds=2.5))
    row = Round.objects.filter(participant=answered).first()
    Event.objects.create(participant=answered, round=row, kind=EventKind.RESIZED, received_at=start, data='{"w":1234}')
    gone = finished(study, kind=Kind.PERSON)
    participant_withdraw(participant=gone)

    open_folder = export(study, tmp_path / "open")
    folder = export(study, tmp_path / "anonymous", "--anonymous")
    known = content_of(open_folder)
    content = content_of(folder)
    secrets = [secret for participant in [*participants, answered] for secret in secrets_of(participant)]
    secrets += ["prolific", start.strftime("%Y-%m-%dT%H")]
    for secret in secrets:
        assert secret in known, "the test looks for what is there"
        assert secret not in content
    assert {row["received_after_ms"] for row in table(folder, "moves")} == {"2500"}
    assert {row["started_after_ms"] for row in table(folder, "participants")} == {"0"}
    missing = {row["item"]: row["missing"] for row in table(folder, "answers")}
    assert missing == {"often": "no", "age": "no", "words": "withheld", "fun": "no"}
    assert "profile.words" not in table(folder, "wide")[0]
    (withdrawn,) = [row for row in table(folder, "consents") if row["withdrawn"] == "true"]
    assert (withdrawn["participant"], withdrawn["at_after_ms"]) == ("", "")
    assert rescored(folder)["faults"] == []
    ids = {row["participant"] for row in table(folder, "participants")}
    again = {row["participant"] for row in table(export(study, tmp_path / "again", "--anonymous"), "participants")}
    assert (len(ids), ids & again) == (4, set())
    assert manifest(folder)["anonymous"] is True


def content_of(folder: Path) -> str:
    """All tables as text, those of Parquet as pyarrow reads them."""
    parts: list[str] = []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".parquet":
            parts.append(str(pq.read_table(path).to_pylist()))
        elif path.stem not in {"manifest", "codebook", "study-version-1"}:
            parts.append(path.read_text("utf-8"))
    return "\n".join(parts)


def test_a_sensitive_choice_is_withheld_from_an_anonymised_export(tmp_path: Path) -> None:
    study = mixed_study()
    draft: dict[str, Any] = study.draft
    draft["pages"][1]["items"][0]["sensitive"] = True
    Study.objects.filter(pk=study.pk).update(draft=draft)
    study.refresh_from_db()
    study_publish(study=study)
    make_participant(study)
    folder = export(study, tmp_path / "out", "--anonymous", "--format", "csv")
    answers = {row["item"]: (row["value"], row["missing"]) for row in table(folder, "answers")}
    assert answers["often"] == ("", "withheld")
    assert answers["age"] == ("40", "no")
    assert "profile.often" not in (folder / "wide.csv").read_text("utf-8")


def test_the_command_leaves_a_line_in_the_audit_log(tmp_path: Path) -> None:
    study = mixed_study()
    export(study, tmp_path / "out", "--anonymous", "--kind=person", "--format=json")
    line = AuditLog.objects.get(action="study.export")
    assert (line.actor, line.object_id) == (None, study.pk)
    assert line.after == {
        "formats": ["json"],
        "anonymous": True,
        "filters": {"kind": ["person"], "version": "all", "status": "all"},
    }


def test_attempts_beyond_what_is_kept_are_counted(tmp_path: Path) -> None:
    study = make_study(rounds=1)
    participant, _ = make_participant(study)
    Round.objects.filter(participant=participant).update(attempts=501)
    row = Round.objects.get(participant=participant)
    Attempt.objects.create(
        round=row, before_seq=1, client_id="one-attempt", action=[[0, 0], [0, 1]], reason=1, received_at=timezone.now()
    )
    folder = export(study, tmp_path / "out", "--format", "csv")
    assert (table(folder, "rounds")[0]["attempts"], len(table(folder, "attempts"))) == ("501", 1)
