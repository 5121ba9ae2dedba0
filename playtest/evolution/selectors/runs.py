"""Reading runs: lists, progress, what a run's page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone

from playtest.accounts.models import User
from playtest.evolution.models import (
    ACTIVE,
    EvaluationSlice,
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    Objective,
    PersonaVersion,
    RunLog,
    Wanted,
)
from playtest.evolution.selectors.figures import (
    NAMES,
    duration_words,
    outcome_name,
    outcome_of,
    outcome_text,
    rules_words,
)
from playtest.leases import LeaseState

RUNS_SHOWN = 50
LOG_SHOWN = 40
PACE_GENERATIONS = 5
UNATTENDED_SECONDS = 30.0


@dataclass(frozen=True)
class RunProgress:
    """How far a run is. `seconds_left` is an estimate, None where there is nothing to estimate from."""

    share: float
    generation: int
    generations: int
    slices_done: int
    slices_total: int
    seconds_left: float | None
    is_unattended: bool
    """It should go on, and no worker has touched it for a while."""

    @property
    def percent(self) -> int:
        return int(self.share * 100)

    @property
    def time_left(self) -> str:
        return duration_words(self.seconds_left)


@dataclass(frozen=True)
class RunLine:
    """A run in the list."""

    run: EvolutionRun
    name: str
    progress: RunProgress
    best_text: str
    """Best outcome of the last complete generation."""


@dataclass(frozen=True)
class GenerationLine:
    """A generation's figures as outcomes: points or legal moves, not fitness."""

    row: Generation
    least: float | None
    median: float | None
    most: float | None
    vanilla: float | None
    random: float | None
    goal: float | None
    is_complete: bool
    is_final: bool
    """The finalists of the last generation, on fresh boards."""
    stopped: int
    """Individuals that stopped early."""

    @property
    def shapes(self) -> str:
        """Share of different shapes among the formulas."""
        return "" if self.row.diversity is None else f"{self.row.diversity:.0%}"


@dataclass(frozen=True)
class RunDetail:
    run: EvolutionRun
    name: str
    progress: RunProgress
    generations: Sequence[GenerationLine]
    """Newest first."""
    best: Individual | None
    """The best individual of the last complete generation."""
    best_text: str
    """Its outcome with the unit."""
    kept: PersonaVersion | None
    """The persona that this individual was kept as, if it was."""
    log: Sequence[RunLog]
    workers: int
    """Workers that hold a part of it now."""
    rules: Sequence[tuple[str, str]]
    """What the preset adds to the settings, in words."""
    best_place: str
    """Where the best individual stands."""


def run_is_visible(user: User, pk: int) -> bool:
    """Whether this member of the staff may see the run: designers see all runs, admins launch them."""
    return user.is_active and EvolutionRun.objects.filter(pk=pk).exists()


def run_rev(*, pk: int) -> int | None:
    return EvolutionRun.objects.values_list("rev", flat=True).filter(pk=pk).first()


def runs_rev() -> str:
    """Changes whenever a run does, or one is added."""
    figures = EvolutionRun.objects.aggregate(count=Count("pk"), revs=Sum("rev"))
    return f"{figures['count']}-{figures['revs'] or 0}"


def run_name(run: EvolutionRun) -> str:
    return f"{NAMES[Objective(run.objective)]}, run {run.pk}"


def runs_page(*, page: str | None = None) -> Page[EvolutionRun]:
    """Runs, the newest first, `RUNS_SHOWN` a page; the nearest page that there is."""
    return Paginator(EvolutionRun.objects.select_related("owner").order_by("-pk"), RUNS_SHOWN).get_page(page)


def runs_list(runs: Sequence[EvolutionRun]) -> list[RunLine]:
    """What the list says of each of these runs."""
    generations: dict[int, list[Generation]] = {run.pk: [] for run in runs}
    recent = Generation.objects.filter(run__in=runs, number__gt=F("run__current") - PACE_GENERATIONS - 1)
    for row in recent.defer("game_seeds").order_by("number"):
        generations[row.run_id].append(row)
    return [
        RunLine(
            run=run,
            name=run_name(run),
            progress=_progress(run, generations[run.pk]),
            best_text=_best_text(run, generations[run.pk]),
        )
        for run in runs
    ]


def _best_text(run: EvolutionRun, rows: Sequence[Generation]) -> str:
    complete = [row for row in rows if row.state != GenerationState.EVALUATING]
    return outcome_text(run.objective, outcome_of(run.objective, complete[-1].fit_max) if complete else None)


