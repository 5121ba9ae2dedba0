"""What somebody sees whose form came with a key that does not count: after a pause, in a second tab, after sign-in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from playtest.studies.views.questions import page_again

FOREIGN = ("Origin checking failed", "Referer checking failed")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Nothing is stored. A participant's answers stand in the form again; others are told what to do.

    A form that another site sent is not offered again. It could not be a participant's: their cookie stays away from
    it.
    """
    match = request.resolver_match
    is_study = match is not None and match.app_name == "studies" and not reason.startswith(FOREIGN)
    if match is not None and is_study and match.url_name == "page":
        response: HttpResponse = page_again(request, **match.kwargs)
        return response
    context = {}
    if match is not None and is_study and "study" in match.kwargs:
        query = request.GET.urlencode()
        # By the link that they came by, which may be one of many.
        name = "studies:link_entry" if "way" in match.kwargs else "studies:entry"
        known = {str(key): value for key, value in match.kwargs.items() if key in {"study", "way"}}
        context["go_on"] = reverse(name, kwargs=known) + (f"?{query}" if query else "")
    return render(request, "403_csrf.html", context, status=403)
