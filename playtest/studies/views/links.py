"""Staff pages of a study's links: the list, making them, one of them, a sheet to print, addresses as a file."""

import csv
import io
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.studies.choices import Admission, LinkMode, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.export.writers.comma import formula_free
from playtest.studies.link_forms import LinkForm, change_form, form_for
from playtest.studies.models import Link, Study
from playtest.studies.qr import qr_file, qr_inline
from playtest.studies.selectors import links as selectors
from playtest.studies.selectors.links import LinkRow, Refusal
from playtest.studies.services import links as services
from playtest.studies.services.admission import admission_change
from playtest.studies.views.people import study_opened

PAGE_SIZE = 50
MOST_SHOWN = 20
SHEET_SIZE = 60
"""QR codes on a page of the site: each takes a few milliseconds to draw."""

MODE_WORDS = {LinkMode.OPEN: "Open", LinkMode.ONE_TIME: "One-time", LinkMode.LABELLED: "Labelled"}
PATHS = {"open": LinkMode.OPEN, "one-time": LinkMode.ONE_TIME, "labelled": LinkMode.LABELLED}
STATES = {
    None: ("On", "badge--ok"),
    Refusal.INACTIVE: ("Off", "badge--muted"),
    Refusal.EXPIRED: ("Over", "badge--warn"),
    Refusal.USED: ("Used up", "badge--muted"),
}
ADMISSIONS = {
    Admission.LISTED: (
        "Everybody: the start page lists it",
        "The start page of this site shows the title to whoever looks, with “Take part”.",
    ),
    Admission.ADDRESS: ("Whoever has its address", "Nothing on the site leads there. The address can be passed on."),
    Admission.LINKS: (
        "Only who has a link made here",
        "The plain address lets nobody new in. One-time and labelled links are for one person each.",
    ),
}
"""What is to choose of who may start, with what it means."""
COLUMNS = (
    "link",
    "kind",
    "label",
    "comment",
    "address",
    "state",
    "valid_until",
    "uses_at_most",
    "opened",
    "started",
    "completed",
)


@dataclass(frozen=True)
class Shown:
    """A link as pages show it."""

    row: LinkRow
    name: str
    mode: str
    state: str
    badge: str
    address: str

    @property
    def link(self) -> Link:
        return self.row.link


@designer_required
@require_safe
def link_list(request: StaffRequest, pk: int) -> HttpResponseBase:
    study = study_opened(request, pk)
    asked = _asked(study, request.GET)
    number_on = asked.filter(active=True).count()
    page = Paginator(asked, PAGE_SIZE).get_page(request.GET.get("page"))
    opened, started, completed = selectors.plain_counts(study=study)
    plain = request.build_absolute_uri(reverse("studies:entry", args=[study.public_id]))
    context = {
        **_asked_context(study, request.GET),
        "page": page,
        "number_on": number_on,
        "number_off": page.paginator.count - number_on,
        "links": [_shown(request, study, row) for row in selectors.links_with_counts(page)],
        "plain": {"address": plain, "opened": opened, "started": started, "completed": completed},
        "admissions": [
            {"value": one.value, "title": title, "hint": hint, "is_chosen": one == study.admission}
            for one, (title, hint) in ADMISSIONS.items()
        ],
        "is_by_links": study.admission == Admission.LINKS,
        "is_open": study.state == StudyState.OPEN,
        "is_closed": study.state == StudyState.CLOSED,
        "is_draft": study.published_id is None,
    }
    return render(request, "studies/staff/links.html", context)


