from django.apps import AppConfig


class EvolutionConfig(AppConfig):
    name = "playtest.evolution"

    def ready(self) -> None:
        from playtest.evolution.selectors.runs import run_is_visible
        from playtest.topics import topic_register

        topic_register("run", run_is_visible)
