"""The participant's pages. Opening one changes nothing: what changes something is a form that is sent."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from playtest.levels.selectors import game_title
from playtest.studies.choices import Kind, StudyState
from playtest.studies.cookies import PAGE_COOKIE, cookies_set, socket_path
from playtest.studies.document import PracticePage
from playtest.studies.errors import StudyError
from playtest.studies.forms import RecruiterIdForm
from playtest.studies.identity import (
    MARKER_HEADER,
    PERSON_FIELD,
    START_FIELD,
    read_start_marker,
    start_form,
    start_token,
)
from playtest.studies.languages import language_links, language_of_visit
from playtest.studies.models import Link, Participant, Study, StudyVersion
from playtest.studies.play.texts import play_texts
from playtest.studies.recruiting import Recruited, read_recruited
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.links import Arrival, Refusal, arrival, link_by_way, link_refusal, plain_refusal
from playtest.studies.selectors.outcomes import outcome_of
from playtest.studies.selectors.participants import participant_by_token
from playtest.studies.selectors.practice import practice_of
from playtest.studies.selectors.steps import Step, round_game, step_due
from playtest.studies.selectors.studies import study_by_public_id
from playtest.studies.services.dropouts import participant_come_back
from playtest.studies.services.guesses import guess_allowed
from playtest.studies.services.link_uses import opened_note
from playtest.studies.services.participants import consent_decide, participant_start
from playtest.studies.services.practice import practice_again, practice_leave

P = ParamSpec("P")
PATHS = {
    "consent": "consent",
    "declined": "consent",
    "practice": "play",
    "rounds": "play",
    "end": "end",
    "done": "end",
    "ended": "end",
    "away": "end",
}

ParticipantView = Callable[Concatenate[HttpRequest, Study, Participant, P], HttpResponse]


def participant_page(view: ParticipantView[P]) -> Callable[..., HttpResponse]:
    """A page for who has started: others are sent to the study's entry, and nothing is kept by browser or proxy."""

    @never_cache
    def guarded(request: HttpRequest, study: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        found = find_study(study)
        participant = who(request, found)
        if participant is None:
            refuse_unpublished(found)
            return redirect("studies:entry", found.public_id)
        translation.activate(language_of(participant))
        if request.POST.get(PERSON_FIELD, participant.mark) != participant.mark:
            # A page that was left open by whoever sat here before: it sends nothing for who is here now.
            return render(
                request, "studies/somebody_else.html", {"study": found, "participant": participant}, status=409
            )
        return view(request, found, participant, *args, **kwargs)

    return guarded


def find_study(public_id: str) -> Study:
    study = study_by_public_id(public_id)
    if study is None:
        raise Http404(_("There is no such study."))
    return study


def refuse_unpublished(study: Study) -> None:
    """Only who previews a study knows that it is there before its first version."""
    if study.published is None:
        raise Http404(_("There is no such study."))


def language_of(participant: Participant) -> str:
    return participant.language or version_document(participant.version).languages[0]


def who(request: HttpRequest, study: Study) -> Participant | None:
    token = request.COOKIES.get(PAGE_COOKIE)
    return participant_by_token(study_public_id=study.public_id, token=token) if token else None


def go(study: Study, step: Step) -> HttpResponse:
    """To the page of a step."""
    if step.kind == "questionnaire" and step.page is not None:
        return redirect("studies:page", study.public_id, step.page.key)
    if step.kind in PATHS:
        return redirect(f"studies:{PATHS[step.kind]}", study.public_id)
    return redirect("studies:entry", study.public_id)


def link_parameters(request: HttpRequest) -> dict[str, list[str]]:
    return {name: [str(value) for value in values] for name, values in request.GET.lists()}


def is_meant(participant: Participant, recruited: Recruited | None, link: Link | None) -> bool:
    """Whether the browser's participant is whom the link or the recruiter's id names: a computer may be shared."""
    if participant.kind != Kind.PERSON:
        # Who tries a study out comes by its plain address or by the link for that; somebody's own way is not theirs.
        own = recruited is None if link is None else not link.is_personal
        return own and participant.link_id == (None if link is None else link.pk)
    if link is not None and link.is_personal and participant.link_id != link.pk:
        return False
    if recruited is None or recruited.id is None:
        return True
    return (participant.recruiter, participant.recruiter_id) == (recruited.recruiter, recruited.id)


def find_link(study: Study, way: str | None) -> Link | None:
    """The link that the address ends in; None by the plain address."""
    if way is None:
        return None
    link = link_by_way(study=study, way=way)
    if link is None:
        raise Http404(_("There is no such link."))
    return link


def address_of(name: str, study: Study, way: str | None) -> str:
    """The address of an entry page, or of what belongs to it, by the link or the plain one."""
    return reverse(
        f"studies:{name}" if way is None else f"studies:link_{name}", args=[study.public_id, *([way] if way else [])]
    )


@require_safe
@never_cache
def entry(request: HttpRequest, study: str, way: str | None = None) -> HttpResponse:
    """What the study is, with the button that starts it or goes on."""
    return show_entry(request, find_study(study), way)


def show_entry(
    request: HttpRequest, found: Study, way: str | None, form: RecruiterIdForm | None = None
) -> HttpResponse:
    """The entry page, or again with the form of an id that was none."""
    link = find_link(found, way)
    recruited = read_recruited(link_parameters(request))
    participant = who(request, found)
    if participant is not None and not is_meant(participant, recruited, link):
        participant = None
    if participant is None:
        refuse_unpublished(found)
    step = step_due(participant) if participant else None
    asks = recruited is not None and recruited.id is None
    came = arrival(study=found, link=link, recruited=recruited)
    if participant is None and came.by_id is not None and not guess_allowed(study=found, recruited=came.by_id):
        # Who they are is not told any more: the page is that of somebody new.
        came = Arrival(refusal=link_refusal(link) if link is not None else None)
    refusal = came.refusal
    if link is None and came.known is None and not asks and not is_tried(request, found):
        refusal = plain_refusal(found)
    document = version_document(participant.version if participant else published(found))
    somebody = participant or came.known
    language = language_of(somebody) if somebody else language_of_visit(request, document.languages)
    translation.activate(language)
    context = {
        "study": found,
        "participant": participant,
        "document": document,
        "languages": [] if somebody else language_links(request, document.languages, language),
        "step": step,
        "is_open": found.state == StudyState.OPEN,
        "is_closed": found.state == StudyState.CLOSED,
        "is_known": came.known is not None,
        "is_over": came.known is not None and step_due(came.known).kind in {"done", "ended"},
        "refusal": refusal.value if refusal else "",
        "link": link,
        "id_form": (form or RecruiterIdForm()) if asks else None,
        "start": address_of("start", found, way),
        "opened": address_of("opened", found, way),
        "query": request.GET.urlencode(),
        "begin": start_form(study_id=found.public_id),
    }
    return render(request, "studies/entry.html", context, status=400 if form else 200)


def is_tried(request: HttpRequest, study: Study) -> bool:
    """Whether a bot or a preview asks: they start whatever people need for it."""
    return read_start_marker(request.headers.get(MARKER_HEADER, ""), study_id=study.public_id) is not None


def published(study: Study) -> StudyVersion:
    assert study.published is not None
    return study.published


@require_POST
@never_cache
def start(request: HttpRequest, study: str, way: str | None = None) -> HttpResponse:
    """Start, or go on with what this browser started before. A marker says that a bot or a preview starts."""
    found = find_study(study)
    refuse_unpublished(found)
    link = find_link(found, way)
    kind = Kind(link.kind) if link is not None else Kind.PERSON
    query = link_parameters(request)
    recruited = read_recruited(query)
    marker = request.POST.get("marker")
    token = None
    if marker:
        named = read_start_marker(marker, study_id=found.public_id)
        if named is None:
            raise PermissionDenied(_("This start is not signed by this site."))
        # A bot or a preview takes no use of a link, as it takes nobody's id.
        kind, link = named, None
    else:
        participant = who(request, found)
        if participant is not None and is_meant(participant, recruited, link):
            if found.state != StudyState.CLOSED:
                participant_come_back(participant=participant)
            return redirect("studies:next", found.public_id)
        if recruited is not None and recruited.id is None:
            form = RecruiterIdForm(request.POST)
            if not form.is_valid():
                return show_entry(request, found, way, form)
            recruited = Recruited(recruited.recruiter, form.cleaned_data["recruiter_id"])
        about = [link and link.pk, recruited and [recruited.recruiter, recruited.id]]
        token = start_token(request.POST.get(START_FIELD, ""), study_id=found.public_id, about=about)
    language = language_of_visit(request, version_document(published(found)).languages)
    translation.activate(language)
    try:
        started = participant_start(
            study=found, kind=kind, language=language, query=query, recruited=recruited, link=link, token=token
        )
    except StudyError as error:
        if error.code == "guesses":
            messages.error(
                request, _("Too many people go on by their ids at the moment. Please try again in some minutes.")
            )
        elif error.code == Refusal.LINKS_ONLY.value and recruited is not None:
            # Their page asks for the id again, which those need who began before.
            messages.error(request, _("People start this study by a link of their own, and nobody began by this id."))
        # The page of the link as it was opened says why, and still knows who came.
        parameters = request.GET.urlencode()
        return redirect(address_of("entry", found, way) + (f"?{parameters}" if parameters else ""))
    response = redirect("studies:next", found.public_id)
    cookies_set(request, response, study_public_id=found.public_id, token=started.token)
    return response


@require_POST
@never_cache
def opened(request: HttpRequest, study: str, way: str | None = None) -> HttpResponse:
    """What an entry page sends once it is visible to somebody who may begin. Asking for the page counts nothing."""
    found = find_study(study)
    refuse_unpublished(found)
    opened_note(study=found, link=find_link(found, way))
    return HttpResponse(status=204)


@require_safe
@participant_page
def next_step(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """To whatever is due."""
    if study.state == StudyState.CLOSED:
        return redirect("studies:entry", study.public_id)
    return go(study, step_due(participant))


@require_http_methods(["GET", "HEAD", "POST"])
@participant_page
def consent(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    step = step_due(participant)
    if study.state == StudyState.CLOSED or step.kind not in {"consent", "declined"}:
        return redirect("studies:next", study.public_id)
    if request.method == "POST" and request.POST.get("decision") in {"agree", "decline"}:
        try:
            consent_decide(participant=participant, agree=request.POST["decision"] == "agree")
        except StudyError as error:
            # Decided in another window between this request's look and its write: that one counts.
            if error.code != "state":
                raise
        return redirect("studies:next", study.public_id)
    context = {"study": study, "participant": participant, "page": step.page}
    if step.kind == "declined" and "again" not in request.GET:
        return render(request, "studies/declined.html", {**context, "ended": outcome_of(participant)})
    return render(request, "studies/consent.html", context)


@require_safe
@participant_page
def play(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """The board. Which round is played is decided when its socket says hello."""
    step = step_due(participant)
    if study.state != StudyState.CLOSED and isinstance(step.page, PracticePage):
        return practise(request, study, participant, step.page)
    if study.state == StudyState.CLOSED or step.kind != "rounds" or step.position is None:
        return redirect("studies:next", study.public_id)
    game, is_first = round_game(participant=participant, position=step.position)
    about: dict[str, object] = {"page": step.page, "position": step.position, "game": game, "opens_help": is_first}
    return show_board(request, study, participant, about)


def practise(request: HttpRequest, study: Study, participant: Participant, page: PracticePage) -> HttpResponse:
    """The board of practice, or, where its last round is over, the choice between one more and going on."""
    practice = practice_of(participant=participant, page=page)
    context = {
        "page": page,
        "practice": practice,
        "checks": [(name, name in practice.done) for name in practice.checks],
    }
    if practice.is_playable:
        return show_board(
            request, study, participant, {**context, "position": 0, "game": page.game, "opens_help": True}
        )
    return render(request, "studies/practice.html", {"study": study, "participant": participant, **context})


@require_POST
@participant_page
def practice(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    """Practise again, or go on. What is not possible, or no more, leads to what is due."""
    page = step_due(participant).page
    if study.state == StudyState.CLOSED or not isinstance(page, PracticePage):
        return redirect("studies:next", study.public_id)
    try:
        if request.POST.get("do") == "again":
            practice_again(participant=participant, page=page)
        elif request.POST.get("do") == "go_on":
            practice_leave(participant=participant, page=page)
    except StudyError as error:
        if error.code not in {"state", "practice"}:
            raise
    return redirect("studies:next", study.public_id)


def show_board(request: HttpRequest, study: Study, participant: Participant, about: dict[str, object]) -> HttpResponse:
    config = {
        "ws": f"{socket_path(study.public_id)}?{urlencode({PERSON_FIELD: participant.mark})}",
        "home": f"/s/{study.public_id}/",
        "build": getattr(staticfiles_storage, "manifest_hash", "") or "dev",
    }
    context = {
        "study": study,
        "participant": participant,
        **about,
        "games": [(name, game_title(name)) for name in participant.version.game_versions],
        "count": version_document(participant.version).round_count,
        "config": config,
        "texts": play_texts(translation.get_language() or "en"),
    }
    return render(request, "studies/play.html", context)
