"""How a participation ended, and what its participant is given: a text, codes, and where to go on."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from playtest.studies.choices import OUTCOME_NAMES, Status
from playtest.studies.completion_urls import place_values, url_check, url_host, url_leave, url_places
from playtest.studies.document import StudyDocument
from playtest.studies.errors import StudyError
from playtest.studies.models import Participant
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.steps import time_is_up

logger = logging.getLogger(__name__)

FINAL = frozenset({Status.COMPLETED, Status.SCREENED_OUT})
"""Ends from which nobody comes back: these pages may go on by themselves."""


@dataclass(frozen=True)
class Ended:
    """`name`, `title` and `text` of the outcome; `code` is the study's for it, if it has one.

    `url` is where the participant goes on, with all places filled, empty if there is no such place; `host` its host.
    `is_refused` says that the site does not allow that host any more, so `url` is empty. `wait`: seconds until the page
    goes on by itself, 0 for never. `is_late`: it timed out since the time for the study was up.
    """

    name: str
    title: str
    text: str
    code: str
    url: str
    host: str
    is_refused: bool
    wait: int
    is_late: bool = False


@dataclass(frozen=True)
class Address:
    """An address of the end page as staff read it: of which outcome, where to, which parameters of the link it needs.

    `sentence` says what is wrong with it, if the site does not allow it.
    """

    outcome: str
    host: str
    places: list[str]
    sentence: str


def outcome_of(participant: Participant) -> Ended | None:
    """How it ended, or None while it has not. What is given is that of the participant's version."""
    status = Status(participant.status)
    if status not in OUTCOME_NAMES:
        return None
    page = version_document(participant.version).end
    outcome = page.outcome(OUTCOME_NAMES[status])
    is_complete = status == Status.COMPLETED
    url = host = ""
    is_refused = False
    if outcome.url:
        host = url_host(outcome.url)
        try:
            url = url_leave(outcome.url, participant_places(participant, outcome.name, outcome.code), allowed())
        except StudyError as error:
            logger.error("Study %s cannot send its participants on: %s", participant.study_id, error)
            is_refused = True
    return Ended(
        name=outcome.name,
        title=page.title if is_complete else "",
        text=page.text if is_complete else outcome.text,
        code=outcome.code,
        url=url,
        host=host,
        is_refused=is_refused,
        wait=page.wait if url and status in FINAL else 0,
        is_late=status == Status.TIMED_OUT and time_is_up(participant),
    )


def allowed() -> list[str]:
    """Hosts to which this site sends people."""
    return list(settings.COMPLETION_HOSTS)


def participant_places(participant: Participant, outcome: str, code: str) -> dict[str, str]:
    own = {"CODE": participant.code or "", "OUTCOME": outcome, "COMPLETION_CODE": code}
    return place_values(
        query=link_query(participant),
        recruiter=participant.recruiter,
        recruiter_id=participant.recruiter_id,
        own=own,
    )


def link_query(participant: Participant) -> Mapping[str, Sequence[str]]:
    """The parameters of the participant's link, as they came."""
    return json.loads(participant.query) if participant.query else {}


def addresses_of(document: StudyDocument) -> list[Address]:
    """The addresses of a study's end page with what they need of the link."""
    return [
        Address(one.name.replace("_", " "), url_host(one.url), url_places(one.url), address_fault(one.url))
        for one in document.end.outcomes
        if one.url
    ]


def address_fault(url: str) -> str:
    """Why nobody can be sent to an address now; empty if everybody can."""
    try:
        url_check(url, allowed())
    except StudyError as error:
        return str(error)
    return ""
