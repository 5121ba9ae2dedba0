"""“Stop and delete”: asked once more, done, and said. Pressed twice it is said twice."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from playtest.studies.choices import Kind, Status
from playtest.studies.cookies import cookies_clear
from playtest.studies.errors import StudyError
from playtest.studies.identity import PERSON_FIELD
from playtest.studies.languages import PARAMETER, language_of_visit
from playtest.studies.models import Participant, Study
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.participants import participant_withdrawn
from playtest.studies.services.participants import participant_withdraw
from playtest.studies.views.participant import find_study, participant_page, published, refuse_unpublished, who


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def stop(request: HttpRequest, study: str) -> HttpResponse:
    """Stop and delete. The second click of two is told of the first one's work, not to begin."""
    if request.method == "POST":
        found = find_study(study)
        if who(request, found) is None:
            gone = participant_withdrawn(study=found, mark=request.POST.get(PERSON_FIELD, ""))
            if gone is not None:
                translation.activate(language_of_visit(request, version_document(gone.version).languages))
                return say_stopped(found, gone)
    return ask(request, study)


@participant_page
def ask(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """Asked once more, then everything goes, and the cookie with it."""
    if request.method != "POST":
        return render(request, "studies/stop.html", {"study": study, "participant": participant})
    try:
        participant_withdraw(participant=participant)
    except StudyError as error:
        if error.code != "state":
            raise
        participant.refresh_from_db(fields=["status"])
        if participant.status != Status.WITHDRAWN:
            # The state changed in another window in this very moment: look again.
            return redirect("studies:stop", study.public_id)
    return say_stopped(study, participant)


def say_stopped(study: Study, participant: Participant) -> HttpResponse:
    """To the page that says so, in the language that is spoken; from a preview back to the draft."""
    if participant.kind == Kind.PREVIEW:
        response = redirect("studies_staff:preview_back", study.pk)
    else:
        language = urlencode({PARAMETER: translation.get_language() or "en"})
        response = redirect(reverse("studies:stopped", args=[study.public_id]) + f"?{language}")
    cookies_clear(response, study_public_id=study.public_id)
    return response


@require_safe
@never_cache
def stopped(request: HttpRequest, study: str) -> HttpResponse:
    found = find_study(study)
    if who(request, found) is not None:
        return redirect("studies:next", found.public_id)
    refuse_unpublished(found)
    translation.activate(language_of_visit(request, version_document(published(found)).languages))
    return render(request, "studies/stopped.html", {"study": found})
