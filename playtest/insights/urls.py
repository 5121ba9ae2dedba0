"""Addresses under /staff/studies/<pk>/results/. A level is named by the hash of its boards."""

from django.urls import path, register_converter

from playtest.insights import views


class HashConverter:
    """64 hex characters."""

    regex = "[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(HashConverter, "hash")

app_name = "insights"
urlpatterns = [
    path("<int:pk>/results/", views.study_results, name="study_results"),
    path("<int:pk>/results/playtest", views.study_playtest_all, name="study_playtest"),
    path("<int:pk>/results/<hash:boards>/", views.level_results, name="level_results"),
    path("<int:pk>/results/<hash:boards>/live", views.level_live, name="level_live"),
    path("<int:pk>/results/<hash:boards>/playtest", views.level_playtest_one, name="level_playtest"),
    path("<int:pk>/results/<hash:boards>/scores.csv", views.level_csv, name="level_csv"),
]
