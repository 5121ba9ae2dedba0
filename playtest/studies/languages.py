"""In which language the pages of a study are: its own, and among several the participant's."""

from collections.abc import Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation.trans_real import parse_accept_lang_header

PARTICIPANT_PAGES = "/s/"
PARAMETER = "lang"
SPEAK = "to.lang"
"""What a form calls the language to change to. No question has a key with a dot."""


def known_languages() -> dict[str, str]:
    """What a study may name, by its tag the language's own name; the first is what the program is written in."""
    return dict(settings.LANGUAGES)


def language_choose(offered: Sequence[str], *, wanted: str = "", accepted: str = "") -> str:
    """The language that somebody asked for, else what their browser prefers (a header Accept-Language), else the first.

    Only those that are offered count; `de-AT` is answered by `de`.
    """
    if wanted in offered:
        return wanted
    for tag, _ in parse_accept_lang_header(accepted):
        for name in (tag, tag.partition("-")[0]):
            found = next((one for one in offered if one.lower() == name.lower()), None)
            if found is not None:
                return found
    return offered[0]


def language_of_visit(request: HttpRequest, offered: Sequence[str]) -> str:
    """The language of somebody who has not started: asked for by the address, else preferred by the browser."""
    return language_choose(
        offered, wanted=request.GET.get(PARAMETER, ""), accepted=request.headers.get("Accept-Language", "")
    )


def language_links(request: HttpRequest, offered: Sequence[str], language: str) -> list[dict[str, object]]:
    """The languages of a study to choose from, where there are several, each a link to this page in it."""
    found: list[dict[str, object]] = []
    for tag in offered if len(offered) > 1 else ():
        query = request.GET.copy()
        query[PARAMETER] = tag
        found.append(
            {"tag": tag, "name": known_languages()[tag], "url": f"?{query.urlencode()}", "is_current": tag == language}
        )
    return found


def is_for_participants(request: HttpRequest) -> bool:
    """The start page, and whatever belongs to a study."""
    return request.path_info == "/" or request.path_info.startswith(PARTICIPANT_PAGES)


class ParticipantLanguageMiddleware(MiddlewareMixin):
    """Staff pages are English. Participants' pages, errors too, begin in the browser's language; views know more."""

    def process_request(self, request: HttpRequest) -> None:
        visited = is_for_participants(request)
        language = language_of_visit(request, list(known_languages())) if visited else settings.LANGUAGE_CODE
        translation.activate(language)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if is_for_participants(request):
            patch_vary_headers(response, ("Accept-Language",))
            response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        translation.activate(settings.LANGUAGE_CODE)
        return response
