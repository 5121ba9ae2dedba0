"""Addresses of a study's pages, under /s/. A public id is a slug: the database is asked for nothing else."""

from django.urls import path

from playtest.studies.views import ending
from playtest.studies.views import participant as views

app_name = "studies"

urlpatterns = [
    path("<slug:study>/", views.entry, name="entry"),
    path("<slug:study>/start", views.start, name="start"),
    path("<slug:study>/next", views.next_step, name="next"),
    path("<slug:study>/consent", views.consent, name="consent"),
    path("<slug:study>/page/<slug:key>", views.page, name="page"),
    path("<slug:study>/play", views.play, name="play"),
    path("<slug:study>/end", ending.end, name="end"),
    path("<slug:study>/finish", ending.finish, name="finish"),
    path("<slug:study>/leave", ending.leave, name="leave"),
    path("<slug:study>/stop", views.stop, name="stop"),
    path("<slug:study>/stopped", views.stopped, name="stopped"),
]
