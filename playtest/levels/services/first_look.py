"""What a level is given as soon as it is saved, so that its page has something to show."""

from playtest.accounts.models import User
from playtest.levels.models import LevelVersion, Trigger
from playtest.levels.par import has_par, searches_on
from playtest.levels.services.playtests import playtest_request
from playtest.levels.services.searches import SearchError, search_request

FIRST_SEARCH_SECONDS = 4


def level_try(*, level_version: LevelVersion, by: User) -> None:
    """A playtest, and where there is par to be found a short search for it, unless there was one."""
    playtest_request(level_version=level_version, trigger=Trigger.UPLOAD, requested_by=by)
    if not has_par(level_version.game) or searches_on(board_key=level_version.board_key):
        return
    try:
        search_request(level_version=level_version, seconds=FIRST_SEARCH_SECONDS, requested_by=by)
    except SearchError:
        # Somebody began one at this moment, or the board cannot be searched, of which its page says why when asked.
        return
