"""A draft as participants would see it. Previews have versions of their own, number 0, that nobody else is given."""

import hashlib
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from engine.level import canonical_json
from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.commit import code_commit
from playtest.studies.choices import Kind, StudyState
from playtest.studies.document import parse_study
from playtest.studies.errors import StudyError
from playtest.studies.models import Consent, Participant, Slot, Study, StudyVersion
from playtest.studies.services.assignment import cells_ensure
from playtest.studies.services.participants import Started, participant_insert
from playtest.studies.services.studies import game_versions

KEPT_FOR = timedelta(days=1)
PREVIEW_NUMBER = 0


def preview_start(*, study: Study, by: User) -> Started:
    """Begin a preview of the draft as it is now. Raises StudyError if it cannot be played yet."""
    if study.state == StudyState.CLOSED:
        raise StudyError(
            "closed", "A closed study cannot be previewed. What its participants saw is with its versions."
        )
    document = parse_study(study.draft)
    frozen = document.to_document()
    digest = hashlib.sha256(canonical_json(frozen).encode()).hexdigest()
    previews_clear(study=study)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        version = StudyVersion.objects.filter(study=study, number=PREVIEW_NUMBER, hash=digest).first()
        if version is None:
            version = StudyVersion.objects.create(
                study=study,
                number=PREVIEW_NUMBER,
                document=frozen,
                hash=digest,
                game_versions=game_versions(document),
                code_commit=code_commit(),
            )
            cells_ensure(version=version)
        audit_record(actor=by, action="study.preview", target=study, after={"draft": study.draft_number})
    return participant_insert(
        study=study, version=version, kind=Kind.PREVIEW, language=document.languages[0], query=None
    )


def previews_clear(*, study: Study) -> None:
    """Delete previews that nobody looked at for a day, and versions that no preview is on any more."""
    own = Participant.objects.filter(study=study, kind=Kind.PREVIEW, version__number=PREVIEW_NUMBER)
    for participant in own.filter(last_seen_at__lt=timezone.now() - KEPT_FOR).order_by("pk")[:20]:
        with transaction.atomic():
            Slot.objects.filter(participant=participant).delete()
            participant.delete()
    unused = StudyVersion.objects.filter(study=study, number=PREVIEW_NUMBER, participants__isnull=True)
    for version in unused.defer("document")[:20]:
        with transaction.atomic():
            Consent.objects.filter(version=version).delete()
            version.delete()
