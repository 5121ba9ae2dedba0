"""Guessing passwords is slowed down by user name. No address is kept: it would be personal data and is easily changed.

The first failures cost nothing; from then on each failure doubles the wait, up to a quarter of an hour. A right
password within the wait is refused too, otherwise guessing would go on at full speed.
"""

import hashlib
import hmac
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from playtest.accounts.models import LoginThrottle

FREE_FAILURES = 4
LONGEST_WAIT = 15 * 60
FORGET_AFTER = timedelta(days=1)


def login_wait_seconds(*, username: str) -> int:
    """Seconds that this user name has to wait before the next try counts; 0 if none."""
    row = LoginThrottle.objects.filter(digest=_digest(username)).first()
    if row is None or row.until is None:
        return 0
    return max(0, int((row.until - timezone.now()).total_seconds() + 0.999))


def login_note_failure(*, username: str) -> None:
    """Count a failed login. Names that nobody has are counted alike, so that a wait tells nothing about accounts."""
    now = timezone.now()
    with transaction.atomic():
        LoginThrottle.objects.filter(last_at__lt=now - FORGET_AFTER).delete()
        row, _ = LoginThrottle.objects.get_or_create(digest=_digest(username), defaults={"last_at": now})
        # The update locks the row, so that of failures at the same moment every one counts.
        LoginThrottle.objects.filter(pk=row.pk).update(failures=F("failures") + 1, last_at=now)
        row.refresh_from_db()
        wait = min(LONGEST_WAIT, 2 ** min(row.failures - FREE_FAILURES, 20)) if row.failures > FREE_FAILURES else 0
        row.until = now + timedelta(seconds=wait) if wait else None
        row.save(update_fields=["until"])


def login_note_success(*, username: str) -> None:
    LoginThrottle.objects.filter(digest=_digest(username)).delete()


def _digest(username: str) -> str:
    """A keyed digest: people type passwords into the name field, and those must not be stored."""
    folded = username.strip().casefold().encode("utf-8", "surrogatepass")
    return hmac.new(settings.SECRET_KEY.encode(), b"login-throttle:" + folded, hashlib.sha256).hexdigest()
