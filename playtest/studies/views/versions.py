"""Publishing, the versions of a study and what participants saw of each, closing, and the log."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.levels.selectors import game_title
from playtest.studies.access import study_or_refuse
from playtest.studies.choices import Admission, StudyState
from playtest.studies.document import parse_study
from playtest.studies.editor.answers import reworded
from playtest.studies.editor.differences import Difference, differences
from playtest.studies.editor.log import log_lines
from playtest.studies.editor.shown import pages_shown
from playtest.studies.errors import StudyError
from playtest.studies.models import Study
from playtest.studies.selectors.drafts import people_under_way
from playtest.studies.selectors.links import links_listed
from playtest.studies.selectors.log import log_names, study_log
from playtest.studies.selectors.outcomes import addresses_of
from playtest.studies.selectors.staff import versions_listed
from playtest.studies.services.studies import game_versions, study_publish, study_set_state
from playtest.studies.views.making import version_or_404

LOG_PAGE = 50


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: StaffRequest, pk: int) -> HttpResponseBase:
    """What publishing changes, and for whom; sent in, it is done."""
    study = study_or_refuse(request.user, pk, Study.objects.select_related("published"))
    if request.method == "POST":
        return _publish(request, study)
    draft = parse_study(study.draft)
    under_way = people_under_way(study=study)
    before = study.published
    old, new = parse_study(before.document).to_document() if before else None, draft.to_document()
    changed = differences(old, new) if old else []
    rules = game_versions(draft)
    context = {
        "study": study,
        "is_closed": study.state == StudyState.CLOSED,
        "is_paused": study.state == StudyState.PAUSED,
        "before": before,
        "next_number": (before.number if before else 0) + 1,
        "changed": changed,
        "reworded": reworded(old, new) if old else [],
        "rules_changed": bool(before) and before is not None and before.game_versions != rules,
        "under_way": sum(under_way.values()),
        "is_same": bool(before) and not changed,
        "addresses": addresses_of(draft),
        "unpractised": [game_title(game) for game in draft.unpractised],
        "practises": bool(draft.practice_pages),
        "admission": Admission(study.admission).label,
        "links": links_listed(study=study).exists(),
    }
    return render(request, "studies/staff/publish.html", context)


def _publish(request: StaffRequest, study: Study) -> HttpResponseBase:
    seen = request.POST.get("number", "")
    if seen and seen != str(study.draft_number):
        messages.error(request, "The draft was changed since you looked. Please read again what will change.")
        return redirect("studies_staff:publish", pk=study.pk)
    try:
        version = study_publish(study=study, by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Version {version.number} is published. New participants get this version.")
    return redirect("studies_staff:detail", pk=study.pk)


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: StaffRequest, pk: int) -> HttpResponseBase:
    """What closing means; sent in, it is done, for ever."""
    study = study_or_refuse(request.user, pk)
    if request.method == "POST":
        try:
            study_set_state(study=study, state=StudyState.CLOSED, by=request.user)
        except StudyError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, "The study is closed. What was played is kept.")
        return redirect("studies_staff:detail", pk=pk)
    under_way = sum(people_under_way(study=study).values())
    context = {"study": study, "under_way": under_way, "is_closed": study.state == StudyState.CLOSED}
    return render(request, "studies/staff/close.html", context)


@designer_required
@require_safe
def version_list(request: StaffRequest, pk: int) -> HttpResponseBase:
    study = study_or_refuse(request.user, pk, Study.objects.select_related("published"))
    rows = versions_listed(study=study)
    return render(request, "studies/staff/versions.html", {"study": study, "versions": rows})


@designer_required
@require_safe
def version_detail(request: StaffRequest, pk: int, number: int) -> HttpResponseBase:
    """What participants of a version saw, from the version alone: it looks the same years later."""
    study = study_or_refuse(request.user, pk)
    version = version_or_404(study, number)
    document = parse_study(version.document)
    context = {
        "study": study,
        "version": version,
        "document": document,
        "pages": pages_shown(document),
        "rules": [(game_title(game), rules) for game, rules in version.game_versions.items()],
        "row": next(row for row in versions_listed(study=study) if row.version.pk == version.pk),
    }
    return render(request, "studies/staff/version.html", context)


@designer_required
@require_safe
def version_differences(request: StaffRequest, pk: int, number: int) -> HttpResponseBase:
    """What differs between a version and another one, or the draft: `?with=3`, `?with=draft`."""
    study = study_or_refuse(request.user, pk)
    version = version_or_404(study, number)
    wanted = request.GET.get("with", "draft")
    other: dict[str, Any]
    if wanted.isdecimal() and len(wanted) < 9:
        against = version_or_404(study, int(wanted))
        other, name = parse_study(against.document).to_document(), f"version {against.number}"
    else:
        other, name = parse_study(study.draft).to_document(), "the draft"
    changed: list[Difference] = differences(parse_study(version.document).to_document(), other)
    context = {
        "study": study,
        "version": version,
        "name": name,
        "wanted": wanted,
        "changed": changed,
        "numbers": [row.version.number for row in versions_listed(study=study) if row.version.pk != version.pk],
    }
    return render(request, "studies/staff/differences.html", context)


@designer_required
@require_safe
def log(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Who did what to the study and to its participants, and when."""
    study = study_or_refuse(request.user, pk)
    page = Paginator(study_log(study=study), LOG_PAGE).get_page(request.GET.get("page"))
    lines = log_lines(page, log_names(page))
    return render(request, "studies/staff/log.html", {"study": study, "page": page, "lines": lines})
