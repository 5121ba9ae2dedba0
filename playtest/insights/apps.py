from django.apps import AppConfig


class InsightsConfig(AppConfig):
    name = "playtest.insights"

    def ready(self) -> None:
        from playtest.levels.people_source import people_source_register
        from playtest.levels.short_work import short_work_register
        from playtest.studies.forgetting import forgetter_register
        from playtest.topics import topic_register

        people_source_register(
            predicted="playtest.insights.calibration.people_predicted",
            observed="playtest.insights.calibration.people_observed",
        )
        short_work_register("playtest.insights.services.opinions.opinions_work")
        forgetter_register("playtest.insights.services.forgetting.figures_forget")
        topic_register("opinions", "playtest.studies.selectors.staff.study_is_visible")
