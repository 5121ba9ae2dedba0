"""Duties that one process at a time holds, such as reconciling."""

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from playtest.accounts.models import Lease
from playtest.clock import database_time_in


def duty_take(*, name: str, holder: str, seconds: float) -> int | None:
    """Take the duty, or keep it, for `seconds` from now. Gives the epoch, or None if somebody else holds it.

    The epoch rises whenever the duty changes hands or was let go: a holder that slept through its lease can tell.
    """
    _row_ensure(name)
    kept = Lease.objects.filter(name=name, holder=holder, until__gt=Now()).update(until=database_time_in(seconds))
    if not kept:
        free = Lease.objects.filter(Q(until__isnull=True) | Q(until__lte=Now()), name=name)
        if not free.update(holder=holder, epoch=F("epoch") + 1, until=database_time_in(seconds)):
            return None
    return Lease.objects.filter(name=name, holder=holder).values_list("epoch", flat=True).first()


def duty_release(*, name: str, holder: str) -> bool:
    """Let the duty go at once, so that the next process need not wait for the lease to run out."""
    return Lease.objects.filter(name=name, holder=holder, until__isnull=False).update(until=None) == 1


def _row_ensure(name: str) -> None:
    if Lease.objects.filter(name=name).exists():
        return
    try:
        with transaction.atomic():
            Lease.objects.create(name=name)
    except IntegrityError:
        # Another process made it between the look and the insert.
        return
