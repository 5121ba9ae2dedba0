"""Which language a participant is spoken to in, once they have started."""

import json

from django.db import transaction
from django.utils import timezone

from playtest.studies.choices import EventKind, Status
from playtest.studies.models import Event, Participant
from playtest.studies.selectors.documents import version_document
from playtest.studies.services.limits import MOST_EVENTS


def participant_speak(*, participant: Participant, language: str) -> None:
    """Change the language to another one of their version of the study; anything else changes nothing.

    What was changed, and when, is kept as an event.
    """
    if language == participant.language or language not in version_document(participant.version).languages:
        return
    with transaction.atomic():
        own = Participant.objects.filter(pk=participant.pk).exclude(status=Status.WITHDRAWN)
        if not own.update(language=language):
            return
        if Event.objects.filter(participant=participant).count() < MOST_EVENTS:
            Event.objects.create(
                participant=participant,
                kind=EventKind.SETTINGS,
                received_at=timezone.now(),
                data=json.dumps({"language": language}),
            )
    participant.language = language
