"""What the app keeps: levels and their versions, agents as data, playtests, and searches for par."""

from playtest.levels.models.agents import AgentKind, AgentSpec, DefaultAgent
from playtest.levels.models.levels import SEED_LIMIT, Level, LevelVersion, seed_condition
from playtest.levels.models.playtests import (
    TRACE_FORMAT,
    PlaytestEntry,
    PlaytestReport,
    ReportState,
    TraceBlock,
    Trigger,
    WhatIf,
)
from playtest.levels.models.searches import UNFINISHED_SEARCH, ParSearch, Restart, SearchState

__all__ = [
    "SEED_LIMIT",
    "TRACE_FORMAT",
    "UNFINISHED_SEARCH",
    "AgentKind",
    "AgentSpec",
    "DefaultAgent",
    "Level",
    "LevelVersion",
    "ParSearch",
    "PlaytestEntry",
    "PlaytestReport",
    "ReportState",
    "Restart",
    "SearchState",
    "TraceBlock",
    "Trigger",
    "WhatIf",
    "seed_condition",
]
