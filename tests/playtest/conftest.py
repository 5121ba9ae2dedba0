"""What tests of pages in several apps start from."""

import pytest

from playtest.accounts.models import User
from playtest.insights.services.opinions import opinions_request, opinions_work
from playtest.insights.services.playtests import study_playtest
from playtest.levels.models import DefaultAgent
from playtest.levels.services import agent_spec_ensure
from playtest.studies.choices import Kind
from playtest.studies.models import Study
from tests.playtest.insights.rows import make_participant, make_study, play_rounds
from tests.playtest.levels.playing import work_all


@pytest.fixture
def played_study(designer: User) -> Study:
    """Three people played, greedy and random play beside them and said what they think of every move."""
    for position, kind in enumerate(("greedy", "random")):
        spec = agent_spec_ensure(document={"kind": kind, "name": kind})
        DefaultAgent.objects.create(game="match3", slug=kind, position=position, agent_spec=spec)
    study = make_study(owner=designer)
    for seed in (40, 41, 42):
        play_rounds(make_participant(study, Kind.PERSON), seed=seed)
    study_playtest(study=study, by=None)
    work_all()
    opinions_request(study=study, by=None)
    while opinions_work(worker="test", seconds=60):
        pass
    return study
