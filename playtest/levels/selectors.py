"""What pages read of levels and playtests."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Max, Min, QuerySet

from engine.game import get_game
from personas.report import summarise
from playtest.accounts.models import User
from playtest.charts import Figures
from playtest.leases import LeaseState
from playtest.levels.boards import report_horizons
from playtest.levels.digest import engine_digest
from playtest.levels.models import (
    AgentKind,
    AgentSpec,
    Level,
    LevelVersion,
    PlaytestEntry,
    PlaytestReport,
    ReportState,
    TraceBlock,
    Trigger,
)
from playtest.levels.traces import block_figures

ROLES = {AgentKind.RANDOM: "random", AgentKind.GREEDY: "greedy", AgentKind.MCTS: "vanilla"}
"""Which of the charts' fixed colours an agent has; a persona's is its objective's."""

REPORTS_SHOWN = 20


@dataclass(frozen=True)
class LevelRow:
    """A level in the list, with the last report on it, if any, and the least and greatest median score there."""

    level: Level
    version: LevelVersion
    report: PlaytestReport | None
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True)
class Legal:
    """Mean number of legal moves before a move, over games; the interval needs two games."""

    mean: float
    lo: float | None
    hi: float | None


@dataclass(frozen=True)
class EntryShown:
    """One agent of a report as pages show it. While games are missing the figures are those of the games so far."""

    entry: PlaytestEntry
    role: str
    label: str
    figures: Figures | None
    legal: Legal | None
    is_complete: bool


def level_rows(level_ids: Sequence[int]) -> list[LevelRow]:
    """Levels as the library lists them, in this order."""
    found = Level.objects.filter(pk__in=level_ids, current__isnull=False)
    found = found.select_related("current", "owner").defer("current__document")
    by_id = {level.pk: level for level in found}
    levels = [by_id[pk] for pk in level_ids if pk in by_id]
    versions = {level.pk: level.current for level in levels if level.current is not None}
    reports = reports_newest(boards_hashes=[version.hash for version in versions.values()])
    ranges = _median_ranges([report.pk for report in reports.values()])
    rows = []
    for level in levels:
        version = versions[level.pk]
        report = reports.get(version.hash)
        lowest, highest = ranges.get(report.pk, (None, None)) if report else (None, None)
        rows.append(LevelRow(level=level, version=version, report=report, lowest=lowest, highest=highest))
    return rows


def _median_ranges(report_ids: Sequence[int]) -> dict[int, tuple[float | None, float | None]]:
    """Least and greatest median score of the agents of each report."""
    medians = PlaytestEntry.objects.filter(report__in=report_ids, n__isnull=False).values("report_id")
    ranges = medians.annotate(lowest=Min("median"), highest=Max("median")).order_by("report_id")
    return {row["report_id"]: (row["lowest"], row["highest"]) for row in ranges}


def may_edit(user: User, level: Level) -> bool:
    """Whether this member of the staff may save versions of a level. A shipped one follows the program: copy it."""
    return level.shipped is None and (user.is_admin or level.owner_id == user.pk)


def level_with_hash(*, content_hash: str) -> Level | None:
    """The level of the library whose newest version plays exactly so, or None."""
    current = Level.objects.filter(current__hash=content_hash, archived_at__isnull=True)
    return current.order_by("id").first()


def version_with_hash(*, content_hash: str) -> LevelVersion | None:
    """The oldest version in the library that plays exactly so, or None."""
    return LevelVersion.objects.select_related("level").filter(hash=content_hash).order_by("id").first()


def _reports() -> QuerySet[PlaytestReport]:
    """Those that answer how a level plays. Showcases of a persona play boards of the same kind, with few players."""
    return PlaytestReport.objects.exclude(trigger=Trigger.SHOWCASE)


def reports_on(*, boards_hash: str) -> QuerySet[PlaytestReport]:
    """Reports on these boards, the newest first."""
    return _reports().filter(boards_hash=boards_hash).select_related("level_version").order_by("-id")


def reports_shown(*, boards_hash: str) -> QuerySet[PlaytestReport]:
    """Those of them that a level's page lists."""
    return reports_on(boards_hash=boards_hash)[:REPORTS_SHOWN]


def report_wanted(reports: Iterable[PlaytestReport], wanted: str) -> PlaytestReport | None:
    """The one that an address asks for by its number, else the newest, of reports of which the newest stands first."""
    reports = list(reports)
    return next((one for one in reports if str(one.pk) == wanted), reports[0] if reports else None)


def report_newest(*, boards_hash: str) -> PlaytestReport | None:
    return reports_on(boards_hash=boards_hash).first()


def reports_newest(*, boards_hashes: Iterable[str]) -> dict[str, PlaytestReport]:
    """The newest report on each of these boards, by their hash."""
    found = _reports().filter(boards_hash__in=set(boards_hashes)).defer("document").order_by("id")
    return {report.boards_hash: report for report in found}


def report_is_visible(user: User, pk: int) -> bool:
    """Every member of the staff may see every report that exists."""
    return PlaytestReport.objects.filter(pk=pk).exists()


