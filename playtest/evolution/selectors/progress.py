"""How far runs are, how long they will take, and whether anybody is at them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import Sum
from django.utils import timezone

from personas.evolution import RunConfig
from playtest.evolution.models import ACTIVE, EvolutionRun, Generation, GenerationState, Individual, Wanted
from playtest.evolution.selectors.figures import duration_words

PACE_GENERATIONS = 5
UNATTENDED_SECONDS = 30.0


@dataclass(frozen=True)
class RunProgress:
    """How far a run is. `seconds_left` is an estimate, None where there is nothing to estimate from."""

    share: float
    """Of its games: the finalists play many more than a generation does, or fewer."""
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


def is_unattended(run: EvolutionRun) -> bool:
    """Whether it should go on and no worker has touched it for a while: so at one time, and no more at another."""
    last = max((at for at in (run.heartbeat_at, run.wanted_at) if at is not None), default=run.created_at)
    return _goes_on(run) and (timezone.now() - last).total_seconds() > UNATTENDED_SECONDS


def games_played(runs: Iterable[EvolutionRun], rows: Iterable[Generation]) -> dict[int, int]:
    """Games that were played in these generations, by their keys, of runs whose time left depends on it."""
    wanted = {run.pk for run in runs if _goes_on(run) and run.config.get("racing") and run.config.get("final_games")}
    keys = [row.pk for row in rows if row.run_id in wanted]
    if not keys:
        return {}
    counted = Individual.objects.filter(generation__in=keys).values("generation_id")
    return {row["generation_id"]: row["games"] for row in counted.annotate(games=Sum("games_done"))}


def run_progress(run: EvolutionRun, rows: Sequence[Generation], played: Mapping[int, int]) -> RunProgress:
    """From the run's last generations, in order; those before them are complete. `played` is of `games_played`."""
    complete = [row for row in rows if row.state != GenerationState.EVALUATING]
    current = next((row for row in rows if row.state == GenerationState.EVALUATING), None)
    each, final = _games(run)
    of_generations, of_final = _games_done(run, current, each, final)
    done, total = of_generations + of_final, run.generations * each + final
    seconds_left = None
    if _goes_on(run):
        left = run.generations * each - of_generations, final - of_final
        seconds_left = _seconds_left(run, complete, played, left=left, each=each, done=done)
    return RunProgress(
        share=min(1.0, done / total),
        generation=run.generations_begun,
        generations=run.generations,
        slices_done=current.slices_done if current else 0,
        slices_total=current.slices_total if current else 0,
        seconds_left=seconds_left,
        is_unattended=is_unattended(run),
    )


def _goes_on(run: EvolutionRun) -> bool:
    return run.state in ACTIVE and run.wanted == Wanted.RUN


def _games(run: EvolutionRun) -> tuple[int, int]:
    """Games of a generation and of the finalists: how many play times how many each plays."""
    each = run.config.get("population", 1) * run.config.get("games", 1)
    if not run.config.get("final_games"):
        return each, 0
    return each, RunConfig.from_document(run.config).most_finalists * run.config["final_games"]


def _games_done(run: EvolutionRun, current: Generation | None, each: int, final: int) -> tuple[float, float]:
    """Games of the generations and of the finalists that are done, by the slices of those that play now."""
    complete = run.current - (current is not None)
    share = current.slices_done / current.slices_total if current else 0.0
    if run.has_finalists:
        return run.generations * each, final * (1.0 if current is None else share)
    return (complete + share) * each, 0.0


def _seconds_left(
    run: EvolutionRun,
    complete: Sequence[Generation],
    played: Mapping[int, int],
    *,
    left: tuple[float, float],
    each: int,
    done: float,
) -> float | None:
    """By the pace of the last generations; before there are any, by the share of the first one that is done."""
    rows = [row for row in complete if row.number <= run.generations][-PACE_GENERATIONS:]
    seconds = [_seconds_between(row.created_at, row.completed_at) for row in rows]
    if rows:
        # Where the hopeless stop, a generation plays fewer games than it might. Finalists play all of theirs.
        of_game = median(taken / (played.get(row.pk) or each) for row, taken in zip(rows, seconds, strict=True))
        return median(seconds) * left[0] / each + of_game * left[1]
    if done and run.started_at:
        return _seconds_between(run.started_at, timezone.now()) / done * sum(left)
    return None


def _seconds_between(begin: datetime, end: datetime | None) -> float:
    return max(0.0, ((end or timezone.now()) - begin).total_seconds())
