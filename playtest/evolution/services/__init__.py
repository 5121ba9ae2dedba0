"""All writes of `evolution`: runs and their work, and the library of personas."""

from playtest.evolution.services.personas import (
    persona_add,
    persona_archive,
    persona_keep,
    persona_offer,
    personas_ensure_catalogue,
)
from playtest.evolution.services.reconcile import runs_reconcile
from playtest.evolution.services.runs import RunError, run_cancel, run_create, run_pause, run_prioritise, run_resume
from playtest.evolution.services.work import work_once, worker_name

__all__ = [
    "RunError",
    "persona_add",
    "persona_archive",
    "persona_keep",
    "persona_offer",
    "personas_ensure_catalogue",
    "run_cancel",
    "run_create",
    "run_pause",
    "run_prioritise",
    "run_resume",
    "runs_reconcile",
    "work_once",
    "worker_name",
]
