"""The language of who has started: another one of the study's at any time, on the page where they are."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from playtest.studies.languages import SPEAK
from playtest.studies.models import Participant, Study
from playtest.studies.services.languages import participant_speak
from playtest.studies.views.participant import participant_page


@require_POST
@participant_page
def language(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """Change it and show the same page again. A language that the study does not have changes nothing."""
    participant_speak(participant=participant, language=request.POST.get(SPEAK, ""))
    back, home = request.POST.get("back", ""), reverse("studies:entry", args=[study.public_id])
    if back.startswith(home) and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return HttpResponseRedirect(back)
    return redirect("studies:next", study.public_id)
