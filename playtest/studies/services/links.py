"""Links into a study, as staff make, change and switch them. Labels, comments and tokens stay out of the log."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.choices import LinkMode, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.identity import public_id_draw
from playtest.studies.models import Link, Study
from playtest.studies.selectors.links import labels_taken

MOST_LINKS = 500
"""Links that are made at once."""
MOST_NAMED = 20
"""Links that a line of the log names by number."""


def link_create(
    *, study: Study, comment: str = "", max_uses: int | None = None, expires_at: datetime | None = None, by: User | None
) -> Link:
    """An open link: whoever opens it may start, at most `max_uses` participants. Raises StudyError."""
    link = Link(study=study, mode=LinkMode.OPEN, max_uses=max_uses)
    return _insert(study, [link], comment=comment, expires_at=expires_at, by=by)[0]


def links_create_one_time(
    *, study: Study, number: int, comment: str = "", expires_at: datetime | None = None, by: User | None
) -> list[Link]:
    """Links for one participant each, who goes on by it. Raises StudyError."""
    links = [Link(study=study, mode=LinkMode.ONE_TIME, max_uses=1) for _ in range(number)]
    return _insert(study, links, comment=comment, expires_at=expires_at, by=by)


def links_create_labelled(
    *,
    study: Study,
    labels: Sequence[str],
    comment: str = "",
    expires_at: datetime | None = None,
    by: User | None,
) -> list[Link]:
    """A link for one participant by label. Raises StudyError `label` if the study has one of the labels already."""
    links = [Link(study=study, mode=LinkMode.LABELLED, label=label, max_uses=1) for label in labels]
    return _insert(study, links, comment=comment, expires_at=expires_at, by=by)


def _insert(
    study: Study, links: Sequence[Link], *, comment: str, expires_at: datetime | None, by: User | None
) -> list[Link]:
    """All of them or none."""
    if not 1 <= len(links) <= MOST_LINKS:
        raise StudyError("number", f"From 1 to {MOST_LINKS} links are made at once.")
    if expires_at is not None and expires_at <= timezone.now():
        raise StudyError("expires_at", "That moment is over: nobody could use the link.")
    for link in links:
        link.token, link.comment, link.expires_at = public_id_draw(), comment.strip(), expires_at
    try:
        with transaction.atomic():
            if Study.objects.select_for_update().get(pk=study.pk).state == StudyState.CLOSED:
                raise StudyError("closed", "A closed study lets nobody in, so it gets no links.")
            made = Link.objects.bulk_create(links)
            after = {"mode": LinkMode(links[0].mode).label, "number": len(links)}
            audit_record(actor=by, action="link.create", target=study, after=after)
    except IntegrityError:
        if not labels_taken(study=study, labels=[link.label for link in links if link.label]):
            raise
        raise StudyError("label", "Meanwhile one of these labels got a link in another window.") from None
    return made


def link_change(
    *, link: Link, comment: str, max_uses: int | None, expires_at: datetime | None, by: User | None
) -> bool:
    """Change what staff may change of a link; whether anything did. Raises StudyError `max_uses` below its uses.

    How often a link of one person may be used is not theirs to change.
    """
    wanted: dict[str, Any] = {
        "comment": comment.strip(),
        "expires_at": expires_at,
        "max_uses": link.max_uses if link.is_personal else max_uses,
    }
    before = {name: getattr(link, name) for name, value in wanted.items() if getattr(link, name) != value}
    if not before:
        return False
    with transaction.atomic():
        fitting = Q(uses__lte=wanted["max_uses"]) if wanted["max_uses"] is not None else Q()
        if not Link.objects.filter(fitting, pk=link.pk).update(**wanted):
            uses = Link.objects.values_list("uses", flat=True).get(pk=link.pk)
            raise StudyError(
                "max_uses", f"{uses} started by it already. Switch it off if nobody else is to start, or allow more."
            )
        changed = sorted(before)
        # A comment may speak of a person: the log outlives it, so it says only that it changed.
        told = [name for name in changed if name != "comment"]
        audit_record(
            actor=by,
            action="link.change",
            target=link.study,
            before={"link": link.pk, **{name: _plain(before[name]) for name in told}},
            after={"link": link.pk, "changed": changed, **{name: _plain(wanted[name]) for name in told}},
        )
    for name, value in wanted.items():
        setattr(link, name, value)
    return True


def links_switch(*, study: Study, keys: Collection[int], active: bool, by: User | None) -> int:
    """Switch these links of the study on or off; gives how many were not so before."""
    with transaction.atomic():
        changed = sorted(
            Link.objects.select_for_update()
            .filter(study=study, pk__in=keys, active=not active)
            .values_list("pk", flat=True)
        )
        if not changed:
            return 0
        Link.objects.filter(pk__in=changed).update(active=active)
        after = {"number": len(changed), "links": changed[:MOST_NAMED]}
        audit_record(actor=by, action="link.on" if active else "link.off", target=study, after=after)
    return len(changed)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
