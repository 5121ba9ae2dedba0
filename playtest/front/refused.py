"""What somebody sees whose request is refused: a form with a key that does not count, or what could not be read.

Django's own pages of errors ask for the form's key, so they read a form once more that could not be read, and fail.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template.loader import render_to_string
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


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    # Without the request: what stands on other pages may be what failed.
    return HttpResponseServerError(render_to_string("500.html"))
