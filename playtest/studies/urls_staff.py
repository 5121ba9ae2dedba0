"""Addresses under /staff/studies/."""

from django.urls import path

from playtest.studies.views import export, staff

app_name = "studies_staff"
urlpatterns = [
    path("", staff.study_list, name="list"),
    path("<int:pk>/", staff.study_detail, name="detail"),
    path("<int:pk>/live", staff.study_live, name="live"),
    path("<int:pk>/export", export.study_export, name="export"),
    path("<int:pk>/publish", staff.study_publish_post, name="publish"),
    path("<int:pk>/state", staff.study_state_post, name="state"),
]
