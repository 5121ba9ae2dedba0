"""Addresses of the site. Each app names its own; those that exist are joined here."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import TemplateView

urlpatterns: list[URLPattern | URLResolver] = [
    path("", TemplateView.as_view(template_name="home.html"), name="home"),
    path("staff/", include("playtest.accounts.urls")),
]
for prefix, module in [
    ("s/", "playtest.studies.urls"),
    ("staff/levels/", "playtest.levels.urls"),
    ("staff/studies/", "playtest.studies.urls_staff"),
    ("staff/studies/", "playtest.insights.urls"),
    ("staff/", "playtest.evolution.urls"),
]:
    if find_spec(module):
        urlpatterns.append(path(prefix, include(module)))