def run_detail(*, pk: int) -> RunDetail | None:
    run = EvolutionRun.objects.select_related("owner", "cloned_from").filter(pk=pk).first()
    if run is None:
        return None
    rows = list(_with_stopped(Generation.objects.filter(run=run)).defer("game_seeds").order_by("number"))
    complete = [row for row in rows if row.state != GenerationState.EVALUATING]
    best = None
    kept = None
    if complete and complete[-1].best_idx is not None:
        best = Individual.objects.select_related("generation").get(generation=complete[-1], idx=complete[-1].best_idx)
        kept = _kept(run).filter(generation=complete[-1].number, idx=best.idx).first()
    return RunDetail(
        run=run,
        name=run_name(run),
        progress=_progress(run, rows),
        generations=[generation_line(run, row) for row in reversed(rows)],
        best=best,
        best_text=f"{_best_text(run, rows)} {outcome_name(run.objective).lower()}",
        kept=kept,
        log=list(RunLog.objects.filter(run=run).order_by("-id")[:LOG_SHOWN]),
        rules=rules_words(run),
        best_place=_place(run, best),
        workers=EvaluationSlice.objects.filter(generation__run=run, state=LeaseState.LEASED).count(),
    )


def _place(run: EvolutionRun, best: Individual | None) -> str:
    if best is None:
        return ""
    if best.generation.number > run.generations:
        return f"Best of the last generation on {len(best.generation.game_seeds):,} fresh games"
    return f"Generation {best.generation.number}"


def _kept(run: EvolutionRun) -> QuerySet[PersonaVersion]:
    return PersonaVersion.objects.select_related("persona").filter(run=run)


def _with_stopped(rows: QuerySet[Generation]) -> QuerySet[Generation]:
    """The rows with the number of their individuals that stopped early."""
    return rows.annotate(stopped=Count("individuals", filter=Q(individuals__partial=True)))


def generation_line(run: EvolutionRun, row: Generation) -> GenerationLine:
    """A generation's figures as people count them."""
    ends = [outcome_of(run.objective, value) for value in (row.fit_min, row.fit_max)]
    known = [end for end in ends if end is not None]
    return GenerationLine(
        row=row,
        least=min(known, default=None),
        median=outcome_of(run.objective, row.fit_median),
        most=max(known, default=None),
        vanilla=outcome_of(run.objective, row.vanilla),
        random=outcome_of(run.objective, row.random),
        goal=outcome_of(run.objective, row.goal),
        is_complete=row.state != GenerationState.EVALUATING,
        is_final=row.number > run.generations,
        stopped=getattr(row, "stopped", 0),
    )


def _progress(run: EvolutionRun, rows: Sequence[Generation]) -> RunProgress:
    """From the run's last generations, in order; those before them are complete."""
    complete = [row for row in rows if row.state != GenerationState.EVALUATING]
    current = next((row for row in rows if row.state == GenerationState.EVALUATING), None)
    done = run.current - (current is not None) + (current.slices_done / current.slices_total if current else 0.0)
    goes_on = run.state in ACTIVE and run.wanted == Wanted.RUN
    last = max((at for at in (run.heartbeat_at, run.wanted_at) if at is not None), default=run.created_at)
    return RunProgress(
        share=min(1.0, done / _steps(run)),
        generation=run.generations_begun,
        generations=run.generations,
        slices_done=current.slices_done if current else 0,
        slices_total=current.slices_total if current else 0,
        seconds_left=_seconds_left(run, complete, done) if goes_on else None,
        is_unattended=goes_on and (timezone.now() - last).total_seconds() > UNATTENDED_SECONDS,
    )


def _steps(run: EvolutionRun) -> int:
    """Generations, with the finalists as one more."""
    return run.generations + bool(run.config.get("final_games"))


def _seconds_left(run: EvolutionRun, complete: Sequence[Generation], done: float) -> float | None:
    """By the pace of the last generations; before there are any, by the share of the first one that is done."""
    paces = [_seconds_between(row.created_at, row.completed_at) for row in complete[-PACE_GENERATIONS:]]
    left = _steps(run) - done
    if paces:
        return median(paces) * left
    if done and run.started_at:
        return _seconds_between(run.started_at, timezone.now()) / done * left
    return None


def _seconds_between(begin: datetime, end: datetime | None) -> float:
    return max(0.0, ((end or timezone.now()) - begin).total_seconds())
