"""Forms of the staff accounts."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm

from playtest.accounts import services


class LoginForm(AuthenticationForm):
    """Django's, with a wait after several wrong passwords."""

    error_messages = {
        "invalid_login": "This user name and password do not fit. Both are case-sensitive.",
        "inactive": "This account is switched off.",
    }

    def clean(self) -> dict[str, Any]:
        username = self.cleaned_data.get("username") or ""
        if not username or not self.cleaned_data.get("password"):
            return super().clean()
        if wait := services.login_wait_seconds(username=username):
            raise forms.ValidationError(
                "There were too many wrong passwords for this name. Try again in %(wait)s.",
                code="throttled",
                params={"wait": _duration(wait)},
            )
        try:
            cleaned = super().clean()
        except forms.ValidationError:
            services.login_note_failure(username=username)
            raise
        services.login_note_success(username=username)
        return cleaned


def _duration(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} second{'s' if seconds != 1 else ''}"
    minutes = (seconds + 59) // 60
    return f"{minutes} minute{'s' if minutes != 1 else ''}"
