"""The library: looking for levels, their versions, taking them out and along."""

import zipfile
from io import BytesIO
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.levels import selectors
from playtest.levels.differences import versions_compared
from playtest.levels.library import SORTS, LibraryQuery, library_found, library_shown
from playtest.levels.models import Level, LevelVersion
from playtest.levels.services import level_archive
from playtest.levels.views.pages import file_text


@designer_required
@require_safe
def level_list(request: StaffRequest) -> HttpResponseBase:
    query = LibraryQuery.of(request.GET)
    library = library_shown(query, page=request.GET.get("page"))
    address = urlencode([(key, value) for key, value in request.GET.items() if key != "page" and value])
    return render(
        request, "levels/list.html", {"query": query, "library": library, "sorts": SORTS.items(), "address": address}
    )


@designer_required
@require_safe
def library_file(request: StaffRequest) -> HttpResponseBase:
    """The level files of all levels that are looked for, as a ZIP file that can be added again."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        names: set[str] = set()
        for level in library_found(LibraryQuery.of(request.GET)):
            assert level.current is not None
            name = f"{slugify(level.name) or 'level'}-v{level.current.number}"
            if name in names:
                name = f"{name}-{level.pk}"
            names.add(name)
            archive.writestr(f"{name}.json", file_text({**level.current.document, "name": level.name}))
    response = HttpResponse(content.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = 'attachment; filename="levels.zip"'
    return response


@designer_required
@require_safe
def level_versions(request: StaffRequest, pk: int) -> HttpResponseBase:
    """All versions, the newest first, and two of them side by side: `?from=1&to=2`, else the last two."""
    level = get_object_or_404(Level.objects.select_related("current", "owner"), pk=pk, current__isnull=False)
    versions = list(level.versions.select_related("author").order_by("-number"))
    numbers = {str(version.number): version for version in versions}
    to = numbers.get(request.GET.get("to", ""), versions[0])
    earlier = next((version for version in versions if version.number < to.number), None)
    before = numbers.get(request.GET.get("from", ""), earlier)
    for version in versions:
        version.level = level
    context = {
        "level": level,
        "versions": versions,
        "comparison": versions_compared(before, to) if before is not None and before != to else None,
        "to": to,
        "current_name": next(f"Version {one.number}" for one in versions if one.pk == level.current_id),
        "before": before,
        "may_edit": selectors.may_edit(request.user, level),
    }
    return render(request, "levels/versions.html", context)


@designer_required
@require_safe
def version_file(request: StaffRequest, pk: int, number: int) -> HttpResponseBase:
    """The level file of a version, for download."""
    version = LevelVersion.objects.select_related("level").filter(level=pk, number=number).first()
    if version is None:
        raise Http404("There is no such version.")
    response = HttpResponse(file_text(version.document), content_type="application/json")
    name = slugify(version.level.name) or f"level-{pk}"
    response["Content-Disposition"] = f'attachment; filename="{name}-v{number}.json"'
    return response


@designer_required
@require_POST
def level_archived(request: StaffRequest, pk: int) -> HttpResponseBase:
    """Take a level out of the library or back into it."""
    level = get_object_or_404(Level, pk=pk)
    if not selectors.may_edit(request.user, level):
        raise PermissionDenied
    archived = request.POST.get("archived") == "1"
    level_archive(level=level, actor=request.user, archived=archived)
    words = "is out of the library. Studies that use it keep it." if archived else "is back in the library."
    messages.success(request, f"“{level.name}” {words}")
    return redirect("levels:detail", pk=pk)
