from importlib import import_module

from django.apps import AppConfig


class PlaytestConfig(AppConfig):
    name = "playtest"

    def ready(self) -> None:
        # Every process that may announce work needs the Celery application, and the checks with their ids.
        import_module("playtest.celery")
        import_module("playtest.checks")
