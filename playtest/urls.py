"""Addresses of the site. Each app names its own."""

from django.urls import URLPattern, URLResolver, include, path

from playtest.accounts import urls as accounts
from playtest.front import refused, views

staff = [
    path("", views.dashboard, name="dashboard"),
    path("log/", views.audit_log, name="log"),
    *accounts.urlpatterns,
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("s/", include("playtest.studies.urls")),
    path("staff/", include((staff, accounts.app_name))),
    path("staff/levels/", include("playtest.levels.urls")),
    path("staff/studies/", include("playtest.studies.urls_staff")),
    path("staff/studies/", include("playtest.insights.urls")),
    path("staff/", include("playtest.evolution.urls")),
]

handler400 = refused.bad_request
handler403 = refused.permission_denied
handler404 = refused.page_not_found
handler500 = refused.server_error
