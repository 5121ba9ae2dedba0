"""What one participant's step locks is theirs: others who begin and end at the same moment never wait in a circle."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from playtest.studies.choices import Status
from playtest.studies.models import Participant
from playtest.studies.services import consent_decide, participant_complete
from tests.playtest.racing import race
from tests.playtest.studies.factory import make_participant, make_study, play_rounds

SOURCES = Path(__file__).resolve().parents[3] / "playtest"
LOCKS_MORE = re.compile(r"select_for_update\(\)\s*\.[^\n]*select_related|select_related\([^\n]*\.select_for_update\(\)")
AT_ONCE = 12


@pytest.mark.django_db(transaction=True)
def test_some_agree_while_others_complete() -> None:
    study = make_study(rounds=1)
    ending = [make_participant(study)[0] for _ in range(AT_ONCE)]
    for participant in ending:
        play_rounds(participant)
    beginning = [make_participant(study, agree=False)[0] for _ in range(AT_ONCE)]
    calls: list[Callable[[], object]] = []
    for one, other in zip(ending, beginning, strict=True):
        calls += [
            partial(participant_complete, participant=one),
            partial(consent_decide, participant=other, agree=True),
        ]
    race(calls)
    statuses = list(Participant.objects.order_by("pk").values_list("status", flat=True))
    assert statuses == [Status.COMPLETED] * AT_ONCE + [Status.ACTIVE] * AT_ONCE


def test_no_lock_takes_the_rows_that_are_only_read_along() -> None:
    for path in SOURCES.rglob("*.py"):
        assert not LOCKS_MORE.search(path.read_text("utf-8")), f"{path}: name the locked rows by `of`"
