"""Words and numbers for people: outcomes instead of fitness, durations instead of seconds."""

from engine.game import get_game
from engine.search.settings import ONE_DRAW
from personas.evolution.presets import PRESETS
from playtest.evolution.models import EvolutionRun, Objective

MINIMISED = (Objective.MINS, Objective.MINM)
NAMES = {Objective.MAXS: "MaxS", Objective.MINS: "MinS", Objective.MAXM: "MaxM", Objective.MINM: "MinM"}
GOALS = {
    Objective.MAXS: "as many points as possible",
    Objective.MINS: "as few points as possible",
    Objective.MAXM: "as many legal moves as possible",
    Objective.MINM: "as few legal moves as possible",
}


def outcome_of(objective: int, fitness: float | None) -> float | None:
    """Points or legal moves as people count them; fitness is their negative where less is wanted."""
    if fitness is None:
        return None
    return -fitness if objective in MINIMISED else fitness


def outcome_name(objective: int) -> str:
    return "Points" if objective in (Objective.MAXS, Objective.MINS) else "Legal moves"


def outcome_digits(objective: int) -> int:
    """Decimal places that such an outcome is shown with."""
    return 0 if objective in (Objective.MAXS, Objective.MINS) else 2


def outcome_text(objective: int, value: float | None) -> str:
    return "–" if value is None else f"{value:,.{outcome_digits(objective)}f}"


def has_move_limit(run: EvolutionRun) -> bool:
    """Whether the number of moves in its configuration says something; else its games end by themselves."""
    return get_game(run.game).info.default_moves is not None


def is_graded(run: EvolutionRun) -> bool:
    """Whether simulations of the run are rewarded by degrees; else they win or lose."""
    return PRESETS[run.get_preset_display()].reward == "graded"


def reference_name(run: EvolutionRun) -> str:
    """What the plain search beside the population is: the paper's vanilla, or UCB1 with the search of the preset."""
    return "UCB1" if is_graded(run) else "Vanilla"


def rules_words(run: EvolutionRun) -> list[tuple[str, str]]:
    """What only the preset standard has, as terms and words; numbers of the run's own configuration."""
    if not is_graded(run):
        return []
    config = run.config
    stop, final = config.get("racing"), config.get("final_games")
    return [
        ("Reward", scale_words(run.objective, float(config["scale"]))),
        ("Simulations", lookahead_words(config.get("lookahead", 0))),
        ("Play-outs", draws_words(config.get("draws", ONE_DRAW))),
        ("Move chosen by", chosen_words(run)),
        ("Racing", f"the hopeless stop after {stop:,} games" if stop else "none: all play all games"),
        ("Finalists", f"the last best ten play {final:,} fresh games" if final else "none"),
    ]


def chosen_words(run: EvolutionRun) -> str:
    """What chooses the move after a search of the run's individuals."""
    final = run.config.get("final") or PRESETS[run.get_preset_display()].final
    return "the formula" if final == "formula" else "the highest mean reward"


def scale_words(objective: int, scale: float) -> str:
    """What a graded reward counts, for people."""
    unit = "point" if outcome_name(objective) == "Points" else "legal move"
    sign = "−1" if objective in MINIMISED else "1"
    return f"{sign} for every {scale:,g} {unit}{'' if scale == 1 else 's'} of the whole game"


def lookahead_words(lookahead: int) -> str:
    return f"{lookahead:,} move{'' if lookahead == 1 else 's'} ahead" if lookahead else "to the end of the game"


def draws_words(draws: int) -> str:
    """How the moves of a play-out are chosen."""
    return f"play-outs make the best looking of {draws:,} random moves" if draws > ONE_DRAW else "random moves"


def duration_words(seconds: float | None) -> str:
    """A length of time as one says it: rounded to what matters."""
    if seconds is None:
        return ""
    if seconds < 1:
        return "under a second"
    for limit, size, word in ((90, 1, "second"), (90 * 60, 60, "minute"), (36 * 3600, 3600, "hour")):
        if seconds < limit:
            count = max(1, round(seconds / size))
            return f"{count} {word}{'' if count == 1 else 's'}"
    count = round(seconds / 86_400)
    return f"{count} days"
