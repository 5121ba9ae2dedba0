"""Small playtests that are really played."""

from datetime import timedelta
from functools import cache

from django.db.models.functions import Now

from engine.level import Level, draw_level
from personas.agent import load_agent
from personas.report import Report, playtest
from playtest.leases import LeaseState
from playtest.levels.models import AgentSpec, LevelVersion, PlaytestReport, TraceBlock
from playtest.levels.services import agent_spec_ensure, block_work_next, level_create

GAMES, SEED, ITERATIONS = 30, 5, 8
"""Two blocks of every agent, the first one short."""

AGENTS = ("random", "greedy", "vanilla")


def small_level(seed: int = 3, *, name: str = "Small") -> Level:
    return draw_level(rows=5, cols=5, colours=5, moves=4, seed=seed, name=name)


def make_version(level: Level | None = None) -> LevelVersion:
    return level_create(owner=None, level=small_level() if level is None else level)


def make_specs(*names: str, game: str = "match3") -> list[AgentSpec]:
    return [agent_spec_ensure(document=load_agent(name, game=game).document) for name in names or AGENTS]


@cache
def played_without_the_site(level: Level, *, games: int = GAMES) -> Report:
    """What the same question gives in one process, by the code of the command line."""
    agents = {name: load_agent(name, iterations=ITERATIONS) for name in AGENTS}
    return playtest(level, agents, games=games, seed=SEED)


def work_all(limit: int = 200) -> int:
    """Play until nothing waits; gives the number of blocks."""
    for count in range(limit):
        if not block_work_next(worker="test"):
            return count
    raise AssertionError("There is always more work.")


def fresh(report: PlaytestReport) -> PlaytestReport:
    return PlaytestReport.objects.get(pk=report.pk)


def let_leases_run_out() -> None:
    TraceBlock.objects.filter(state=LeaseState.LEASED).update(lease_until=Now() - timedelta(seconds=1))


def figures_of(report: PlaytestReport) -> dict[str, dict[str, object]]:
    """What the report says of each agent, in the words of the command line."""
    return {
        entry.agent_spec.name.lower(): {
            "games": entry.n,
            "score": {
                "mean": entry.score_mean,
                "sd": entry.score_sd,
                **{name: getattr(entry, name) for name in ("min", "q05", "q25", "median", "q75", "q95", "max")},
                "ci95": [entry.ci_lo, entry.ci_hi],
            },
            "legal_moves": {"mean": entry.legal_mean, "ci95": [entry.legal_lo, entry.legal_hi]},
        }
        for entry in report.entries.select_related("agent_spec").order_by("position")
    }


def figures_without_the_site(report: Report) -> dict[str, dict[str, object]]:
    found = report.to_json()["agents"]
    return {name: {key: value for key, value in agent.items() if key != "seconds"} for name, agent in found.items()}
