from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "playtest.studies"

    def ready(self) -> None:
        from playtest.topics import topic_register

        topic_register("study", "playtest.studies.selectors.staff.study_is_visible")
