"""Pages of questions: questionnaires, and what is asked after a round."""

import secrets
from datetime import UTC, datetime

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.views.decorators.http import require_http_methods

from playtest.studies.choices import StudyState
from playtest.studies.document import QuestionnairePage
from playtest.studies.errors import StudyError
from playtest.studies.forms import QuestionnaireForm
from playtest.studies.languages import SPEAK
from playtest.studies.models import Participant, Study
from playtest.studies.selectors.steps import step_due
from playtest.studies.services.completion import participant_complete_if_due
from playtest.studies.services.dropouts import participant_come_back
from playtest.studies.services.languages import participant_speak
from playtest.studies.services.pages import Shown, page_submit
from playtest.studies.services.total_time import total_look
from playtest.studies.views.participant import language_of, participant_page

SHOWN_SALT = "playtest.studies.page"


@require_http_methods(["GET", "HEAD", "POST"])
@participant_page
def page(request: HttpRequest, study: Study, participant: Participant, key: str) -> HttpResponse:
    """A questionnaire. One that was sent in, or is not due yet, leads to what is due."""
    if request.method == "POST" and study.state != StudyState.CLOSED:
        # Whoever took long over it has not been away.
        participant_come_back(participant=participant)
        total_look(participant=participant)
    step = step_due(participant)
    found = step.page
    if study.state == StudyState.CLOSED or not isinstance(found, QuestionnairePage) or found.key != key:
        return redirect("studies:next", study.public_id)
    shown = read_shown(request.POST.get("shown", ""))
    if request.method == "POST" and SPEAK in request.POST:
        # The other language, before it is sent in: what was answered so far stands in the form again.
        participant_speak(participant=participant, language=request.POST[SPEAK])
        translation.activate(language_of(participant))
        return show_page(request, study, participant, QuestionnaireForm(initial=request.POST.dict(), page=found), shown)
    form = QuestionnaireForm(request.POST if request.method == "POST" else None, page=found)
    if request.method == "POST" and form.is_valid():
        try:
            page_submit(participant=participant, page=found, answers=form.answers(), shown=shown)
        except StudyError as error:
            if error.code != "state":
                raise
        else:
            participant_complete_if_due(participant_id=participant.pk)
        return redirect("studies:next", study.public_id)
    return show_page(request, study, participant, form, shown)


def show_page(
    request: HttpRequest,
    study: Study,
    participant: Participant,
    form: QuestionnaireForm,
    shown: Shown,
    *,
    again: bool = False,
) -> HttpResponse:
    context = {
        "study": study,
        "participant": participant,
        "page": form.page,
        "form": form,
        "shown": write_shown(shown),
        "again": again,
        "language_form": "questions",
    }
    return render(request, "studies/questionnaire.html", context, status=403 if again else 200)


@participant_page
def page_again(request: HttpRequest, study: Study, participant: Participant, key: str) -> HttpResponse:
    """A questionnaire whose form came with a key that does not count: nothing is stored, all answers stand in it."""
    step = step_due(participant)
    if study.state == StudyState.CLOSED or not isinstance(step.page, QuestionnairePage) or step.page.key != key:
        return redirect("studies:next", study.public_id)
    form = QuestionnaireForm(request.POST, page=step.page)
    return show_page(request, study, participant, form, read_shown(request.POST.get("shown", "")), again=True)


def read_shown(text: str) -> Shown:
    """The showing that a form came from, or a new one."""
    try:
        visit_id, at = signing.loads(text, salt=SHOWN_SALT)
        return Shown(visit_id=visit_id, at=datetime.fromtimestamp(at, UTC))
    except signing.BadSignature:
        return Shown(visit_id=secrets.token_urlsafe(16), at=datetime.now(UTC))


def write_shown(shown: Shown) -> str:
    at = shown.at or datetime.now(UTC)
    return signing.dumps([shown.visit_id, at.timestamp()], salt=SHOWN_SALT)
