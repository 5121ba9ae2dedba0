"""All writes of `studies`. `moves`, `claims` are for the play socket alone."""

from playtest.studies.services.annotations import use_decide
from playtest.studies.services.completion import participant_complete
from playtest.studies.services.pages import page_submit
from playtest.studies.services.participants import (
    consent_decide,
    participant_start,
    participant_withdraw,
)
from playtest.studies.services.studies import (
    demo_load,
    readymade_load,
    study_create,
    study_publish,
    study_set_state,
)

__all__ = [
    "consent_decide",
    "demo_load",
    "page_submit",
    "participant_complete",
    "participant_start",
    "participant_withdraw",
    "readymade_load",
    "study_create",
    "study_publish",
    "study_set_state",
    "use_decide",
]
