"""Making a study, taking it along as a file, and looking at its draft as a participant would."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.accounts.models import User
from playtest.studies.access import study_or_refuse
from playtest.studies.cookies import cookies_set
from playtest.studies.document import StudyDocument, parse_study
from playtest.studies.editor.kinds import empty_study
from playtest.studies.errors import StudyError
from playtest.studies.file import LARGEST_FILE, read_study_file, study_file
from playtest.studies.models import Study, StudyVersion
from playtest.studies.readymade import READY_MADE
from playtest.studies.selectors.drafts import version_published
from playtest.studies.selectors.staff import studies_of
from playtest.studies.services.addresses import hosts_refused
from playtest.studies.services.previews import preview_start
from playtest.studies.services.studies import study_create

STARTS = {
    "paper": ("The paper’s study", "Match-3: three boards for everybody, three drawn, and four questions."),
    "samegame": ("A SameGame study", "Four boards for everybody, two drawn, and four questions."),
    "mixed": ("Both games", "Three rounds of each game in mixed order, and five questions."),
    "empty": ("An empty study", "A consent page, one round and an end page; the rest is yours."),
    "copy": ("A copy of a study", "Everything but its participants."),
    "file": ("A file", "A study that was downloaded here or on another site."),
}


REFUSED_HOST = (
    "This site sends nobody to {host}, where participants of this study would go on at the end. The address is kept, "
    "but the study cannot be published with it: change it on the end page, or ask whoever runs the site to allow the "
    "host by TESSERA_COMPLETION_HOSTS."
)


class NewStudyForm(forms.Form):
    """What a new study begins as. After validation `document` is that."""

    start = forms.ChoiceField(
        label="Begin with",
        choices=[(name, title) for name, (title, _) in STARTS.items()],
        widget=forms.RadioSelect,
        initial="paper",
        error_messages={"required": "Choose what to begin with."},
    )
    study = forms.ModelChoiceField(
        label="Study to copy", queryset=Study.objects.none(), required=False, empty_label="Choose a study"
    )
    file = forms.FileField(
        label="Study file",
        required=False,
        help_text="JSON, as “Download study file” gives it.",
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )
    title = forms.CharField(
        label="Title",
        max_length=200,
        required=False,
        help_text="What participants read first. If you leave it empty, it is that of what you begin with.",
    )

    document: StudyDocument
    action = "study.create"

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["study"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = studies_of(user).order_by("title", "pk")

    def clean(self) -> dict[str, Any]:
        cleaned = dict(super().clean() or {})
        if self.errors:
            return cleaned
        try:
            document = self.begun(cleaned)
            if document is not None and cleaned["title"]:
                document = parse_study({**document.to_document(), "title": cleaned["title"]})
        except StudyError as error:
            self.add_error({"file": "file", "copy": "study"}.get(cleaned["start"], "title"), str(error))
            return cleaned
        if document is not None:
            self.document = document
        return cleaned

    def begun(self, cleaned: dict[str, Any]) -> StudyDocument | None:
        start = cleaned["start"]
        if start == "file":
            if not cleaned.get("file"):
                self.add_error("file", "Choose the file.")
                return None
            self.action = "study.import"
            return read_study_file(cleaned["file"].read(LARGEST_FILE + 1))
        if start == "copy":
            if cleaned.get("study") is None:
                self.add_error("study", "Choose the study.")
                return None
            return parse_study(cleaned["study"].draft)
        return parse_study(empty_study() if start == "empty" else READY_MADE[start]())


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: StaffRequest) -> HttpResponseBase:
    """Choose what a new study begins as; sent in, its draft is there and is edited next."""
    if request.method == "POST":
        form = NewStudyForm(request.POST, request.FILES, user=request.user)
        if form.is_valid():
            # From another site, or from before the list was changed: kept, since one word of an admin may be enough.
            known = {outcome.url for outcome in form.document.end.outcomes}
            try:
                study = study_create(
                    owner=request.user, document=form.document.to_document(), action=form.action, known=known
                )
            except StudyError as error:
                form.add_error(None, str(error))
            else:
                messages.success(request, f"“{study.title}” is made. Nobody sees it before you publish it.")
                for host in hosts_refused(document=form.document):
                    messages.warning(request, REFUSED_HOST.format(host=host))
                return redirect("studies_staff:edit", pk=study.pk)
    else:
        copied = request.GET.get("copy", "")
        initial = {"start": "copy", "study": copied} if copied.isdecimal() else {}
        form = NewStudyForm(user=request.user, initial=initial)
    context = {"form": form, "hints": {name: hint for name, (_, hint) in STARTS.items()}}
    return render(request, "studies/staff/new.html", context, status=422 if form.errors else 200)


@designer_required
@require_safe
def study_download(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The draft as a file."""
    study = study_or_refuse(request.user, pk)
    return _file(study, parse_study(study.draft), "draft")


@designer_required
@require_safe
def version_download(request: StaffRequest, pk: int, number: int) -> HttpResponseBase:
    """A published version as a file."""
    study = study_or_refuse(request.user, pk)
    version = version_or_404(study, number)
    return _file(study, parse_study(version.document), f"v{version.number}")


@designer_required
@require_POST
def study_preview(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Begin a preview of the draft, or begin it again. From the editor, where one was is kept for the way back."""
    study = study_or_refuse(request.user, pk)
    if request.path.startswith(_edit_path(pk)):
        request.session[_previewed_from(pk)] = request.path
    try:
        started = preview_start(study=study, by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
        return redirect("studies_staff:edit", pk=pk)
    response = redirect("studies:next", study.public_id)
    cookies_set(request, response, study_public_id=study.public_id, token=started.token)
    return response


@designer_required
@require_safe
def preview_back(request: StaffRequest, pk: int) -> HttpResponseBase:
    """From a preview to the part of the draft from which it was begun."""
    study_or_refuse(request.user, pk)
    return redirect(request.session.get(_previewed_from(pk), _edit_path(pk)))


def _edit_path(pk: int) -> str:
    return reverse("studies_staff:edit", args=[pk])


def _previewed_from(pk: int) -> str:
    """The name in the session of where the last preview of a study was begun."""
    return f"previewed-{pk}-from"


def version_or_404(study: Study, number: int) -> StudyVersion:
    version = version_published(study=study, number=number)
    if version is None:
        raise Http404("This study has no such version.")
    return version


def _file(study: Study, document: StudyDocument, suffix: str) -> HttpResponse:
    response = HttpResponse(study_file(document), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{suffix}.json"'
    return response