def report_is_outdated(*, report: PlaytestReport) -> bool:
    """Whether other code played it: asking again would give a new report."""
    return report.engine_digest != engine_digest()


def boards_name(report: PlaytestReport) -> str:
    """What to call the boards of a report."""
    if report.level_version is not None:
        return str(report.level_version)
    return "random boards" if report.level_file is None else "a changed level"


def report_note(report: PlaytestReport) -> str:
    """What figures of the agents' games are made of, for their captions."""
    games = f"{report.games:,} {'game' if report.games == 1 else 'games'} of each agent"
    if is_unfinished(report):
        games = f"{games} when all is played, {report.blocks_done} of {report.blocks_total} parts so far"
    return (
        f"Agents: n = {games}, {report.iterations:,} simulations a move, seed {report.seed}, "
        f"rules version {report.game_version}, program {report.engine_digest[:12]}."
    )


def entries_shown(*, report: PlaytestReport) -> list[EntryShown]:
    """The report's agents in order, each with its figures, or those of its games so far."""
    entries = list(report.entries.select_related("agent_spec").order_by("position", "id"))
    partial = [entry.pk for entry in entries if entry.n is None and entry.blocks_done]
    so_far = _figures_so_far(report, partial)
    return [_entry_shown(entry, so_far.get(entry.pk)) for entry in entries]


def agent_role(spec: AgentSpec) -> str:
    """The name of the agent's colour in charts."""
    return spec.objective or ROLES.get(AgentKind(spec.kind)) or "other"


def agent_label(spec: AgentSpec) -> str:
    """The agent's name for people. Whoever saw the queue is called so wherever results are shown."""
    name = spec.name if spec.kind in (AgentKind.MCTS, AgentKind.FORMULA, AgentKind.SOLVER) else spec.name.capitalize()
    return f"{name} (clairvoyant)" if spec.clairvoyant else name


def summary_figures(values: Sequence[float]) -> Figures | None:
    """Figures of any values. None for no values; the interval of the mean needs two."""
    if not values:
        return None
    summary = summarise(values)
    lo, hi = summary["ci95"] if len(values) > 1 else (None, None)
    return Figures(
        n=len(values),
        mean=summary["mean"],
        sd=summary["sd"] if len(values) > 1 else None,
        q05=summary["q05"],
        q25=summary["q25"],
        median=summary["median"],
        q75=summary["q75"],
        q95=summary["q95"],
        least=summary["min"],
        most=summary["max"],
        ci_lo=lo,
        ci_hi=hi,
    )


def game_title(name: str) -> str:
    """What people call the game."""
    return get_game(name).info.title


def is_unfinished(report: PlaytestReport) -> bool:
    return report.state in (ReportState.WAITING, ReportState.RUNNING)


def _figures_so_far(report: PlaytestReport, entry_ids: Sequence[int]) -> dict[int, tuple[list[int], list[float]]]:
    """Scores and legal means of the games that these entries have so far."""
    found: dict[int, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    done = TraceBlock.objects.filter(entry__in=entry_ids, state=LeaseState.DONE).order_by("number")
    for entry_id, data, first, games in done.values_list("entry_id", "data", "first_game", "games"):
        assert data is not None
        scores, legal = block_figures(data, report_horizons(report, range(first, first + games)))
        found[entry_id][0].extend(scores)
        found[entry_id][1].extend(legal)
    return dict(found)


def _entry_shown(entry: PlaytestEntry, so_far: tuple[list[int], list[float]] | None) -> EntryShown:
    if entry.n is not None:
        figures: Figures | None = _stored_figures(entry)
        legal = _stored_legal(entry)
    else:
        figures = summary_figures(so_far[0]) if so_far else None
        of_legal = summary_figures(so_far[1]) if so_far else None
        legal = Legal(of_legal.mean, of_legal.ci_lo, of_legal.ci_hi) if of_legal else None
    return EntryShown(
        entry=entry,
        role=agent_role(entry.agent_spec),
        label=agent_label(entry.agent_spec),
        figures=figures,
        legal=legal,
        is_complete=entry.n is not None,
    )


def _stored_legal(entry: PlaytestEntry) -> Legal | None:
    return None if entry.legal_mean is None else Legal(entry.legal_mean, entry.legal_lo, entry.legal_hi)


def _stored_figures(entry: PlaytestEntry) -> Figures:
    """The figures of a finished entry."""
    n = round(_stored(entry.n))
    return Figures(
        n=n,
        mean=_stored(entry.score_mean),
        sd=entry.score_sd if n > 1 else None,
        q05=_stored(entry.q05),
        q25=_stored(entry.q25),
        median=_stored(entry.median),
        q75=_stored(entry.q75),
        q95=_stored(entry.q95),
        least=_stored(entry.min),
        most=_stored(entry.max),
        ci_lo=entry.ci_lo,
        ci_hi=entry.ci_hi,
    )


def _stored(value: float | None) -> float:
    """A figure that a finished entry has."""
    if value is None:
        raise ValueError("The entry is not finished.")
    return value
