from django.apps import AppConfig


class LevelsConfig(AppConfig):
    name = "playtest.levels"

    def ready(self) -> None:
        from playtest.topics import topic_register

        topic_register("report", "playtest.levels.selectors.report_is_visible")
        topic_register("search", "playtest.levels.par.search_is_visible")
