"""Tables of studies: what is asked (study.py), of whom (participants.py), what they played (play.py), and what of it
figures count (annotations.py)."""

from playtest.studies.models.annotations import Annotation
from playtest.studies.models.participants import Answer, Consent, PageVisit, Participant, Slot, Transition
from playtest.studies.models.play import Attempt, Event, Move, Round
from playtest.studies.models.study import AssignmentCounter, Cell, Link, LinkDay, Study, StudyVersion

__all__ = [
    "Annotation",
    "Answer",
    "AssignmentCounter",
    "Attempt",
    "Cell",
    "Consent",
    "Event",
    "Link",
    "LinkDay",
    "Move",
    "PageVisit",
    "Participant",
    "Round",
    "Slot",
    "Study",
    "StudyVersion",
    "Transition",
]
