from django.apps import AppConfig


class InsightsConfig(AppConfig):
    name = "playtest.insights"

    def ready(self) -> None:
        from playtest.levels.people_source import people_source_register
        from playtest.topics import topic_register

        people_source_register("playtest.insights.calibration.people_known")
        topic_register("opinions", "playtest.studies.selectors.staff.study_is_visible")
