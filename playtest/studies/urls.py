"""Addresses of a study's pages, under /s/."""

from django.urls import path

from playtest.studies.views import participant as views

app_name = "studies"

urlpatterns = [
    path("<str:study>/", views.entry, name="entry"),
    path("<str:study>/start", views.start, name="start"),
    path("<str:study>/next", views.next_step, name="next"),
    path("<str:study>/consent", views.consent, name="consent"),
    path("<str:study>/page/<slug:key>", views.page, name="page"),
    path("<str:study>/play", views.play, name="play"),
    path("<str:study>/end", views.end, name="end"),
    path("<str:study>/finish", views.finish, name="finish"),
    path("<str:study>/stop", views.stop, name="stop"),
    path("<str:study>/stopped", views.stopped, name="stopped"),
]
