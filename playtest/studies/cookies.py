"""The participant's cookie: one for the pages of a study and the same for its socket, each sent nowhere else."""

from django.http import HttpRequest, HttpResponse

PAGE_COOKIE = "participant"
SOCKET_COOKIE = "player"
COOKIE_SECONDS = 90 * 24 * 3600


def page_path(study_public_id: str) -> str:
    return f"/s/{study_public_id}/"


def socket_path(study_public_id: str) -> str:
    return f"/ws/play/{study_public_id}"


def cookies_set(request: HttpRequest, response: HttpResponse, *, study_public_id: str, token: str) -> None:
    """Give the browser a token. Scripts cannot read it, other sites cannot send it along with their posts."""
    for name, path in ((PAGE_COOKIE, page_path(study_public_id)), (SOCKET_COOKIE, socket_path(study_public_id))):
        response.set_cookie(
            name,
            token,
            max_age=COOKIE_SECONDS,
            path=path,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )


def cookies_clear(response: HttpResponse, *, study_public_id: str) -> None:
    response.delete_cookie(PAGE_COOKIE, path=page_path(study_public_id), samesite="Lax")
    response.delete_cookie(SOCKET_COOKIE, path=socket_path(study_public_id), samesite="Lax")
