"""Addresses under /staff/levels/."""

from django.urls import path

from playtest.levels.views import editor, games, library, pages, reports, searches, what_ifs

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
    path("<int:pk>/what-if/<int:question>/games.csv", what_ifs.what_if_csv, name="what_if_csv"),
    path("<int:pk>/what-if/<int:question>/keep", what_ifs.what_if_kept, name="what_if_keep"),
    path("<int:pk>/search", searches.search_begun, name="search"),
    path("searches/<int:pk>/stop", searches.search_stopped, name="search_stop"),
    path("<int:pk>/versions/<int:number>/par", searches.par_live, name="par_live"),
    path("<int:pk>/versions/<int:number>/par/fact", searches.par_fact_live, name="par_fact_live"),
    path("searches/plays/<int:pk>/", searches.search_play, name="search_play"),
    path("advice", games.advice_asked, name="advice"),
    path("reports/<int:pk>/live", reports.report_live, name="report_live"),
    path("reports/<int:pk>/games/<int:entry>/<int:number>/", games.game_page, name="game"),
    path("reports/<int:pk>/beside/", games.games_beside, name="beside"),
    path("reports/<int:pk>/report.html", reports.report_file, name="report_file"),
    path("reports/<int:pk>/scores.csv", reports.report_csv, name="report_csv"),
    path("reports/<int:pk>/places.csv", reports.report_places_csv, name="report_places_csv"),
    path("reports/<int:pk>/legal.csv", reports.report_legal_csv, name="report_legal_csv"),
]
