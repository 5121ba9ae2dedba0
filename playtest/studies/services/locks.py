"""The lock of a study's row, for what must not happen beside a withdrawal."""

from playtest.studies.models import Study


def study_lock(*, study_id: int) -> None:
    """Wait for others who hold it, then hold it to the end of the caller's transaction.

    Whoever has it waits for no participant's rows any more, so nobody waits in a circle. Nobody who starts or plays
    waits for it: their rows only refer to the study. On SQLite the transaction itself is the lock.
    """
    Study.objects.select_for_update(no_key=True).filter(pk=study_id).values_list("pk").first()
