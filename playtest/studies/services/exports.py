"""That an export was made is noted before anything is read: what left the site can be found again."""

from typing import Any

from django.db import transaction

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.models import Study


def export_note(*, study: Study, by: User | None, options: dict[str, Any]) -> None:
    """Add the line to the audit log; `options` say what was asked for. `by` is None on the command line."""
    with transaction.atomic():
        audit_record(actor=by, action="study.export", target=study, after=options)
