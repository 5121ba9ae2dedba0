"""Addresses of the site. Each app names its own; those that exist are joined here."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

from playtest.accounts import urls as accounts
from playtest.front import views

staff = [path("", views.dashboard, name="dashboard"), *accounts.urlpatterns]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("staff/", include((staff, accounts.app_name))),
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
