"""Who may start a study: everybody by the start page, everybody who has its address, or by its links alone."""

from django.db import transaction

from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.studies.choices import Admission, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.models import Study


def admission_change(*, study: Study, admission: Admission, by: User | None) -> bool:
    """Choose who may start from now on; whether that is something else than before. Who began goes on in any case.

    Raises StudyError `closed`. Changes `study` in place.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().defer("draft", "removed").get(pk=study.pk)
        if locked.state == StudyState.CLOSED:
            raise StudyError("closed", "A closed study lets nobody in, whatever is chosen.")
        before = Admission(locked.admission)
        study.admission = admission
        if before == admission:
            return False
        Study.objects.filter(pk=study.pk).update(admission=admission)
        audit_record(
            actor=by,
            action="study.admission",
            target=study,
            before={"who may start": before.label},
            after={"who may start": admission.label},
        )
    return True
