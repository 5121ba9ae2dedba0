"""Figures that are kept, and when they go: with the data of whoever withdraws, and when they are old.

The figures of a study are written and deleted under one lock of the study's row. Without it a page that was computed
before somebody withdrew could be kept behind the withdrawal, which has deleted all rows that were there.
"""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from playtest.insights.models import FigureCache
from playtest.studies.choices import Kind, Status
from playtest.studies.models import Participant
from playtest.studies.services.locks import study_lock

MOST_KEPT = 200
"""Pages of one study: a few filters of the study and of each of its levels."""
KEPT_FOR = timedelta(days=30)
LOT = 500


def figures_forget(participant: Participant) -> None:
    """A `studies.forgetting.Forgetter`: drop all figures of the study. Whose data are in which, nobody notes."""
    if participant.kind == Kind.PREVIEW:
        return
    study_lock(study_id=participant.study_id)
    FigureCache.objects.filter(study=participant.study_id).delete()


def withdrawn_count(*, study_id: int) -> int:
    """How many withdrew of those whom figures may count. It never falls."""
    own = Participant.objects.filter(study=study_id, status=Status.WITHDRAWN)
    return own.exclude(kind=Kind.PREVIEW).count()


def figures_keep(*, study_id: int, key: str, rev: str, document: dict[str, Any], withdrawn: int) -> bool:
    """Keep a page that was computed while so many had withdrawn; False: meanwhile somebody else did.

    What is kept of earlier revisions of the study goes, as nobody will be shown it any more, and so does the oldest
    above the limit. May raise DatabaseError.
    """
    with transaction.atomic():
        study_lock(study_id=study_id)
        if withdrawn_count(study_id=study_id) != withdrawn:
            return False
        own = FigureCache.objects.filter(study=study_id)
        own.exclude(rev=rev).delete()
        FigureCache.objects.update_or_create(key=key, defaults={"study_id": study_id, "rev": rev, "document": document})
        above = list(own.order_by("-made_at", "-pk").values_list("pk", flat=True)[MOST_KEPT:])
        own.filter(pk__in=above).delete()
    return True


def figures_prune() -> int:
    """Drop figures that nobody computed anew for a month; gives how many went."""
    old = FigureCache.objects.filter(made_at__lt=timezone.now() - KEPT_FOR)
    if not old.exists():
        return 0
    with transaction.atomic():
        # Those that a withdrawal is just deleting are not waited for: two that wait for each other would both fail.
        lot = list(old.order_by("pk").select_for_update(skip_locked=True).values_list("pk", flat=True)[:LOT])
        FigureCache.objects.filter(pk__in=lot).delete()
    return len(lot)
