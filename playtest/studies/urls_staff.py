"""Addresses under /staff/studies/."""

from django.urls import path

from playtest.studies.views import editor, export, links, making, monitor, people, scales, staff, versions

app_name = "studies_staff"
urlpatterns = [
    path("", staff.study_list, name="list"),
    path("new/", making.study_new, name="new"),
    path("<int:pk>/edit/", editor.study_edit, name="edit"),
    path("<int:pk>/edit/<slug:page>/", editor.study_edit, name="edit_page"),
    path("<int:pk>/edit/<slug:page>/<slug:group>/<slug:entry>/", editor.study_edit, name="edit_entry"),
    path("<int:pk>/scale", scales.scale_import, name="scale"),
    path("example-scale.json", scales.scale_example, name="scale_example"),
    path("<int:pk>/preview", making.study_preview, name="preview"),
    path("<int:pk>/preview/back", making.preview_back, name="preview_back"),
    path("<int:pk>/file", making.study_download, name="file"),
    path("<int:pk>/close", versions.close, name="close"),
    path("<int:pk>/log", versions.log, name="log"),
    path("<int:pk>/versions/", versions.version_list, name="versions"),
    path("<int:pk>/versions/<int:number>/", versions.version_detail, name="version"),
    path("<int:pk>/versions/<int:number>/file", making.version_download, name="version_file"),
    path("<int:pk>/versions/<int:number>/differences", versions.version_differences, name="differences"),
    path("<int:pk>/", staff.study_detail, name="detail"),
    path("<int:pk>/live", staff.study_live, name="live"),
    path("<int:pk>/monitor/", monitor.monitor, name="monitor"),
    path("<int:pk>/monitor/live", monitor.monitor_live, name="monitor_live"),
    path("<int:pk>/export", export.study_export, name="export"),
    path("<int:pk>/links/", links.link_list, name="links"),
    path("<int:pk>/links/new/<slug:kind>/", links.link_new, name="link_new"),
    path("<int:pk>/links/switch", links.link_switch, name="link_switch"),
    path("<int:pk>/links/sheet", links.link_sheet, name="link_sheet"),
    path("<int:pk>/links/file", links.link_file, name="link_file"),
    path("<int:pk>/links/switch/<str:to>", links.link_switch_all, name="link_switch_all"),
    path("<int:pk>/links/<int:one>/", links.link_detail, name="link"),
    path("<int:pk>/links/<int:one>/qr", links.link_qr, name="link_qr"),
    path("<int:pk>/admission", links.admission_post, name="admission"),
    path("<int:pk>/publish", versions.publish, name="publish"),
    path("<int:pk>/state", staff.study_state_post, name="state"),
    path("<int:pk>/participants/<int:one>/", people.participant_detail, name="participant"),
    path("<int:pk>/participants/<int:one>/returned", people.participant_returned_post, name="participant_returned"),
    path("<int:pk>/participants/<int:one>/time", people.participant_time_post, name="participant_time"),
    path("<int:pk>/participants/<int:one>/use", people.participant_use_post, name="participant_use"),
    path("<int:pk>/participants/<int:one>/rounds/<int:round_pk>/void", people.round_void_post, name="round_void"),
    path("<int:pk>/participants/<int:one>/rounds/<int:round_pk>/", people.round_replay_page, name="replay"),
]
