"""Taking out of the database's own files what somebody took back."""

from django.db import connection
from django.db.models import Max

from playtest.accounts.models import AuditLog
from playtest.studies.models import Participant
from playtest.studies.selectors.log import WITHDRAWN
from playtest.studies.vendor import keeps_write_ahead_log, write_ahead_log_cut

_emptied_for = 0
"""The newest withdrawal whose data this process knows to be gone. A new process looks once for all earlier ones."""


def withdrawn_data_wipe() -> int:
    """After a withdrawal, cut the log in which SQLite keeps old pages; 1 where that was done now.

    The rows themselves are overwritten when they are deleted (`secure_delete`). On a quiet site the log would keep
    them for hours. Nobody is waited for: where somebody reads or writes, the next call does it.
    """
    global _emptied_for
    if not keeps_write_ahead_log(connection):
        return 0
    lines = AuditLog.objects.filter(object_type=Participant._meta.label_lower, action=WITHDRAWN)
    newest = lines.aggregate(newest=Max("pk"))["newest"] or 0
    if newest == _emptied_for or not write_ahead_log_cut(connection):
        return 0
    _emptied_for = newest
    return 1
