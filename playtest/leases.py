"""Work that several workers share: the leased columns, and the only statements that change them.

A row of work is *claimed* for a limited time, worked on outside any transaction, and *finished*. Every step is one
conditional UPDATE, so it needs no lock and means the same on SQLite and PostgreSQL. Times are compared with the
database's clock: machines may disagree about the time, the database agrees with itself.

A lease does not protect a result. Whoever worked on a row may finish it, also after its lease ran out, because
results are pure functions of the row; the first writer wins (`lease_finish`). A lease only keeps two workers from
doing the same work at the same time, and tells the reconciler what was left lying.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from django.db import models
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Now

from playtest.clock import database_time_in

LEASE_SECONDS = 60.0
MAX_ATTEMPTS = 8
CANDIDATES = 8


class LeaseState(models.IntegerChoices):
    WAITING = 1, "waiting"
    LEASED = 2, "leased"
    DONE = 3, "done"
    FAILED = 4, "failed"


class Leased(models.Model):
    """The leased columns. A model inherits them, and by `class Meta(Leased.Meta)` their constraints and index."""

    state = models.SmallIntegerField(choices=LeaseState.choices, default=LeaseState.WAITING)
    lease_epoch = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True, default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(null=True, blank=True)
    error = models.TextField(blank=True, default="")

    class Meta:
        abstract = True
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(condition=Q(state__in=LeaseState.values), name="%(class)s_lease_state"),
            models.CheckConstraint(
                condition=~Q(state=LeaseState.LEASED) | Q(lease_until__isnull=False), name="%(class)s_lease_until_set"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="%(class)s_lease", condition=~Q(state=LeaseState.DONE)),
        ]


LeasedRow = TypeVar("LeasedRow", bound=Leased)


@dataclass(frozen=True)
class Claim:
    """A successful claim: the row's key and the epoch under which its holder may renew or return it."""

    pk: int
    epoch: int


def _all(model: type[LeasedRow]) -> QuerySet[LeasedRow]:
    return QuerySet(model)


def expired(queryset: QuerySet[LeasedRow]) -> QuerySet[LeasedRow]:
    """Rows whose holder let the lease run out: it died, hangs or lost the database."""
    return queryset.filter(state=LeaseState.LEASED, lease_until__lt=Now())


def claimable(queryset: QuerySet[LeasedRow]) -> QuerySet[LeasedRow]:
    """Rows that a worker may claim now: waiting, or with a lease that ran out, and not tried too often."""
    return queryset.filter(
        Q(state=LeaseState.WAITING) | Q(state=LeaseState.LEASED, lease_until__lt=Now()), attempts__lt=MAX_ATTEMPTS
    )


def lease_claim(row: Leased, *, worker: str, seconds: float = LEASE_SECONDS) -> Claim | None:
    """Claim one row as it was read. None: somebody else was faster, or it is done.

    The epoch in the condition makes the claim happen once: of two workers that read the same row only one finds it
    unchanged. `attempts` counts claims, so a row that kills its worker is given up in the end (`lease_give_up`).
    """
    epoch = row.lease_epoch
    changed = (
        claimable(_all(type(row)))
        .filter(pk=row.pk, lease_epoch=epoch)
        .update(
            state=LeaseState.LEASED,
            lease_epoch=F("lease_epoch") + 1,
            lease_until=database_time_in(seconds),
            worker=worker[:120],
            attempts=F("attempts") + 1,
        )
    )
    return Claim(pk=row.pk, epoch=epoch + 1) if changed else None


def lease_claim_next(
    queryset: QuerySet[LeasedRow], *, worker: str, seconds: float = LEASE_SECONDS
) -> tuple[LeasedRow, Claim] | None:
    """Claim the first claimable row in the queryset's order. None: there is nothing to do.

    Workers that look at the same moment see the same rows, so a lost race goes on with the next candidate, and
    looks again when all candidates of one look were lost.
    """
    while True:
        candidates = list(claimable(queryset)[:CANDIDATES])
        if not candidates:
            return None
        for row in candidates:
            claim = lease_claim(row, worker=worker, seconds=seconds)
            if claim is not None:
                row.refresh_from_db()
                return row, claim


def lease_renew(model: type[Leased], claim: Claim, *, seconds: float = LEASE_SECONDS) -> bool:
    """Hold a claimed row longer. False: the claim is lost (claimed by another after it ran out, or finished)."""
    held = _all(model).filter(pk=claim.pk, lease_epoch=claim.epoch, state=LeaseState.LEASED)
    return held.update(lease_until=database_time_in(seconds)) == 1


def lease_release(model: type[Leased], claim: Claim) -> bool:
    """Give a claimed row back unworked (pause, shutdown); this does not count as an attempt."""
    held = _all(model).filter(pk=claim.pk, lease_epoch=claim.epoch, state=LeaseState.LEASED)
    return held.update(state=LeaseState.WAITING, lease_until=None, worker="", attempts=F("attempts") - 1) == 1


def lease_finish(
    model: type[Leased], pk: int, *, seconds: float, worker: str = "", values: Mapping[str, Any] | None = None
) -> bool:
    """Mark a row done and store `values` in its columns. False: it was done before, and nothing changed.

    Call it inside the transaction that stores the result, and roll that back on False. The lease is deliberately not
    asked for: the result of a worker whose lease ran out is as good as any other, and the first one stands.
    """
    fields: dict[str, Any] = {"state": LeaseState.DONE, "lease_until": None, "seconds": seconds, "error": ""}
    if worker:
        fields["worker"] = worker[:120]
    fields.update(values or {})
    return _all(model).filter(pk=pk).exclude(state=LeaseState.DONE).update(**fields) == 1


def lease_fail(model: type[Leased], claim: Claim, *, error: str, final: bool = False) -> bool:
    """Say that the work went wrong. The row waits for another attempt, or is failed after the last one or if `final`.

    False: the claim was lost meanwhile, so that whoever holds the row now decides.
    """
    held = _all(model).filter(pk=claim.pk, lease_epoch=claim.epoch, state=LeaseState.LEASED)
    failed, waiting = Value(LeaseState.FAILED.value), Value(LeaseState.WAITING.value)
    state = failed if final else Case(When(attempts__gte=MAX_ATTEMPTS, then=failed), default=waiting)
    return held.update(state=state, lease_until=None, error=error[:4000]) == 1


def lease_return_expired(row: Leased) -> bool:
    """Let a row wait again whose lease ran out, as it was read. False: somebody else dealt with it meanwhile, or it was
    its last attempt and only giving up is left (`lease_give_up`).
    """
    held = expired(_all(type(row))).filter(pk=row.pk, lease_epoch=row.lease_epoch, attempts__lt=MAX_ATTEMPTS)
    return held.update(state=LeaseState.WAITING, lease_until=None) == 1


def lease_give_up(queryset: QuerySet[LeasedRow], *, error: str) -> int:
    """Fail the rows that ran out as often as allowed: they seem to kill whoever works on them. Gives their number.

    Also those that wait after their last attempt: nobody may claim them, so they would wait for ever.
    """
    ran_out = Q(state=LeaseState.WAITING) | Q(state=LeaseState.LEASED, lease_until__lt=Now())
    return queryset.filter(ran_out, attempts__gte=MAX_ATTEMPTS).update(
        state=LeaseState.FAILED, lease_until=None, error=error[:4000]
    )
