"""A run's log, and its revision: what pages notice."""

from django.db.models import F
from django.db.models.functions import Now

from playtest.evolution.models import EvolutionRun, LogKind, RunLog
from playtest.live import hint


def run_note(*, run_id: int, kind: LogKind, text: str) -> RunLog:
    """Add a line to the run's log, in the caller's transaction."""
    return RunLog.objects.create(run_id=run_id, kind=kind, text=text)


def run_touch(*, run_id: int, heartbeat: bool = False) -> int:
    """Raise the run's revision and, after the commit, tell the pages that watch it. Gives the revision.

    Call it within a transaction: the update locks the row, so that the revision read is the one made here.
    """
    beat = {"heartbeat_at": Now()} if heartbeat else {}
    EvolutionRun.objects.filter(pk=run_id).update(rev=F("rev") + 1, **beat)
    rev = EvolutionRun.objects.values_list("rev", flat=True).get(pk=run_id)
    hint(f"run:{run_id}", rev)
    return rev
