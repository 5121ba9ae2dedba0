"""Reading several runs at once: side by side, and the best that any run found."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.game import get_game
from playtest.evolution.models import (
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    Objective,
    PersonaVersion,
    RunState,
)
from playtest.evolution.selectors.figures import (
    MINIMISED,
    NAMES,
    chosen_words,
    has_move_limit,
    is_graded,
    outcome_name,
    outcome_of,
    outcome_text,
)
from playtest.evolution.selectors.formulas import best_individuals, outcome_with_unit, place_words
from playtest.evolution.selectors.levels import boards_words, run_level
from playtest.evolution.selectors.personas import FormulaView, formula_view
from playtest.evolution.selectors.runs import GenerationLine, generation_line, run_name, with_stopped

MOST_COMPARED = 8
CHOICES_SHOWN = 100
FAME_SHOWN = 10
SETTINGS = {
    "persona": "Persona",
    "preset": "Preset",
    "game": "Game",
    "level": "Boards",
    "clairvoyant": "Sees what will fall",
    "population": "Population",
    "generations": "Generations",
    "games": "Games each",
    "iterations": "Simulations a move",
    "moves": "Moves a game",
    "scale": "Reward of 1 for",
    "lookahead": "Moves looked ahead",
    "draws": "Moves a play-out chooses from",
    "racing": "Games before the hopeless stop",
    "final_games": "Games of the finalists",
    "final": "The move is chosen by",
    "seed": "Seed",
}
"""What a run was told, in the order and the words of its page."""
NOT_AT_ALL = {"lookahead": "to the end", "racing": "none", "final_games": "none"}
"""What 0 means where it is no number."""


@dataclass(frozen=True)
class ComparedRun:
    """A run among others: its complete generations in order, and where it stands after the last one."""

    run: EvolutionRun
    name: str
    role: str
    lines: Sequence[GenerationLine]
    final: GenerationLine | None
    """The finalists, which played fresh boards: no generation among the others."""
    formula: FormulaView | None
    """The best formula of the finalists, or of the last complete generation."""
    formula_text: str
    """Where that one stands, and its outcome there."""

    @property
    def last(self) -> GenerationLine | None:
        return self.lines[-1] if self.lines else None

    def best(self, line: GenerationLine) -> float | None:
        """The best of a generation: the least where less is wanted."""
        return line.least if self.run.objective in MINIMISED else line.most


@dataclass(frozen=True)
class Setting:
    """One setting of all compared runs, in their order."""

    label: str
    values: Sequence[str]
    differs: bool


@dataclass(frozen=True)
class Comparison:
    """Runs whose outcomes can stand on one axis."""

    outcome: str
    digits: int
    runs: Sequence[ComparedRun]
    settings: Sequence[Setting]

    def generations(self) -> list[tuple[int, list[tuple[float | None, float | None]]]]:
        """The number of each generation, and best and median of every run there, None where it has not come so far."""
        found = [{line.row.number: (one.best(line), line.median) for line in one.lines} for one in self.runs]
        numbers = sorted({number for lines in found for number in lines})
        return [(number, [lines.get(number, (None, None)) for lines in found]) for number in numbers]


@dataclass(frozen=True)
class FamousLine:
    """The best formula of a run's last complete generation."""

    run: EvolutionRun
    run_name: str
    generation: Generation
    individual: Individual
    games: int
    """In which it reached the outcome, at most."""
    outcome_text: str
    lead_text: str
    """How much better than vanilla it was on the same boards, in the unit of the outcome; empty if unknown."""
    formula: FormulaView
    kept: PersonaVersion | None
    oddity: str
    """In which way the run's games were others than usual; empty if in none."""


@dataclass(frozen=True)
class Fame:
    """The best that was found for one objective in one game."""

    game: str
    game_title: str
    objective: Objective
    name: str
    role: str
    unit: str
    lines: Sequence[FamousLine]


def runs_to_choose() -> list[tuple[EvolutionRun, str]]:
    """Runs that have something to compare, the newest first, with their names."""
    runs = EvolutionRun.objects.filter(generation_rows__state__gt=GenerationState.EVALUATING).distinct()
    return [(run, run_name(run)) for run in runs.order_by("-pk")[:CHOICES_SHOWN]]


def runs_compared(*, pks: Iterable[int]) -> list[Comparison]:
    """The runs with these numbers: points never share an axis with legal moves, nor one game with another."""
    runs = list(EvolutionRun.objects.filter(pk__in=set(pks)).order_by("pk")[:MOST_COMPARED])
    rows: dict[int, list[Generation]] = {run.pk: [] for run in runs}
    complete = with_stopped(Generation.objects.filter(run__in=runs, state__gt=GenerationState.EVALUATING))
    for row in complete.defer("game_seeds").order_by("number"):
        rows[row.run_id].append(row)
    best = best_individuals([found[-1] for found in rows.values() if found])
    compared = [_compared(run, rows[run.pk], best) for run in runs]
    groups: dict[tuple[str, str], list[ComparedRun]] = {}
    for one in compared:
        groups.setdefault((one.run.game, outcome_name(one.run.objective)), []).append(one)
    are_several_games = len({game for game, _ in groups}) > 1
    return [
        Comparison(
            outcome=f"{outcome}, {get_game(game).info.title}" if are_several_games else outcome,
            digits=0 if outcome == "Points" else 2,
            runs=group,
            settings=_settings(group),
        )
        for (game, outcome), group in groups.items()
    ]