@designer_required
@require_POST
def admission_post(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Choose who may start from now on."""
    study = study_opened(request, pk)
    wanted = {str(one.value): one for one in Admission}.get(request.POST.get("admission", ""))
    try:
        if wanted is None:
            raise StudyError("admission", "Please choose who may start.")
        changed = admission_change(study=study, admission=wanted, by=request.user)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Who may start is changed." if changed else "Nothing was different.")
    return redirect("studies_staff:links", pk=pk)


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def link_new(request: StaffRequest, pk: int, kind: str) -> HttpResponseBase:
    """Make an open link, one-time links, or one for each label of a list: all of them or none."""
    study = study_opened(request, pk)
    mode = PATHS.get(kind)
    if mode is None:
        raise Http404("There is no such kind of link.")
    form = form_for(mode, study, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = _make(study, mode, form.cleaned_data, request)
        except StudyError as error:
            _add_error(form, error)
        else:
            messages.success(request, "The link is made." if len(made) == 1 else f"{len(made)} links are made.")
            if len(made) == 1:
                return redirect("studies_staff:link", pk=pk, one=made[0].pk)
            return redirect("studies_staff:links", pk=pk)
    context = {"study": study, "form": form, "kind": kind, "words": MODE_WORDS[mode]}
    return render(request, "studies/staff/link_new.html", context, status=422 if form.errors else 200)


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def link_detail(request: StaffRequest, pk: int, one: int) -> HttpResponseBase:
    """One link with its QR code; sent in, what may be changed of it is changed."""
    study = study_opened(request, pk)
    link = _link(study, one)
    form = change_form(link, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        try:
            changed = services.link_change(
                link=link,
                comment=chosen["comment"],
                max_uses=chosen.get("max_uses"),
                expires_at=chosen["expires_at"],
                by=request.user,
            )
        except StudyError as error:
            _add_error(form, error)
        else:
            messages.success(request, "The link is changed." if changed else "Nothing was different.")
            return redirect("studies_staff:link", pk=pk, one=one)
    shown = _shown(request, study, selectors.links_with_counts([link])[0])
    context = {
        "study": study,
        "shown": shown,
        "form": form,
        "code": qr_inline(shown.address),
        "days": selectors.link_days(link=link),
    }
    return render(request, "studies/staff/link.html", context, status=422 if form.errors else 200)


@designer_required
@require_POST
def link_switch(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Switch one link on or off, or all that the list is narrowed down to."""
    study = study_opened(request, pk)
    active = request.POST.get("to") == "on"
    one = request.POST.get("link", "")
    keys = [_link(study, int(one)).pk] if one.isdecimal() and len(one) < 19 else _keys(study, request.POST)
    number = services.links_switch(study=study, keys=keys, active=active, by=request.user)
    word = "on" if active else "off"
    if number:
        messages.success(request, f"The link is {word}." if number == 1 else f"{number} links are {word} now.")
    else:
        messages.success(request, f"Nothing was done: that was {word} already.")
    if request.POST.get("back") == "link" and len(keys) == 1:
        return redirect("studies_staff:link", pk=pk, one=keys[0])
    query = request.POST.get("query", "")
    return redirect(reverse("studies_staff:links", args=[pk]) + (f"?{query}" if query else ""))


@designer_required
@require_safe
def link_switch_all(request: StaffRequest, pk: int, to: str) -> HttpResponseBase:
    """Which links would be switched, and what that means; the button there does it."""
    study = study_opened(request, pk)
    if to not in {"on", "off"}:
        raise Http404("Links are switched on or off.")
    rows = _asked(study, request.GET).filter(active=to == "off")
    context = {
        **_asked_context(study, request.GET),
        "to": to,
        "number": rows.count(),
        "names": [link.label or f"Link {link.pk}" for link in rows[:MOST_SHOWN]],
    }
    return render(request, "studies/staff/link_switch.html", context)


@designer_required
@require_safe
def link_qr(request: StaffRequest, pk: int, one: int) -> HttpResponseBase:
    """The QR code as a file."""
    study = study_opened(request, pk)
    link = _link(study, one)
    answer = HttpResponse(qr_file(_address(request, study, link)), content_type="image/svg+xml")
    answer["Content-Disposition"] = f'attachment; filename="{study.slug}-link-{link.pk}.svg"'
    return answer


@designer_required
@require_safe
def link_sheet(request: StaffRequest, pk: int) -> HttpResponseBase:
    """QR codes to print and cut out: of the links that let somebody in."""
    study = study_opened(request, pk)
    rows = [row for row in selectors.links_with_counts(_asked(study, request.GET)) if row.refusal is None]
    page = Paginator(rows[::-1], SHEET_SIZE).get_page(request.GET.get("page"))
    cards = [
        {"shown": shown, "code": qr_inline(shown.address)} for shown in (_shown(request, study, row) for row in page)
    ]
    context = {**_asked_context(study, request.GET), "page": page, "cards": cards}
    return render(request, "studies/staff/link_sheet.html", context)


@designer_required
@require_safe
def link_file(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Addresses and counts as CSV that Excel reads too: a byte order mark, and no text that it takes for a formula."""
    study = study_opened(request, pk)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for row in reversed(selectors.links_with_counts(_asked(study, request.GET))):
        shown, link = _shown(request, study, row), row.link
        rows.writerow(
            [
                link.pk,
                LinkMode(link.mode).label,
                formula_free(link.label or ""),
                formula_free(link.comment),
                shown.address,
                shown.state.lower(),
                f"{link.expires_at:%Y-%m-%dT%H:%M:%SZ}" if link.expires_at else "",
                "" if link.max_uses is None else link.max_uses,
                row.opened,
                row.started,
                row.completed,
            ]
        )
    answer = HttpResponse("\ufeff" + text.getvalue(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{study.slug}-links.csv"'
    return answer


def _make(study: Study, mode: LinkMode, chosen: dict[str, Any], request: StaffRequest) -> list[Link]:
    common = {"comment": chosen["comment"], "expires_at": chosen["expires_at"], "by": request.user}
    if mode == LinkMode.LABELLED:
        return services.links_create_labelled(study=study, labels=chosen["labels"], **common)
    if mode == LinkMode.ONE_TIME:
        return services.links_create_one_time(study=study, number=chosen["number"], **common)
    return [services.link_create(study=study, max_uses=chosen["max_uses"], **common)]


def _add_error(form: LinkForm, error: StudyError) -> None:
    names = {"label": "labels"}
    name = names.get(error.code, error.code)
    form.add_error(name if name in form.fields else None, str(error))


def _link(study: Study, pk: int) -> Link:
    link = Link.objects.filter(study=study, pk=pk).first()
    if link is None:
        raise Http404("This study has no such link.")
    return link


def _asked(study: Study, query: QueryDict) -> Any:
    """The links that the list is narrowed down to."""
    mode = PATHS.get(query.get("kind", ""))
    return selectors.links_listed(study=study, mode=mode, words=query.get("words", "").strip().replace("\0", ""))


def _keys(study: Study, query: QueryDict) -> list[int]:
    return list(_asked(study, query).values_list("pk", flat=True))


def _asked_context(study: Study, query: QueryDict) -> dict[str, Any]:
    asked = {name: query.get(name, "") for name in ("kind", "words")}
    return {
        "study": study,
        **asked,
        "kinds": [(path, MODE_WORDS[mode]) for path, mode in PATHS.items()],
        "query": urlencode({name: value for name, value in asked.items() if value}),
    }


def _shown(request: StaffRequest, study: Study, row: LinkRow) -> Shown:
    state, badge = STATES[row.refusal]
    link = row.link
    return Shown(
        row=row,
        name=link.label or f"Link {link.pk}",
        mode=MODE_WORDS[LinkMode(link.mode)],
        state=state,
        badge=badge,
        address=_address(request, study, link),
    )


def _address(request: StaffRequest, study: Study, link: Link) -> str:
    """What participants are given, in full."""
    path = reverse("studies:link_entry", args=[study.public_id, selectors.link_way(link)])
    return request.build_absolute_uri(path)
