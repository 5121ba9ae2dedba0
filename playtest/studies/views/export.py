"""The page from which owner and admins take a study's data."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, StreamingHttpResponse
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


class ExportResponse(StreamingHttpResponse):
    """A ZIP whose download is still to be started."""

    def __init__(self, download: Download, *, name: str) -> None:
        super().__init__(download, content_type="application/zip")
        self.download = download
        self["Content-Disposition"] = f'attachment; filename="{name}"'


class Fault(NamedTuple):
    status: int
    text: str


BUSY = Fault(503, "Two exports are under way already. Please try again when one of them is done.")
FAILED = Fault(500, "The export could not be made. Nothing is lost; the log of the site says why.")


async def study_export(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The choices; sent in, the ZIP. Whoever leaves before its first byte cancels this, and so the export."""
    answer = await sync_to_async(_answer)(request, pk)
    if not isinstance(answer, ExportResponse):
        return answer
    try:
        await answer.download.start()
    except BusyError:
        return await sync_to_async(_answer)(request, pk, fault=BUSY)
    except ExportFailedError:
        return await sync_to_async(_answer)(request, pk, fault=FAILED)
    return answer


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def _answer(request: StaffRequest, pk: int, fault: Fault | None = None) -> HttpResponseBase:
    """The page, with the fault that stopped what was asked for, or an ExportResponse."""
    study = get_object_or_404(Study.objects.defer("draft"), pk=pk, published__isnull=False)
    if not study_is_changeable(request.user, study):
        raise PermissionDenied("Only the owner of a study and admins can export its data.")
    if request.method != "POST":
        return _page(request, study, ExportForm(initial={"formats": ["csv"]}))
    form = ExportForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    if fault is not None:
        form.add_error(None, fault.text)
        return _page(request, study, form, status=fault.status)
    options = form.options()
    name = f"{study.slug}-{datetime.now(UTC):%Y-%m-%d}{'-anonymised' if options.anonymous else ''}.zip"
    return ExportResponse(Download(study, options, actor=request.user.pk), name=name)


def _page(request: StaffRequest, study: Study, form: ExportForm, status: int = 200) -> HttpResponseBase:
    return render(request, "studies/staff/export.html", {"study": study, "form": form}, status=status)
