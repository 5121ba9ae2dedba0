"""The best formulas of runs, each with its own outcome."""

from collections.abc import Iterable
from dataclasses import dataclass

from playtest.evolution.models import EvolutionRun, Generation, Individual, PersonaVersion
from playtest.evolution.selectors.figures import is_graded, outcome_name, outcome_of, outcome_text
from playtest.evolution.selectors.personas import FormulaView, formula_view

FORMULAS_SHOWN = 5


@dataclass(frozen=True)
class GoodFormula:
    """One of the best formulas of a generation."""

    rank: int
    individual: Individual
    outcome_text: str
    """What it reached there, with the unit."""
    formula: FormulaView
    kept: PersonaVersion | None
    """The persona that it was kept as, if it was."""

    @property
    def key(self) -> str:
        """Its name in the page: of this formula, in whatever generation it stands."""
        return self.individual.fingerprint[:16]


def best_individuals(generations: Iterable[Generation]) -> dict[int, Individual]:
    """The best individual of each of these generations, by the generation's key."""
    wanted = {row.pk: row.best_idx for row in generations if row.best_idx is not None}
    found = Individual.objects.filter(generation__in=wanted, idx__in=set(wanted.values())).defer("per_game")
    return {row.generation_id: row for row in found if wanted[row.generation_id] == row.idx}


def good_formulas(run: EvolutionRun, generation: Generation) -> list[GoodFormula]:
    """The few best of a complete generation. Equivalent formulas are in it once.

    First whoever stands best, over all games that it ever played if the preset says so; then by the outcome in the
    games of this generation, without those that stopped early.
    """
    best = best_individuals([generation]).get(generation.pk)
    if best is None:
        return []
    others = Individual.objects.filter(generation=generation, fitness__isnull=False, partial=False)
    others = others.exclude(pk=best.pk).defer("per_game").order_by("-fitness", "idx")[: FORMULAS_SHOWN - 1]
    kept = {
        version.idx: version
        for version in PersonaVersion.objects.select_related("persona").filter(run=run, generation=generation.number)
    }
    return [
        GoodFormula(
            rank=rank,
            individual=one,
            outcome_text=outcome_with_unit(run, one),
            formula=formula_view(one.formula, is_graded=is_graded(run)),
            kept=kept.get(one.idx),
        )
        for rank, one in enumerate([best, *others], 1)
    ]


def outcome_with_unit(run: EvolutionRun, individual: Individual) -> str:
    """What it reached in the games of its generation."""
    outcome = outcome_text(run.objective, outcome_of(run.objective, individual.fitness))
    return f"{outcome} {outcome_name(run.objective).lower()}"


def place_words(run: EvolutionRun, generation: Generation) -> str:
    """Where the best formula of a generation stands."""
    if generation.number > run.generations:
        return f"Best of the last generation on {len(generation.game_seeds):,} fresh games"
    return f"Generation {generation.number}"
