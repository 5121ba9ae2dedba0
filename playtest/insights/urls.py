"""Addresses under /staff/studies/<pk>/results/. A level is named by the hash of its boards."""

from django.urls import path, register_converter

from playtest.insights.views import beside, people, results


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
    path("<int:pk>/results/", results.study_results, name="study_results"),
    path("<int:pk>/results/playtest", results.study_playtest_all, name="study_playtest"),
    path("<int:pk>/results/people/", people.people, name="people"),
    path("<int:pk>/results/people/report.html", people.people_file, name="people_file"),
    path("<int:pk>/results/<hash:boards>/people/report.html", people.people_file, name="level_people_file"),
    path("<int:pk>/results/people/<slug:key>.csv", people.section_csv, name="people_csv"),
    path("<int:pk>/results/opinions", people.opinions_ask, name="opinions"),
    path("<int:pk>/results/opinions/live", people.opinions_live, name="opinions_live"),
    path("<int:pk>/results/<hash:boards>/people/", people.people, name="level_people"),
    path("<int:pk>/results/<hash:boards>/people/<slug:key>.csv", people.section_csv, name="level_people_csv"),
    path("<int:pk>/results/<hash:boards>/", results.level_results, name="level_results"),
    path("<int:pk>/results/<hash:boards>/beside/", beside.beside, name="beside"),
    path("<int:pk>/results/<hash:boards>/live", results.level_live, name="level_live"),
    path("<int:pk>/results/<hash:boards>/playtest", results.level_playtest_one, name="level_playtest"),
    path("<int:pk>/results/<hash:boards>/scores.csv", results.level_csv, name="level_csv"),
]
