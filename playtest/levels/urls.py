"""Addresses under /staff/levels/."""

from django.urls import path

from playtest.levels.views import editor, library, pages, what_ifs

app_name = "levels"
urlpatterns = [
    path("", library.level_list, name="list"),
    path("new/", pages.level_upload, name="create"),
    path("draw/", editor.level_draw, name="draw"),
    path("draw/check", editor.draft_checked, name="check"),
    path("draw/fill", editor.draft_filled, name="fill"),
    path("levels.zip", library.library_file, name="export"),
    path("<int:pk>/versions", library.level_versions, name="versions"),
    path("<int:pk>/versions/<int:number>/file", library.version_file, name="version_file"),
    path("<int:pk>/archive", library.level_archived, name="archive"),
    path("<int:pk>/edit", editor.level_edit, name="edit"),
    path("boards/<slug:content_hash>.svg", pages.board_picture, name="board"),
    path("<int:pk>/", pages.level_detail, name="detail"),
    path("<int:pk>/playtest", pages.level_playtest, name="playtest"),
    path("<int:pk>/file", pages.level_file, name="file"),
    path("<int:pk>/what-if/", what_ifs.what_if_ask, name="what_if_ask"),
    path("<int:pk>/what-if/<int:question>/", what_ifs.what_if_shown, name="what_if"),
    path("<int:pk>/what-if/<int:question>/live", what_ifs.what_if_live, name="what_if_live"),
    path("<int:pk>/what-if/<int:question>/keep", what_ifs.what_if_kept, name="what_if_keep"),
    path("reports/<int:pk>/live", pages.report_live, name="report_live"),
]
