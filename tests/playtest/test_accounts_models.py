"""Staff accounts and rows that are written once."""

import pytest

from playtest.accounts.models import AuditLog, Role, User
from playtest.immutable import ImmutableRowError


def test_superuser_made_on_the_command_line_is_an_admin(db: None) -> None:
    user = User.objects.create_superuser("root", password="correct horse battery")
    assert user.role == Role.ADMIN
    assert user.is_admin


def test_audit_line_cannot_be_changed(admin: User) -> None:
    line = AuditLog.objects.create(actor=admin, action="study.publish", object_type="study", object_label="Paper")
    line.reason = "second thoughts"
    with pytest.raises(ImmutableRowError):
        line.save()
    with pytest.raises(ImmutableRowError):
        AuditLog.objects.update(reason="second thoughts")
