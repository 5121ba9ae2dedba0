"""Addresses of the end page, checked against the site's list of hosts wherever a study is stored or published."""

from collections.abc import Collection

from django.conf import settings

from playtest.studies.completion_urls import host_is_allowed, url_check, url_host
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


def hosts_refused(*, document: StudyDocument) -> list[str]:
    """The hosts among the study's addresses to which this site sends nobody, each once."""
    hosts = dict.fromkeys(url_host(outcome.url) for outcome in document.end.outcomes if outcome.url)
    return [host for host in hosts if not host_is_allowed(host, settings.COMPLETION_HOSTS)]
