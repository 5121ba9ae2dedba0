"""Addresses under /staff/: runs of evolution and the library of personas."""

from django.urls import path

from playtest.evolution.views import comparison, personas, runs

app_name = "evolution"
urlpatterns = [
    path("evolution/", runs.run_list, name="list"),
    path("evolution/new/", runs.run_new, name="create"),
    path("evolution/live", runs.run_list_live, name="list_live"),
    path("evolution/compare/", comparison.compare, name="compare"),
    path("evolution/compare.csv", comparison.compare_csv, name="compare_csv"),
    path("evolution/best/", comparison.fame, name="fame"),
    path("evolution/<int:pk>/", runs.run_page, name="detail"),
    path("evolution/<int:pk>/live", runs.run_live, name="live"),
    path("evolution/<int:pk>/generations.csv", runs.run_csv, name="csv"),
    path("evolution/<int:pk>/pause", runs.run_pause_view, name="pause"),
    path("evolution/<int:pk>/resume", runs.run_resume_view, name="resume"),
    path("evolution/<int:pk>/cancel", runs.run_cancel_view, name="cancel"),
    path("evolution/<int:pk>/priority", runs.run_priority_view, name="priority"),
    path("evolution/<int:pk>/keep", runs.run_keep, name="keep"),
    path("personas/", personas.persona_list, name="personas"),
    path("personas/new/", personas.persona_new, name="persona_new"),
    path("personas/<int:pk>/", personas.persona_page, name="persona"),
    path("personas/<int:pk>/file", personas.persona_download, name="persona_file"),
    path("personas/<int:pk>/live", personas.persona_live, name="persona_live"),
    path("personas/<int:pk>/play", personas.persona_play, name="persona_play"),
    path("personas/<int:pk>/archive", personas.persona_archive_view, name="persona_archive"),
    path("personas/<int:pk>/offer", personas.persona_offer_view, name="persona_offer"),
]
