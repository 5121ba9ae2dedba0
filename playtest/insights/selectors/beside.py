"""Games on the same boards that can stand side by side: of participants of a study, and of agents."""

import re

from playtest.beside import TraceShown
from playtest.levels.replays import example_choices, game_trace
from playtest.levels.selectors import reports_newest
from playtest.replay import StepKind, replay_game
from playtest.studies.choices import Kind
from playtest.studies.models import Round, Study
from playtest.studies.selectors.documents import round_level
from playtest.studies.selectors.replays import round_entries

MOST_ROUNDS = 200


def choices_beside(*, study: Study, boards: str) -> list[tuple[str, str]]:
    """Keys and labels: rounds of people and bots, the best first, then examples of the newest playtest."""
    rounds = Round.objects.filter(
        participant__study=study, level_hash=boards, kind__in=(Kind.PERSON, Kind.BOT), moves_used__gt=0
    )
    rows = rounds.select_related("participant").order_by("-score", "pk")[:MOST_ROUNDS]
    found = [(f"round-{row.pk}", f"{_label(row)}: {row.score:,}") for row in rows]
    report = reports_newest(boards_hashes=[boards]).get(boards)
    return found + (example_choices(report) if report is not None else [])


def trace_beside(key: str, *, study: Study, boards: str) -> TraceShown | None:
    """The game that the key names, if it is of this study or of an agent and on these boards.

    Attempts are left out: both games have a step for every move.
    """
    match = re.fullmatch(r"round-([0-9]{1,18})", key)
    if match is None:
        return game_trace(key, boards_hash=boards)
    rows = Round.objects.filter(participant__study=study, level_hash=boards)
    row = rows.select_related("participant", "level_version").filter(pk=int(match[1])).first()
    if row is None:
        return None
    entries = [entry for entry in round_entries(row) if entry.kind != StepKind.ATTEMPT]
    replay = replay_game(round_level(row), entries, game_version=row.game_version)
    return TraceShown(key, _label(row), "bots" if row.kind == Kind.BOT else "people", replay)


def _label(row: Round) -> str:
    name = row.participant.code or f"No. {row.participant_id}"
    return f"{'Bot ' if row.kind == Kind.BOT else ''}{name}, round {row.position}"