def hall_of_fame() -> list[Fame]:
    """For each game and objective the best formulas of finished runs, best first; each run enters once.

    Runs whose games were others than usual come last.
    """
    runs = list(EvolutionRun.objects.filter(state=RunState.FINISHED, current__gt=0))
    last = {
        row.run_id: row
        for row in Generation.objects.filter(run__in=runs, state__gt=GenerationState.EVALUATING)
        .defer("game_seeds")
        .order_by("number")
    }
    best = best_individuals(last.values())
    kept = {
        (version.run_id, version.generation, version.idx): version
        for version in PersonaVersion.objects.filter(run__in=runs).select_related("persona")
    }
    groups: dict[tuple[str, int], list[tuple[tuple[bool, float], FamousLine]]] = {}
    for run in runs:
        generation = last.get(run.pk)
        individual = best.get(generation.pk) if generation else None
        if generation is None or individual is None or individual.fitness is None:
            continue
        line = FamousLine(
            run=run,
            run_name=run_name(run),
            generation=generation,
            individual=individual,
            games=run.config["final_games"] if generation.number > run.generations else run.config["games"],
            outcome_text=outcome_text(run.objective, outcome_of(run.objective, individual.fitness)),
            lead_text=_lead_text(run.objective, individual.fitness, generation.vanilla),
            formula=formula_view(individual.formula, is_graded=is_graded(run)),
            kept=kept.get((run.pk, generation.number, individual.idx)),
            oddity=_oddity(run),
        )
        groups.setdefault((run.game, run.objective), []).append(((line.oddity != "", -individual.fitness), line))
    return [
        Fame(
            game=game,
            game_title=get_game(game).info.title,
            objective=Objective(objective),
            name=NAMES[Objective(objective)],
            role=Objective(objective).label,
            unit=outcome_name(objective),
            lines=[line for _, line in sorted(lines, key=lambda pair: pair[0])[:FAME_SHOWN]],
        )
        for (game, objective), lines in sorted(groups.items())
    ]


def _oddity(run: EvolutionRun) -> str:
    """In which way its games are others than usual, so that outcomes say nothing beside those of other runs."""
    usual = get_game(run.game).info.default_moves
    moves = run.config.get("moves", usual)
    found = ["clairvoyant"] if run.config.get("clairvoyant") else []
    level = run_level(run)
    found += [level.words] if level else []
    found += [f"{moves} moves"] if usual is not None and moves != usual else []
    return ", ".join(found)


def _compared(run: EvolutionRun, rows: Sequence[Generation], best: dict[int, Individual]) -> ComparedRun:
    individual = best.get(rows[-1].pk) if rows else None
    return ComparedRun(
        run=run,
        name=run_name(run),
        role=Objective(run.objective).label,
        lines=[generation_line(run, row) for row in rows if row.number <= run.generations],
        final=next((generation_line(run, row) for row in rows if row.number > run.generations), None),
        formula=formula_view(individual.formula, is_graded=is_graded(run)) if individual else None,
        formula_text=f"{place_words(run, rows[-1])}, {outcome_with_unit(run, individual)}" if individual else "",
    )


def _settings(compared: Sequence[ComparedRun]) -> list[Setting]:
    found = []
    for key, label in SETTINGS.items():
        values = [_setting_text(key, one.run) for one in compared]
        told = {json.dumps(one.run.config.get(key), sort_keys=True) for one in compared} if key == "level" else values
        found.append(Setting(label, values, len(set(told)) > 1))
    return found


def _setting_text(key: str, run: EvolutionRun) -> str:
    value: Any = run.config.get(key)
    if key == "level":
        return boards_words(run)
    if key == "moves" and not has_move_limit(run):
        return "–"
    if key == "draws" and value is None:
        return "random moves"
    if key == "final":
        return chosen_words(run)
    if value is None:
        return "–"
    if key == "persona":
        return NAMES[Objective[value.upper()]]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key == "game":
        return get_game(value).info.title
    if key == "seed":
        return str(value)
    if key in NOT_AT_ALL and value == 0:
        return NOT_AT_ALL[key]
    return f"{value:,}" if isinstance(value, int) else str(value)


def _lead_text(objective: int, fitness: float, vanilla: float | None) -> str:
    """Fitness is larger where the individual is better, whatever it counts."""
    if vanilla is None:
        return ""
    lead = fitness - vanilla
    return ("+" if lead >= 0 else "−") + outcome_text(objective, abs(lead))
