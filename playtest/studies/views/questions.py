"""Pages of questions: questionnaires, and what is asked after a round."""

import secrets
from datetime import UTC, datetime

from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone, translation
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
MOST_MS = 2**31 - 1
"""What the columns hold."""


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
    shown = read_shown(request.POST) if request.method == "POST" else new_shown()
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
    return show_page(request, study, participant, form, read_shown(request.POST), again=True)


def new_shown() -> Shown:
    """A showing that begins now."""
    return Shown(visit_id=secrets.token_urlsafe(16), at=timezone.now(), shown_ms=0, hidden_ms=0)


def read_shown(sent: QueryDict) -> Shown:
    """The showing that a form came from, with what its script counted since; of none of ours nothing is known.

    A form that came back adds its times to those before. One that is missing, or cannot be, leaves the sum unknown.
    """
    try:
        visit_id, at, *before = signing.loads(sent.get("shown", ""), salt=SHOWN_SALT)
    except signing.BadSignature:
        return Shown(visit_id=secrets.token_urlsafe(16))
    began = None if at is None else datetime.fromtimestamp(at, UTC)
    # A page from before its program was renewed holds no sums.
    shown_before, hidden_before = before or (None, None)
    shown_ms = sum_ms(shown_before, sent.get("shown.ms", ""))
    hidden_ms = sum_ms(hidden_before, sent.get("hidden.ms", ""))
    if began is None or shown_ms is None or hidden_ms is None:
        return Shown(visit_id=visit_id, at=began)
    passed = (timezone.now() - began).total_seconds() * 1_000
    if not hidden_ms <= shown_ms <= min(passed, MOST_MS):
        return Shown(visit_id=visit_id, at=began)
    return Shown(visit_id=visit_id, at=began, shown_ms=shown_ms, hidden_ms=hidden_ms)


def sum_ms(before: int | None, sent: str) -> int | None:
    """What was counted before and what a script adds; None if either is not known."""
    is_number = sent.isascii() and sent.isdecimal() and len(sent) < 11
    return before + int(sent) if is_number and before is not None else None


def write_shown(shown: Shown) -> str:
    at = None if shown.at is None else shown.at.timestamp()
    return signing.dumps([shown.visit_id, at, shown.shown_ms, shown.hidden_ms], salt=SHOWN_SALT)
