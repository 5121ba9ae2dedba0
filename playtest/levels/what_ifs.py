"""What-ifs as pages show them: what a change brings each agent, game by game with the same seeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from personas.report import mean_interval
from playtest.chart_shapes import Mark, interval_figure
from playtest.figure import Figure
from playtest.leases import LeaseState
from playtest.levels.boards import report_horizons
from playtest.levels.differences import Comparison, levels_compared
from playtest.levels.models import AgentSpec, LevelVersion, PlaytestReport, ReportState, TraceBlock, WhatIf
from playtest.levels.reading import Estimate
from playtest.levels.selectors import agent_label, agent_role, is_unfinished, report_note
from playtest.levels.traces import decode_block

AS_IT_IS = "As it is"
CHANGED = "Changed"
SHOWN = 10
"""Questions that the page of a level lists, the newest first."""


@dataclass(frozen=True)
class Outcome:
    """One number of an agent's games on both levels. `difference` is changed less as it is, over pairs of games."""

    before: float
    after: float
    difference: Estimate
    is_same_in_every_game: bool

    @property
    def verdict(self) -> str:
        """What the interval says, in words."""
        if self.is_same_in_every_game:
            return "the same in every game" if not self.difference.value else "by as much in every game"
        lo, hi = self.difference.lo, self.difference.hi
        if lo is None or hi is None:
            return "needs two games"
        return "more" if lo > 0 else "less" if hi < 0 else "no clear difference"


@dataclass(frozen=True)
class AgentChange:
    """One agent on both levels; `games` are pairs with the same seed. `score` is None while there is no pair."""

    role: str
    label: str
    games: int
    score: Outcome | None
    legal: Outcome | None
    """Mean number of legal moves of a game."""


def what_ifs_of(*, version: LevelVersion) -> list[WhatIf]:
    """The newest questions about a version."""
    found = WhatIf.objects.filter(level_version=version).select_related("base", "report__level_version", "requested_by")
    return list(found.order_by("-id")[:SHOWN])


def what_if_compared(what_if: WhatIf) -> Comparison:
    """The two levels side by side."""
    return levels_compared(what_if.level_version.document, what_if.document, names=(AS_IT_IS, CHANGED))


def agent_changes(what_if: WhatIf) -> list[AgentChange]:
    """Every agent of both playtests, by the games that both have so far."""
    before, after = (_games(report) for report in (what_if.base, what_if.report))
    entries = what_if.report.entries.select_related("agent_spec").order_by("position", "id")
    return [_change(entry.agent_spec, before, after) for entry in entries]


def change_figure(changes: Sequence[AgentChange], *, level_name: str) -> dict[str, Any] | None:
    """The difference of each agent's scores with its interval. None while nobody has a pair of games."""
    marks = [
        Mark(one.label, one.role, one.score.difference.value, one.score.difference.lo, one.score.difference.hi)
        for one in changes
        if one.score is not None
    ]
    said = "; ".join(f"{mark.label} {mark.value:+,.0f}" for mark in marks)
    return interval_figure(
        marks,
        axis="Points a game, changed less as it is",
        form="+,.0f",
        zero=True,
        description=f"What the change of {level_name} brings each agent. {said}.",
    )


def what_if_context(what_if: WhatIf) -> dict[str, Any]:
    """What `levels/_what_if.html` shows."""
    reports = (what_if.base, what_if.report)
    changes = agent_changes(what_if)
    return {
        "what_if": what_if,
        "changes": changes,
        "figure": _figure(what_if, changes),
        "topics": " ".join(f"report:{report.pk}" for report in reports if is_unfinished(report)),
        "rev": what_if_rev(what_if),
        "blocks_done": sum(report.blocks_done for report in reports),
        "blocks_total": sum(report.blocks_total for report in reports),
        "error": next((report.error for report in reports if report.state == ReportState.FAILED), ""),
    }


def _figure(what_if: WhatIf, changes: Sequence[AgentChange]) -> Figure | None:
    version = what_if.level_version
    spec = change_figure(changes, level_name=version.level.name)
    if spec is None:
        return None
    return Figure(
        key="what-if-figure",
        title=f"What a change of {version} brings each agent",
        spec=spec,
        caption="Point: mean of the differences, game by game. Line: its 95 % interval. Dashed: no difference.",
        note=f"{what_if_compared(what_if).sentence}. {report_note(what_if.report)}",
        csv=reverse("levels:what_if_csv", args=[version.level_id, what_if.pk]),
    )


def change_lines(what_if: WhatIf) -> Iterator[list[Any]]:
    """Every pair of games, agent by agent, after the names of the columns."""
    yield ["who", "game", "seed", "score", "score_changed", "legal_moves", "legal_moves_changed"]
    before, after = (_games(report) for report in (what_if.base, what_if.report))
    for entry in what_if.report.entries.select_related("agent_spec").order_by("position", "id"):
        old, new = before.get(entry.agent_spec_id, {}), after.get(entry.agent_spec_id, {})
        for number in sorted(old.keys() & new.keys()):
            (score, legal), (score_after, legal_after) = old[number], new[number]
            known = ["" if value is None else repr(value) for value in (legal, legal_after)]
            yield [agent_label(entry.agent_spec), number, what_if.report.seed, int(score), int(score_after), *known]


def what_if_rev(what_if: WhatIf) -> str:
    """What tells a page that there is something newer."""
    return f"{what_if.base.rev}.{what_if.report.rev}"


Games = Mapping[int, tuple[float, float | None]]
"""Score and mean number of legal moves, by the number of the game."""


def _games(report: PlaytestReport) -> dict[int, Games]:
    """The games of every agent that are there so far."""
    found: dict[int, dict[int, tuple[float, float | None]]] = {}
    done = TraceBlock.objects.filter(entry__report=report, state=LeaseState.DONE).order_by("entry_id", "number")
    for spec, data, first, count in done.values_list("entry__agent_spec_id", "data", "first_game", "games"):
        assert data is not None, "a constraint of the table"
        numbers = range(first, first + count)
        horizons = report_horizons(report, numbers)
        own = found.setdefault(spec, {})
        for number, horizon, game in zip(numbers, horizons, decode_block(data), strict=True):
            own[number] = (float(game.score), game.legal_mean(horizon))
    return dict(found)


def _change(spec: AgentSpec, before: Mapping[int, Games], after: Mapping[int, Games]) -> AgentChange:
    old, new = before.get(spec.pk, {}), after.get(spec.pk, {})
    pairs = [(old[number], new[number]) for number in sorted(old.keys() & new.keys())]
    # A game without a move has no legal moves before one: such a pair counts for the score alone.
    legal = [(one[1], other[1]) for one, other in pairs if one[1] is not None and other[1] is not None]
    return AgentChange(
        role=agent_role(spec),
        label=agent_label(spec),
        games=len(pairs),
        score=_outcome([(one[0], other[0]) for one, other in pairs]),
        legal=_outcome(legal),
    )


def _outcome(pairs: Sequence[tuple[float, float]]) -> Outcome | None:
    if not pairs:
        return None
    differences = [after - before for before, after in pairs]
    mean = sum(differences) / len(differences)
    is_same = len(pairs) > 1 and len(set(differences)) == 1
    lo, hi = mean_interval(differences) if len(pairs) > 1 and not is_same else (None, None)
    return Outcome(
        before=sum(one for one, _ in pairs) / len(pairs),
        after=sum(other for _, other in pairs) / len(pairs),
        difference=Estimate(mean, lo, hi),
        is_same_in_every_game=is_same,
    )
