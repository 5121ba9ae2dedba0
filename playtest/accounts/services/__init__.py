"""All writes of `accounts`: staff, the audit log, login throttling, leases on duties."""

from playtest.accounts.services.audit import audit_record
from playtest.accounts.services.duty import duty_release, duty_take
from playtest.accounts.services.staff import NewLogin, admin_ensure, password_change
from playtest.accounts.services.throttle import login_note_failure, login_note_success, login_wait_seconds

__all__ = [
    "NewLogin",
    "admin_ensure",
    "audit_record",
    "duty_release",
    "duty_take",
    "login_note_failure",
    "login_note_success",
    "login_wait_seconds",
    "password_change",
]
