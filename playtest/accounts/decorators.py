"""Who may open a staff page."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import patch_cache_control

from playtest.accounts.models import User

P = ParamSpec("P")


class StaffRequest(HttpRequest):
    """What a view behind one of these decorators is given: its user is a member of the staff."""

    user: User


StaffView = Callable[Concatenate[StaffRequest, P], HttpResponseBase]
PlainView = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def designer_required(view: StaffView[P]) -> PlainView[P]:
    """Any member of the staff; others sign in first."""
    return _guarded(view, admins_only=False)


def admin_required(view: StaffView[P]) -> PlainView[P]:
    """Admins; a designer is told that the page is not for them."""
    return _guarded(view, admins_only=True)


def _guarded(view: StaffView[P], *, admins_only: bool) -> PlainView[P]:
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        user = request.user
        if not isinstance(user, User):
            return redirect_to_login(request.get_full_path())
        if user.must_change_password:
            return redirect(reverse("accounts:password"))
        if admins_only and not user.is_admin:
            raise PermissionDenied("This page is for admins.")
        response = view(cast(StaffRequest, request), *args, **kwargs)
        # After signing out, the browser's back button must not show what was there.
        patch_cache_control(response, private=True, no_store=True)
        return response

    return guarded
