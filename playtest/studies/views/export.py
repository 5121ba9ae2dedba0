"""The page from which owner and admins take a study's data."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.studies.choices import Kind
from playtest.studies.export.download import BusyError, Download, ExportFailedError
from playtest.studies.export.options import EXPORTED_KINDS, FORMATS, ExportOptions, Selection
from playtest.studies.models import Study
from playtest.studies.selectors.staff import study_is_changeable

FORMAT_LABELS = {
    "csv": "CSV (UTF-8), for R, Python and other programs",
    "excel": "CSV for Excel",
    "json": "JSON",
    "parquet": "Parquet",
}


class ExportForm(forms.Form):
    formats = forms.MultipleChoiceField(
        label="Formats",
        choices=[(name, FORMAT_LABELS[name]) for name in FORMATS],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one format."},
    )
    anonymous = forms.BooleanField(
        label="Anonymised",
        required=False,
        help_text="Random ids, times since each participant's start, no recruiter ids, no free text.",
    )
    bots = forms.BooleanField(label="With bots", required=False, help_text="They are marked as bots in every table.")

    def options(self) -> ExportOptions:
        """What was chosen, once the form is valid."""
        chosen: dict[str, Any] = self.cleaned_data
        return ExportOptions(
            formats=tuple(name for name in FORMATS if name in chosen["formats"]),
            anonymous=chosen["anonymous"],
            selection=Selection(kinds=EXPORTED_KINDS if chosen["bots"] else (Kind.PERSON,)),
        )


@designer_required
@require_http_methods(["GET", "POST"])
def study_export(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The choices; sent in, the ZIP."""
    study = get_object_or_404(Study.objects.defer("draft"), pk=pk, published__isnull=False)
    if not study_is_changeable(request.user, study):
        raise PermissionDenied("Only the owner of a study and admins can export its data.")
    if request.method != "POST":
        return _page(request, study, ExportForm(initial={"formats": ["csv"]}))
    form = ExportForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    options = form.options()
    try:
        download = Download(study, options, actor=request.user.pk)
    except BusyError:
        form.add_error(None, "Two exports are under way already. Please try again when one of them is done.")
        return _page(request, study, form, status=503)
    except ExportFailedError:
        form.add_error(None, "The export could not be made. Nothing is lost; the log of the site says why.")
        return _page(request, study, form, status=500)
    response = StreamingHttpResponse(download, content_type="application/zip")
    name = f"{study.slug}-{datetime.now(UTC):%Y-%m-%d}{'-anonymised' if options.anonymous else ''}.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _page(request: StaffRequest, study: Study, form: ExportForm, status: int = 200) -> HttpResponseBase:
    return render(request, "studies/staff/export.html", {"study": study, "form": form}, status=status)
