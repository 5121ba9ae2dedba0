"""Addresses under /staff/levels/."""

from django.urls import path

from playtest.levels import views

app_name = "levels"
urlpatterns = [
    path("", views.level_list, name="list"),
    path("new/", views.level_upload, name="create"),
    path("boards/<slug:content_hash>.svg", views.board_picture, name="board"),
    path("<int:pk>/", views.level_detail, name="detail"),
    path("<int:pk>/playtest", views.level_playtest, name="playtest"),
    path("<int:pk>/file", views.level_file, name="file"),
    path("reports/<int:pk>/live", views.report_live, name="report_live"),
]
