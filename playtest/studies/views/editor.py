"""The editor of a draft: one part at a time as a form, the arrangement by buttons. Works without scripts."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_http_methods

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.studies.access import study_or_refuse
from playtest.studies.choices import StudyState
from playtest.studies.document import parse_study
from playtest.studies.editor import changes
from playtest.studies.editor.differences import Difference, fields_differ
from playtest.studies.editor.entry_forms import ENTRY_FORMS
from playtest.studies.editor.forms import PAGE_FORMS, PartForm
from playtest.studies.editor.kinds import PAGES, Draft, page_kind, page_list
from playtest.studies.editor.outline import other_lists, outline_of
from playtest.studies.editor.parts import Part, own_fields, page_of, part_base, part_name, part_value, part_word
from playtest.studies.editor.study_form import StudyForm
from playtest.studies.errors import StudyError
from playtest.studies.models import Study
from playtest.studies.selectors.drafts import draft_last_change
from playtest.studies.services.drafts import draft_arrange, draft_part_save, draft_restore
from playtest.studies.views.making import study_preview

STATUS = {"conflict": 409, "closed": 409, "gone": 410}


@dataclass
class Attempt:
    """What a refused save leaves on the page: the sentence, and what differs from what is stored now."""

    sentence: str = ""
    is_conflict: bool = False
    differences: tuple[Difference, ...] = ()


@designer_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_edit(request: StaffRequest, pk: int, page: str = "", group: str = "", entry: str = "") -> HttpResponseBase:
    """A part of the draft. What is sent in is saved, then the button that was pressed is done."""
    study = study_or_refuse(request.user, pk, Study.objects.select_related("published", "owner"))
    # Fields that came with a new version of the program are written out before anybody compares.
    study.draft = parse_study(study.draft).to_document()
    part = Part(page, group, entry)
    if request.method == "POST":
        return _post(request, study, part)
    try:
        form = form_for(study, part)
    except StudyError as error:
        messages.warning(request, str(error))
        return redirect(part_url(study, part.owner) if part.group else part_url(study, Part()))
    return _page(request, study, part, form, Attempt())


def form_for(study: Study, part: Part, data: MultiValueDict[str, Any] | None = None) -> PartForm:
    """The form of a part, with what was typed if it is given. Raises StudyError `gone`."""
    value = part_value(study.draft, part)
    if not part.page:
        return StudyForm(data, value=own_fields(value, part))
    if not part.group:
        found = PAGE_FORMS.get(str(value["kind"]))
        if found is None:
            raise StudyError("gone", "This kind of page cannot be edited here yet. The file of the study has it.")
        return found(data, value=value)
    entries = page_list(page_of(study.draft, part.page), part.group)
    assert entries is not None
    form = ENTRY_FORMS[part.group][entries.kind_of(value)]
    return form(data, value=value, owner=page_of(study.draft, part.page), published=published_value(study, part))


def published_value(study: Study, part: Part) -> Draft | None:
    """The same part in the newest version; None if it is not in it, or nothing is published."""
    if study.published is None:
        return None
    try:
        return part_value(parse_study(study.published.document).to_document(), part)
    except StudyError:
        return None


def _post(request: StaffRequest, study: Study, part: Part) -> HttpResponseBase:
    wants_json = request.headers.get("Accept") == "application/json"
    number = _number(request.POST.get("number", ""))
    base = request.POST.get("base", "")
    do = request.POST.get("do", "save")
    try:
        form = form_for(study, part, _typed(request, do))
    except StudyError as error:
        if wants_json:
            return JsonResponse({"saved": False, "message": str(error)}, status=STATUS["gone"])
        messages.warning(request, str(error))
        return redirect(part_url(study, Part()))
    if not form.is_valid():
        return _refused(request, study, part, form, Attempt(), 422, wants_json)
    try:
        stored, part = _save(request, study, part, form, number, base)
    except StudyError as error:
        attempt = Attempt(sentence=str(error), is_conflict=error.code == "conflict")
        if attempt.is_conflict:
            now = own_fields(part_value(study.draft, part), part)
            attempt.differences = tuple(fields_differ(now, own_fields(form.document(), part), "Here"))
        else:
            form.refuse(str(error))
            # What the document refuses stands at its field, or else above the form.
            attempt.sentence = "" if error.code == "document" else attempt.sentence
        return _refused(request, study, part, form, attempt, STATUS.get(error.code, 422), wants_json)
    if wants_json:
        return JsonResponse(_saved(stored, part, form))
    return _done(request, stored, part, do, number + stored.draft_number - study.draft_number)


def _typed(request: StaffRequest, do: str) -> MultiValueDict[str, Any]:
    """What was typed, with two rows of answers swapped where such a button was pressed."""
    data = request.POST.copy()
    action, _, row = do.partition(":options:")
    step = {"up": -1, "down": 1}.get(action)
    if step is None or not row.isdecimal() or len(row) > 9:
        return data
    place = int(row)
    for name in ("options-label", "options-value", "options-role"):
        rows = data.getlist(name)
        if 0 <= place < len(rows) and 0 <= place + step < len(rows):
            rows.insert(place + step, rows.pop(place))
            data.setlist(name, rows)
    return data


def _save(
    request: StaffRequest, study: Study, part: Part, form: PartForm, number: int, base: str
) -> tuple[Study, Part]:
    """Store what was typed if it is anything new. Gives the study and where the part is now."""
    value = form.document()
    typed = own_fields(value, part)
    if typed == own_fields(part_value(study.draft, part), part):
        return study, part
    stored = draft_part_save(study=study, part=part, value=value, number=number, base=base, by=request.user)
    return stored, Part(part.page, part.group, value["key"]) if part.group else part


def _saved(study: Study, part: Part, form: PartForm) -> dict[str, Any]:
    """What a script needs to go on: the next number and digest, the part's name and place, what is stored otherwise."""
    value = part_value(study.draft, part)
    return {
        "saved": True,
        "number": study.draft_number,
        "base": part_base(study.draft, part),
        "name": part_name(value, part),
        "url": part_url(study, part),
        "answers": [one["value"] for one in value.get("options", [])],
        "numbers": form.stored_numbers(value),
    }


