"""Staff accounts."""

import secrets
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from playtest.accounts.models import User
from playtest.accounts.services.audit import audit_record

# Read aloud and typed from paper without doubt: no 0 O 1 l I.
CLEAR_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
DRAWN_LENGTH = 20
FIRST_ADMIN = "admin"


@dataclass(frozen=True)
class NewLogin:
    """A fresh account with the only copy of its password: the database holds a hash."""

    username: str
    password: str


def password_draw() -> str:
    """A random password, about 116 bits."""
    return "".join(secrets.choice(CLEAR_LETTERS) for _ in range(DRAWN_LENGTH))


def admin_ensure() -> NewLogin | None:
    """Make the first admin where there is no account at all. Gives its login once, or None if there was one."""
    if User.objects.exists():
        return None
    password = password_draw()
    try:
        with transaction.atomic():
            user = User.objects.create_superuser(FIRST_ADMIN, password=password)
            audit_record(actor=None, action="user.create", target=user, reason="first start")
    except IntegrityError:
        # Two first starts on one database: the other one made it and prints the password.
        return None
    return NewLogin(username=user.username, password=password)


def password_change(*, user: User, password: str) -> None:
    with transaction.atomic():
        user.set_password(password)
        user.must_change_password = False
        user.save(update_fields=["password", "must_change_password"])
        audit_record(actor=user, action="user.password", target=user)
