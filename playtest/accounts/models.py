"""Staff, what they did, and the duties that one process at a time may hold."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models

from playtest.immutable import ImmutableRow


class Role(models.IntegerChoices):
    DESIGNER = 1, "designer"
    ADMIN = 2, "admin"


class StaffManager(UserManager["User"]):
    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> "User":
        """Who is made by `manage.py createsuperuser` is an admin here too."""
        return super().create_superuser(username, email, password, **{"role": Role.ADMIN, **fields})


class User(AbstractUser):
    """A member of the staff. Participants are no users: they have a cookie of their study and nothing else."""

    role = models.SmallIntegerField(choices=Role, default=Role.DESIGNER)
    language = models.CharField(max_length=16, default="en")
    must_change_password = models.BooleanField(default=False)

    objects: ClassVar[StaffManager] = StaffManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="user_role_known"),
        ]

    @property
    def is_admin(self) -> bool:
        return self.role == Role.ADMIN


class LoginThrottle(models.Model):
    """Failed logins of one user name, kept as a keyed digest so that mistyped passwords are not stored as names."""

    digest = models.CharField(max_length=64, unique=True)
    failures = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(null=True)
    last_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["last_at"], name="loginthrottle_last_at")]


class AuditLog(ImmutableRow):
    """One line for each thing that staff did to something. Never holds answers, recruiter ids or tokens."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    action = models.CharField(max_length=64)
    object_type = models.CharField(max_length=64)
    object_id = models.BigIntegerField(null=True)
    object_label = models.CharField(max_length=200)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.TextField(default="")

    class Meta:
        indexes: ClassVar = [models.Index(fields=["object_type", "object_id", "id"], name="auditlog_object")]


class Lease(models.Model):
    """One row for each singleton duty; who holds it changes only by a conditional update."""

    name = models.CharField(max_length=64, unique=True)
    holder = models.CharField(max_length=128, default="")
    epoch = models.BigIntegerField(default=0)
    until = models.DateTimeField(null=True)
