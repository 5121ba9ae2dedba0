"""Importing a scale: a file becomes a page of questions with its scores."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.studies.access import study_or_refuse
from playtest.studies.choices import StudyState
from playtest.studies.editor import changes
from playtest.studies.errors import StudyError
from playtest.studies.file import LARGEST_FILE
from playtest.studies.models import Study
from playtest.studies.scale_file import example_scale, read_scale_file
from playtest.studies.services.drafts import draft_arrange


class ScaleForm(forms.Form):
    """A file, and behind which page it goes. After validation `page` is what the file describes."""

    file = forms.FileField(
        label="File of the scale",
        help_text="JSON. The example shows how it is written.",
        error_messages={"required": "Choose the file."},
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )
    after = forms.ChoiceField(label="Behind which page")

    page: dict[str, Any]

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["after"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(page["key"], page["title"]) for page in study.draft["pages"][:-1]]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        try:
            self.page = read_scale_file(file.read(LARGEST_FILE + 1))
        except StudyError as error:
            raise forms.ValidationError(str(error)) from None
        return file


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def scale_import(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Choose a file; sent in, its page stands in the draft and is edited next."""
    study = study_or_refuse(request.user, pk)
    if study.state == StudyState.CLOSED:
        messages.error(request, "A closed study is not changed any more.")
        return redirect("studies_staff:edit", pk=pk)
    keys = [page["key"] for page in study.draft["pages"][:-1]]
    after = request.GET.get("after", "")
    initial = {"after": after if after in keys else keys[-1]}
    form = ScaleForm(request.POST or None, request.FILES or None, study=study, initial=initial)
    if request.method == "POST" and form.is_valid():
        change = changes.add_scale(form.page, after=form.cleaned_data["after"])
        try:
            _, part, said = draft_arrange(study=study, change=change, number=study.draft_number, by=request.user)
        except StudyError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, said)
            return redirect("studies_staff:edit_page", pk, part.page)
    status = 422 if request.method == "POST" else 200
    return render(request, "studies/staff/scale.html", {"study": study, "form": form}, status=status)


@designer_required
@require_safe
def scale_example(request: StaffRequest) -> HttpResponse:
    """The example as a file."""
    response = HttpResponse(example_scale(), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="example-scale.json"'
    return response
