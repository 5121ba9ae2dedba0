"""What a run does by its preset: the paper's experiment, or ours. `docs/algorithms/evolution.md` gives the reasons.

Sizes (population, generations, games, iterations, moves) are the run's own; everything else that the paper fixes
stands here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.formula import PAPER_VARIABLES, VARIABLES

TUNING_STEP = 0.4


@dataclass(frozen=True)
class Preset:
    """operators, variables: what formulas are made of, beside constants that are uniform from 0 to 10
    heights: least and greatest height of a formula, in edges, of the tree as it is
    mutation_heights: of the full subtree that replaces one in a mutation
    constant_chance: how often a mutant has a constant drawn anew first
    tuning_chance: how often a mutant of a parent with constants has nothing changed but these, each by a factor whose
        logarithm is normal with the deviation TUNING_STEP
    elites_one_in: of so many individuals one enters the next generation unchanged
    mutants_one_in: of so many places that the elites leave one goes to a mutant, the rest to crossover
    must_tell_children_apart: whether formulas that read no variable of a child are refused; constants are such
    begins_with_written: whether the first population holds the selections of `personas.evolution.written`
    signed: whether rewards may be negative, which equivalence must respect
    tree, reward, playout, final: the search of the individuals, see `personas.persona.SearchSettings`; a run of the
        preset standard may choose another final
    by_standing: whether individuals are ranked by all that is known of them, see `personas.evolution.standing`; else by
        the fitness of their generation
    tournament: parents are the best of so many individuals drawn at random; 1: anybody, as in the paper
    finalists: so many of the last generation play again on fresh seeds, and the best there is kept; 0: none, the best
        of the last generation is kept. Selections that the first population began with play beside them, as many again
    """

    name: str
    operators: tuple[str, ...]
    variables: tuple[str, ...]
    must_tell_children_apart: bool
    begins_with_written: bool
    signed: bool
    tree: str
    reward: str
    playout: str
    final: str
    by_standing: bool
    tournament: int
    finalists: int
    heights: tuple[int, int] = (2, 6)
    mutation_heights: tuple[int, int] = (0, 2)
    constant_chance: float = 0.5
    tuning_chance: float = 0.0
    elites_one_in: int = 10
    mutants_one_in: int = 2


STANDARD = Preset(
    name="standard",
    operators=("add", "sub", "mul", "div", "sqrt", "log", "min", "max"),
    variables=VARIABLES,
    must_tell_children_apart=True,
    begins_with_written=True,
    signed=True,
    tree="open",
    reward="graded",
    playout="end",
    final="mean",
    by_standing=True,
    tournament=3,
    finalists=10,
    tuning_chance=0.3,
)
REPLICATION = Preset(
    name="replication",
    operators=("add", "mul", "div", "sqrt"),
    variables=PAPER_VARIABLES,
    must_tell_children_apart=False,
    begins_with_written=False,
    signed=False,
    tree="closed",
    reward="win",
    playout="literal",
    final="formula",
    by_standing=False,
    tournament=1,
    finalists=0,
)
PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in (STANDARD, REPLICATION)}
