"""Addresses of a study's pages, under /s/. A public id is a slug: the database is asked for nothing else."""

from django.urls import path, register_converter

from playtest.studies.views import ending, questions, stopping
from playtest.studies.views import language as languages
from playtest.studies.views import participant as views


class PageKey:
    """A key of a page, with the position of a round behind a dot where questions follow a round."""

    regex = r"[-a-zA-Z0-9_]+(?:\.[0-9]+)?"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(PageKey, "page_key")

app_name = "studies"

urlpatterns = [
    path("<slug:study>/", views.entry, name="entry"),
    path("<slug:study>/start", views.start, name="start"),
    path("<slug:study>/opened", views.opened, name="opened"),
    path("<slug:study>/l/<slug:way>/", views.entry, name="link_entry"),
    path("<slug:study>/l/<slug:way>/start", views.start, name="link_start"),
    path("<slug:study>/l/<slug:way>/opened", views.opened, name="link_opened"),
    path("<slug:study>/next", views.next_step, name="next"),
    path("<slug:study>/consent", views.consent, name="consent"),
    path("<slug:study>/page/<page_key:key>", questions.page, name="page"),
    path("<slug:study>/language", languages.language, name="language"),
    path("<slug:study>/play", views.play, name="play"),
    path("<slug:study>/practice", views.practice, name="practice"),
    path("<slug:study>/time", ending.time_left, name="time"),
    path("<slug:study>/end", ending.end, name="end"),
    path("<slug:study>/finish", ending.finish, name="finish"),
    path("<slug:study>/leave", ending.leave, name="leave"),
    path("<slug:study>/stop", stopping.stop, name="stop"),
    path("<slug:study>/stopped", stopping.stopped, name="stopped"),
]
