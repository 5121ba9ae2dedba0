from django.apps import AppConfig


class InsightsConfig(AppConfig):
    name = "playtest.insights"

    def ready(self) -> None:
        from playtest.topics import topic_register

        topic_register("opinions", "playtest.studies.selectors.staff.study_is_visible")
