"""What the pages of results set going."""

from playtest.accounts.models import User
from playtest.insights.selectors.levels import levels_shown
from playtest.insights.who import Who
from playtest.levels.models import PlaytestReport, Trigger
from playtest.levels.services import DrawnBoards, level_version_ensure, playtest_request, playtest_request_drawn
from playtest.studies.models import Study
from playtest.studies.selectors.scores import LevelResults


def level_playtest(*, group: LevelResults, by: User | None) -> PlaytestReport:
    """Have the default agents play a level of a study, or boards drawn as its random ones are.

    A level that is in no library yet is added to it, so that its playtest has somewhere to stand.
    """
    if group.level is not None:
        version = level_version_ensure(level=group.level, owner=by, name=group.name)
        return playtest_request(level_version=version, trigger=Trigger.STUDY, requested_by=by)
    assert group.drawn is not None
    return playtest_request_drawn(drawn=DrawnBoards(**group.drawn), trigger=Trigger.STUDY, requested_by=by)


def study_playtest(*, study: Study, by: User | None) -> list[PlaytestReport]:
    """Have the default agents play every level of the study. What was played before is found, not played again."""
    return [level_playtest(group=shown.results, by=by) for shown in levels_shown(study=study, who=Who.PEOPLE)]
