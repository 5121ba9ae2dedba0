"""The audit log: what staff did, to what, and why."""

from django.db import models

from playtest.accounts.models import AuditLog, User


def audit_record(
    *,
    actor: User | None,
    action: str,
    target: models.Model,
    label: str | None = None,
    before: object = None,
    after: object = None,
    reason: str = "",
) -> AuditLog:
    """Add a line, in the caller's transaction. `actor` is None where the program itself acted.

    `before` and `after` are plain JSON values. Never pass answers, recruiter ids or tokens: the log outlives them.
    """
    return AuditLog.objects.create(
        actor=actor,
        action=action,
        object_type=target._meta.label_lower,
        object_id=target.pk,
        object_label=(str(target) if label is None else label)[:200],
        before=before,
        after=after,
        reason=reason,
    )
