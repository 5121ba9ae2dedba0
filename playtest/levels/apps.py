from django.apps import AppConfig


class LevelsConfig(AppConfig):
    name = "playtest.levels"
