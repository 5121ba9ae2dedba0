"""Sign in, sign out, change one's password."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from playtest.accounts import services
from playtest.accounts.forms import LoginForm
from playtest.accounts.models import User

login = LoginView.as_view(
    template_name="registration/login.html", authentication_form=LoginForm, redirect_authenticated_user=True
)

logout = LogoutView.as_view(http_method_names=["post", "options"])


@sensitive_post_parameters()
@never_cache
@login_required
def password(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User), "login_required lets staff in alone"
    form = PasswordChangeForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        services.password_change(user=user, password=form.cleaned_data["new_password1"])
        # Other sessions of this account end; this one goes on.
        update_session_auth_hash(request, user)
        messages.success(request, "Your password is changed.")
        return redirect("accounts:dashboard")
    return render(request, "registration/password_change_form.html", {"form": form})
