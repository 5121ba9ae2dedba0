"""A process of its own that plays rounds as fast as it can through the writer's function, and says what it stored.

Usage: python -m tests.playtest.studies.race NAME ROUND_ID...   (all rounds under play_epoch 1, until they are over)
Writes one line a stored move: round, seq, client id. RACE_DATABASE names the database.
"""

import os
import random
import sys

import django


def race(name: str, round_ids: list[int]) -> None:
    from playtest.studies.models import Round
    from playtest.studies.play.writer import write_with_retries
    from playtest.studies.services.moves import MoveJob, Written
    from tests.playtest.studies.jobs import move_after

    rng = random.Random(name)
    number = 0
    open_rounds = set(round_ids)
    while open_rounds:
        jobs: list[MoveJob] = []
        for row in Round.objects.select_related("participant", "level_version").filter(pk__in=open_rounds):
            codes = list(row.moves.order_by("seq").values_list("action", flat=True))
            if row.ended_at is not None:
                open_rounds.discard(row.pk)
            elif len(codes) == row.seq:
                # Else another process committed between the two reads.
                number += 1
                client_id = f"{name}-{number:05}"
                jobs.append(move_after(row, codes, epoch=1, client_id=client_id, choice=rng.randrange(2)))
        for job, result in zip(jobs, write_with_retries(jobs) if jobs else [], strict=True):
            if result is Written.STORED:
                sys.stdout.write(f"{job.round_id} {job.seq} {job.client_id}\n")
                sys.stdout.flush()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = os.environ["RACE_DATABASE"]
    race(sys.argv[1], [int(pk) for pk in sys.argv[2:]])


if __name__ == "__main__":
    main()
