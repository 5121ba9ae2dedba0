"""Tables of studies: what is asked (study.py), of whom (participants.py), and what they played (play.py)."""

from playtest.studies.models.participants import Answer, Consent, PageVisit, Participant, Slot, Transition
from playtest.studies.models.play import Attempt, Event, Move, Round
from playtest.studies.models.study import AssignmentCounter, Cell, Link, Study, StudyVersion

__all__ = [
    "Answer",
    "AssignmentCounter",
    "Attempt",
    "Cell",
    "Consent",
    "Event",
    "Link",
    "Move",
    "PageVisit",
    "Participant",
    "Round",
    "Slot",
    "Study",
    "StudyVersion",
    "Transition",
]
