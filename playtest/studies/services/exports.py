"""That an export was made is noted before anything is read: what left the site can be found again."""

from typing import Any

from django.db import transaction

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.models import Study
from playtest.studies.selectors.noted_exports import EXPORT
from playtest.studies.services.locks import study_lock


def export_note(*, study: Study, by: User | None, options: dict[str, Any]) -> None:
    """Add the line to the audit log; `options` say what was asked for. `by` is None on the command line."""
    with transaction.atomic():
        # A withdrawal that is just being written names this export, or is over before it reads.
        study_lock(study_id=study.pk)
        audit_record(actor=by, action=EXPORT, target=study, after=options)