def _refused(
    request: StaffRequest, study: Study, part: Part, form: PartForm, attempt: Attempt, status: int, wants_json: bool
) -> HttpResponseBase:
    if not wants_json:
        return _page(request, study, part, form, attempt, status)
    errors = {name: [str(one) for one in found] for name, found in form.errors.items()}
    return JsonResponse(
        {"saved": False, "conflict": attempt.is_conflict, "message": attempt.sentence, "errors": errors}, status=status
    )


def _done(request: StaffRequest, study: Study, part: Part, do: str, number: int) -> HttpResponseBase:
    """After the save: do what the button says, and show where one is then."""
    focus = ""
    try:
        if do == "save":
            messages.success(request, "Saved.")
        elif do == "preview":
            return study_preview(request, study.pk)
        elif do == "publish":
            return redirect("studies_staff:publish", pk=study.pk)
        elif do == "restore":
            study, part, said = draft_restore(study=study, by=request.user)
            messages.success(request, said)
        elif change := _change(part, do, request.POST.get("elsewhere", "")):
            stored, target, said = draft_arrange(study=study, change=change, number=number, by=request.user)
            messages.success(request, said)
            verb = do.split(":")[0]
            part = part if verb in {"up", "down"} else target
            focus = do if verb in {"up", "down"} else ""
            study = stored
    except StudyError as error:
        messages.error(request, str(error))
    query = f"?{urlencode({'focus': focus})}" if focus else ""
    return redirect(part_url(study, part) + query)


def _change(part: Part, do: str, to: str) -> changes.Change | None:
    """What a button means: `add:page:rounds`, `add:items:scale`, `up:page:KEY`, `copy:items:KEY`, `remove:page:KEY`.

    `to` is the list of another page that `send:items:KEY` and `give:items:KEY` move or copy to: `PAGE.GROUP`.
    """
    verb, _, rest = do.partition(":")
    group, _, name = rest.partition(":")
    if group == "options":
        return None
    if verb == "block":
        return changes.add_block(part.page, group, name)
    if verb == "add":
        return changes.add_page(name, after=part.page) if group == "page" else changes.add_entry(part.page, group, name)
    target = Part(name) if group == "page" else Part(part.page, group, name)
    known = {
        "up": lambda: changes.move(target, -1),
        "down": lambda: changes.move(target, 1),
        "copy": lambda: changes.duplicate(target),
        "remove": lambda: changes.remove(target),
        "send": lambda: changes.send(target, *_list_named(to), keep=False),
        "give": lambda: changes.send(target, *_list_named(to), keep=True),
    }
    if verb not in known:
        raise StudyError("kind", "This button is not known. Please load the page again.")
    return known[verb]()


def _list_named(to: str) -> tuple[str, str]:
    page, _, group = to.partition(".")
    if not group:
        raise StudyError("kind", "Choose a page first.")
    return page, group


def _page(
    request: StaffRequest, study: Study, part: Part, form: PartForm, attempt: Attempt, status: int = 200
) -> HttpResponse:
    value = part_value(study.draft, part)
    owner = page_of(study.draft, part.page) if part.page else None
    context = {
        "study": study,
        "is_closed": study.state == StudyState.CLOSED,
        "part": part,
        "part_name": part_name(value, part),
        "word": part_word(study.draft, part),
        "kind": page_kind(owner) if owner else None,
        "owner": owner,
        "owner_url": part_url(study, part.owner),
        "form": form,
        "number": study.draft_number,
        "base": part_base(study.draft, part),
        "attempt": attempt,
        "last": draft_last_change(study=study),
        "outline": outline_of(study, part),
        "addable": {name: kind for name, kind in PAGES.items() if kind.blank},
        "can_copy": bool(part.group) or (owner is not None and owner["kind"] not in {"consent", "end"}),
        "elsewhere": other_lists(study.draft, part),
        "focus": request.GET.get("focus", ""),
    }
    return render(request, "studies/staff/editor.html", context, status=status)


def part_url(study: Study, part: Part) -> str:
    words = [word for word in (part.page, part.group, part.entry) if word]
    return reverse(
        ("studies_staff:edit", "studies_staff:edit_page", "", "studies_staff:edit_entry")[len(words)],
        args=[study.pk, *words],
    )


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise Http404("The form is not complete. Please load the page again.")
    return int(text)
