"""Reading runs: lists, progress, what a run's page shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet, Sum

from playtest.accounts.models import User
from playtest.evolution.models import (
    ACTIVE,
    EvaluationSlice,
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    Objective,
    RunLog,
    Wanted,
)
from playtest.evolution.selectors.figures import NAMES, outcome_of, outcome_text, rules_words
from playtest.evolution.selectors.formulas import GoodFormula, best_individuals, good_formulas, place_words
from playtest.evolution.selectors.levels import RunLevel, run_level
from playtest.evolution.selectors.progress import (
    PACE_GENERATIONS,
    RunProgress,
    games_played,
    is_unattended,
    run_progress,
)
from playtest.leases import LeaseState

RUNS_SHOWN = 50
LOG_SHOWN = 40


@dataclass(frozen=True)
class RunLine:
    """A run in the list."""

    run: EvolutionRun
    name: str
    progress: RunProgress
    best_text: str
    """Outcome of the best formula of the last complete generation."""


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
    best: GoodFormula | None
    """The best formula of the last complete generation."""
    best_place: str
    """Where it stands."""
    others: Sequence[GoodFormula]
    """Those after it."""
    level: RunLevel | None
    """None: every game has a board of its own."""
    log: Sequence[RunLog]
    workers: int
    """Workers that hold a part of it now."""
    rules: Sequence[tuple[str, str]]
    """What the preset adds to the settings, in words."""
    rev: str
    """Of what is shown, as `run_rev` says it."""


def run_is_visible(user: User, pk: int) -> bool:
    """Whether this member of the staff may see the run: designers see all runs, admins launch them."""
    return user.is_active and EvolutionRun.objects.filter(pk=pk).exists()


def run_rev(*, pk: int) -> str | None:
    """Changes whenever the run's page would say something else; None if there is no such run."""
    run = EvolutionRun.objects.filter(pk=pk).first()
    return None if run is None else _rev(run, _workers(run))


def _rev(run: EvolutionRun, workers: int) -> str:
    """That of the row, and what changes without it: by the time, and when a worker takes a slice or gives it back."""
    parts = [str(run.rev), *(["waiting"] if is_unattended(run) else []), *([f"at{workers}"] if workers else [])]
    return "-".join(parts)


def _workers(run: EvolutionRun) -> int:
    return EvaluationSlice.objects.filter(generation__run=run, state=LeaseState.LEASED).count()


def runs_rev() -> str:
    """Changes whenever a run does, one is added, or one begins or ends to wait for a worker."""
    figures = EvolutionRun.objects.aggregate(count=Count("pk"), revs=Sum("rev"))
    active = EvolutionRun.objects.filter(state__in=ACTIVE, wanted=Wanted.RUN).defer("config").order_by("pk")
    waiting = [str(run.pk) for run in active if is_unattended(run)]
    return "-".join([str(figures["count"]), str(figures["revs"] or 0), *waiting])


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
    played = games_played(runs, [row for rows in generations.values() for row in rows])
    last = {run.pk: complete[-1] for run in runs if (complete := _complete(generations[run.pk]))}
    best = best_individuals(last.values())
    return [
        RunLine(
            run=run,
            name=run_name(run),
            progress=run_progress(run, generations[run.pk], played),
            best_text=_best_text(run, last.get(run.pk), best),
        )
        for run in runs
    ]


def _complete(rows: Sequence[Generation]) -> list[Generation]:
    return [row for row in rows if row.state != GenerationState.EVALUATING]


def _best_text(run: EvolutionRun, last: Generation | None, best: Mapping[int, Individual]) -> str:
    individual = best.get(last.pk) if last else None
    return outcome_text(run.objective, outcome_of(run.objective, individual.fitness) if individual else None)


def run_detail(*, pk: int) -> RunDetail | None:
    run = EvolutionRun.objects.select_related("owner", "cloned_from").filter(pk=pk).first()
    if run is None:
        return None
    rows = list(with_stopped(Generation.objects.filter(run=run)).defer("game_seeds").order_by("number"))
    complete = _complete(rows)
    formulas = good_formulas(run, complete[-1]) if complete else []
    workers = _workers(run)
    return RunDetail(
        run=run,
        name=run_name(run),
        progress=run_progress(run, rows, games_played([run], rows[-PACE_GENERATIONS - 1 :])),
        generations=[generation_line(run, row) for row in reversed(rows)],
        best=formulas[0] if formulas else None,
        best_place=place_words(run, complete[-1]) if formulas else "",
        others=formulas[1:],
        level=run_level(run),
        log=list(RunLog.objects.filter(run=run).order_by("-id")[:LOG_SHOWN]),
        rules=rules_words(run),
        workers=workers,
        rev=_rev(run, workers),
    )


def with_stopped(rows: QuerySet[Generation]) -> QuerySet[Generation]:
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
