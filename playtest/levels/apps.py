from django.apps import AppConfig


class LevelsConfig(AppConfig):
    name = "playtest.levels"

    def ready(self) -> None:
        from playtest.levels.selectors import report_is_visible
        from playtest.topics import topic_register

        topic_register("report", report_is_visible)
