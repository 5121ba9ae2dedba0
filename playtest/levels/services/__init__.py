"""All writes of `levels`: levels, agents as data, playtests and their blocks of games, searches for par."""

from playtest.levels.services.agents import agent_spec_ensure, default_agents_ensure
from playtest.levels.services.blocks import block_work_next
from playtest.levels.services.first_look import level_try
from playtest.levels.services.levels import (
    LevelChangedError,
    level_archive,
    level_create,
    level_save,
    level_version_ensure,
    levels_ensure_shipped,
)
from playtest.levels.services.playtests import (
    DrawnBoards,
    PlaytestError,
    playtest_reconcile,
    playtest_request,
    playtest_request_drawn,
    playtest_request_file,
)
from playtest.levels.services.restarts import restart_work_next
from playtest.levels.services.searches import SearchError, search_cancel, search_request, searches_reconcile
from playtest.levels.services.what_ifs import what_if_copy, what_if_keep, what_if_request

__all__ = [
    "DrawnBoards",
    "LevelChangedError",
    "PlaytestError",
    "SearchError",
    "agent_spec_ensure",
    "block_work_next",
    "default_agents_ensure",
    "level_archive",
    "level_create",
    "level_save",
    "level_try",
    "level_version_ensure",
    "levels_ensure_shipped",
    "playtest_reconcile",
    "playtest_request",
    "playtest_request_drawn",
    "playtest_request_file",
    "restart_work_next",
    "search_cancel",
    "search_request",
    "searches_reconcile",
    "what_if_copy",
    "what_if_keep",
    "what_if_request",
]
