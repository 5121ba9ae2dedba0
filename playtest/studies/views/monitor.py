"""The live monitor of a study: who takes part now. For its owner and admins; nobody's recruiter is shown."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.studies.access import study_or_refuse
from playtest.studies.choices import Kind, Status
from playtest.studies.models import Study
from playtest.studies.selectors.flags import FLAG_LABELS
from playtest.studies.selectors.monitor import ANY, UNDER_WAY, Wanted, monitor_page
from playtest.studies.selectors.staff import study_rev
from playtest.studies.views.people import status_shown

STATES: dict[str, frozenset[Status]] = {
    "under_way": UNDER_WAY,
    **{str(status.label): frozenset({status}) for status in Status},
}
LONGEST_NAME = 200
KINDS = {"person": "People", "bot": "Bots", "preview": "Previews"}


@designer_required
@require_safe
def monitor(request: StaffRequest, pk: int) -> HttpResponseBase:
    return render(request, "studies/staff/monitor.html", _context(request, _study(request, pk)))


@designer_required
@require_safe
def monitor_live(request: StaffRequest, pk: int) -> HttpResponseBase:
    """The table alone, or 304 if the reader has this revision."""
    study = _study(request, pk)
    if request.GET.get("rev") == _rev(study):
        return HttpResponse(status=304)
    return render(request, "studies/staff/_monitor.html", _context(request, study))


def _study(request: StaffRequest, pk: int) -> Study:
    return study_or_refuse(request.user, pk, Study.objects.defer("draft", "removed"))


def _rev(study: Study) -> str:
    """Differs whenever something else would be shown: once a minute the words of when somebody was seen do."""
    return f"{study_rev(study=study)}.{int(timezone.now().timestamp()) // 60}"


def _context(request: StaffRequest, study: Study) -> dict[str, Any]:
    chosen = {
        "state": _known(request, "state", STATES),
        "kind": _known(request, "kind", KINDS),
        "flag": _known(request, "flag", {ANY: "", **FLAG_LABELS}),
        "name": request.GET.get("name", "").replace("\0", "").strip()[:LONGEST_NAME],
    }
    wanted = Wanted(
        statuses=STATES.get(chosen["state"], frozenset()),
        kinds=frozenset(kind for kind in Kind if kind.label == chosen["kind"]),
        flag=chosen["flag"],
        name=chosen["name"],
    )
    page, rows = monitor_page(study=study, wanted=wanted, number=request.GET.get("page"))
    query = urlencode({name: value for name, value in chosen.items() if value})
    return {
        "study": study,
        "page": page,
        "rows": [
            {"row": row, "status": status_shown(row.status), "is_withdrawn": row.status == Status.WITHDRAWN}
            for row in rows
        ],
        "rev": _rev(study),
        "query": query,
        "chosen": chosen,
        "is_filtered": bool(query),
        "states": [(name, _words(name)) for name in STATES],
        "kinds": KINDS.items(),
        "flags": [(str(kind), label) for kind, label in FLAG_LABELS.items()],
    }


def _known(request: StaffRequest, name: str, known: Any) -> str:
    """A choice of the address, or none where there is no such choice."""
    value = request.GET.get(name, "")
    return value if value in known else ""


def _words(name: str) -> str:
    if name == "under_way":
        return "Started, consented or active"
    return name.replace("_", " ").capitalize()
