"""What is wrong with a form whose page does not show it again."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest


def say_errors(request: HttpRequest, form: forms.Form) -> None:
    """A message for each field that is wrong."""
    for name, errors in form.errors.items():
        label = form.fields[name].label if name in form.fields else ""
        messages.error(request, f"{label}: {' '.join(str(error) for error in errors)} Nothing was started.")
