"""What participants do to a link: take a use of it, give it back, and show its page."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from playtest.studies.choices import StudyState
from playtest.studies.models import Link, LinkDay, Study
from playtest.studies.selectors.links import Refusal, link_refusal, plain_refusal

LINK_SAYS: Mapping[Refusal, str] = {
    Refusal.INACTIVE: "This link is switched off.",
    Refusal.EXPIRED: "This link was valid for a time that is over.",
    Refusal.USED: "This link was used as often as it may be.",
    Refusal.LINKS_ONLY: "People start this study by its links alone.",
}


class NoUseLeftError(Exception):
    """The link lets nobody new in: switched off, over, or used up in this moment."""


def link_take(link: Link) -> None:
    """Take a use of the link, in the caller's transaction, which others with the same link wait for."""
    usable = Link.objects.filter(
        Q(max_uses__isnull=True) | Q(uses__lt=F("max_uses")),
        Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()),
        pk=link.pk,
        active=True,
    )
    if not usable.update(uses=F("uses") + 1):
        raise NoUseLeftError


def link_give_back(link_id: int | None) -> None:
    """A participant of this link withdrew: somebody may begin by it in their place."""
    if link_id is not None:
        Link.objects.filter(pk=link_id, uses__gt=0).update(uses=F("uses") - 1)


def opened_note(*, study: Study, link: Link | None) -> None:
    """Count that a browser showed the entry page to somebody who may begin; where nobody may, nothing is counted."""
    refusal = link_refusal(link) if link is not None else plain_refusal(study)
    if study.state != StudyState.OPEN or refusal is not None:
        return
    today = LinkDay.objects.filter(study=study, link=link, day=timezone.now().date())
    if today.update(opened=F("opened") + 1):
        return
    try:
        with transaction.atomic():
            LinkDay.objects.create(study=study, link=link, day=timezone.now().date(), opened=1)
    except IntegrityError:
        # The first of the day twice at once.
        today.update(opened=F("opened") + 1)
