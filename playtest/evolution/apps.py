from django.apps import AppConfig


class EvolutionConfig(AppConfig):
    name = "playtest.evolution"

    def ready(self) -> None:
        from playtest.levels.short_work import short_work_register
        from playtest.topics import topic_register

        short_work_register("playtest.evolution.services.work.work_once", only_beside_long=True)
        topic_register("run", "playtest.evolution.selectors.runs.run_is_visible")
