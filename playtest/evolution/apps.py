from django.apps import AppConfig


class EvolutionConfig(AppConfig):
    name = "playtest.evolution"

    def ready(self) -> None:
        from playtest.topics import topic_register

        topic_register("run", "playtest.evolution.selectors.runs.run_is_visible")
