"""Addresses of the end page, checked against the site's list of hosts wherever a study is stored or published."""

from collections.abc import Collection

from django.conf import settings

from playtest.studies.completion_urls import url_check
from playtest.studies.document import StudyDocument
from playtest.studies.errors import StudyError


def addresses_check(*, document: StudyDocument, known: Collection[str] = ()) -> None:
    """Raise StudyError, with place and host, unless people may be sent to each address of the study.

    `known` addresses are not asked for again.
    """
    for outcome in document.end.outcomes:
        if not outcome.url or outcome.url in known:
            continue
        try:
            url_check(outcome.url, settings.COMPLETION_HOSTS)
        except StudyError as error:
            place = f"Page {len(document.pages)}, outcomes, {outcome.name}, url"
            raise StudyError("document", f"{place}: {error}") from None
