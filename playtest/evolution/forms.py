"""The form of a new run."""

import secrets
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from engine.game import games, get_game
from personas.agent import AgentError
from personas.agents.tree_search import SearchAgent
from personas.evolution import ConfigError, RunConfig
from personas.evolution.config import DEFAULT_MOVES, FEWEST_BEFORE_STOP, LIMITS, SCALES, STANDARD_ONLY
from personas.evolution.presets import STANDARD
from personas.persona import LARGEST_FILE, Persona, PersonaError, decode_persona
from playtest.evolution.models import EvolutionRun, Objective, Priority
from playtest.evolution.selectors.figures import GOALS, NAMES
from playtest.evolution.selectors.levels import level_version, levels_to_choose, run_level
from playtest.fields import WholeField
from playtest.levels.selectors import game_title

FIRST_TRY = {"population": 40, "generations": 20, "games": 20, "iterations": 250}
PAPER = {"population": 100, "generations": 100, "games": 50, "iterations": 250}
SIZES = {"": FIRST_TRY, "paper": PAPER, "replication": PAPER}

LABELS = {
    "population": "Population",
    "generations": "Generations",
    "games": "Games each",
    "iterations": "Simulations a move",
    "moves": "Moves a game",
    "seed": "Seed",
    "scale": "Reward of 1 for",
    "lookahead": "Moves looked ahead",
    "draws": "Moves a play-out chooses from",
    "racing": "Games before the hopeless stop",
    "final_games": "Games of the finalists",
    "final": "The move is chosen by",
}
HELP = {
    "population": "How many formulas compete at a time. A tenth of them goes on unchanged, the rest is bred.",
    "generations": "How often the population is renewed. The persona is the best of the last one.",
    "games": "Every formula plays this many games in a generation, on boards that are drawn anew each time, unless all "
    "are on one level. More games mean less luck.",
    "iterations": "How far a persona thinks before each move. 250 is the paper's.",
    "moves": f"Length of a game. Empty: the level's, or {DEFAULT_MOVES} on random boards, as in the paper. Only where "
    "the game has a limit: SameGame ends by itself.",
    "seed": "All chance comes from this number: the same seed and the same numbers give the same persona again.",
    "scale": f"Points, or legal moves, of a whole game. Empty: {SCALES['maxs']:,} points or {SCALES['maxm']} legal "
    "moves.",
    "lookahead": "How many moves a simulation plays at most. Fewer are faster and often better. "
    "Empty or 0: to the end of the game.",
    "draws": "Before each of its moves a play-out draws so many and makes the one that promises most at once. More are "
    "slower, and better for MaxM. Empty or 1: random play-outs, as in the paper.",
    "racing": "Whoever cannot reach the best tenth any more after so many games plays no further. Empty or 0: all play "
    "all games.",
    "final_games": "The best ten of the last generation, and ten formulas written by hand, play so many games more, on "
    f"fresh boards, and the best there is kept. Empty: {STANDARD_ONLY['final_games']}. 0: none.",
    "final": "After its search. A formula that chooses the move as well learns to judge moves, and not only which of "
    "them to look at.",
}
FINAL_WORDS = {"": "the highest mean reward", "formula": "the formula, as it stands after the search"}
PRESET_WORDS = {
    "standard": "Standard: the best player that we can find. The search judges a game by how good it was, and meets "
    "other pieces in every simulation.",
    "replication": "Replication: the experiment of the paper, step by step. A game is won or lost against the goal of "
    "the generation before, and formulas know four variables only.",
}


def draw_seed() -> int:
    return secrets.randbelow(10**6)


def settings_of(run: EvolutionRun) -> dict[str, Any]:
    """What the form is filled in with for a run like this one: all but the seed, which would repeat it."""
    found = {
        name: run.config[name]
        for name in RunForm.base_fields
        if name in run.config and name != "seed" and not _is_usual(run, name)
    }
    return {**found, "level": _level_of(run)}


def _level_of(run: EvolutionRun) -> str:
    """What the form calls the level of a run: that of the library if it is still there as it was played."""
    level = run_level(run)
    if level is None:
        return ""
    version = level.version
    is_there = version is not None and version.level.current_id == version.pk and version.level.archived_at is None
    return str(version.pk) if version and is_there else RunForm.SAME


def _is_usual(run: EvolutionRun, name: str) -> bool:
    """Whether it is the preset's own number or the level's, which stays empty: others have another one."""
    if name == "moves":
        return bool(run.config[name] == moves_of(run.config.get("level")))
    usual = SCALES[run.config["persona"]] if name == "scale" else STANDARD_ONLY.get(name)
    return name in STANDARD_ONLY and bool(run.config[name] == usual)


def moves_of(level: Mapping[str, Any] | None) -> int:
    """How many moves a game has if nobody says otherwise."""
    return int((level or {}).get("moves") or DEFAULT_MOVES)


class WholeNumberField(WholeField):
    """A whole number within the limits that the run itself has, with one sentence for whatever is wrong."""

    def __init__(self, name: str, *, required: bool = True) -> None:
        low, high = LIMITS[name]
        shown = f"{high:,}" if high < 10**9 else "9,007,199,254,740,991"
        sentence = f"{LABELS[name]} must be a whole number from {low:,} to {shown}."
        super().__init__(
            label=LABELS[name],
            help_text=HELP[name],
            min_value=low,
            max_value=high,
            required=required,
            error_messages=dict.fromkeys(("invalid", "min_value", "max_value", "required"), sentence),
        )


def priority_field(help_text: str = "") -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label="Turn",
        coerce=int,
        initial=Priority.NORMAL,
        choices=[(one.value, one.label.capitalize()) for one in sorted(Priority, reverse=True)],
        help_text=help_text,
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose when the run is to have its turn."),
    )


class PersonaFileForm(forms.Form):
    """A persona file, and the name in the library. After validation `persona` is what the file describes."""

    file = forms.FileField(
        label="Persona file",
        help_text="TOML, as “Download persona file” and <code>manage.py evolve --out</code> give it.",
        widget=forms.FileInput(attrs={"accept": ".toml,application/toml"}),
        error_messages={"required": "Choose the file.", "empty": "The file is empty."},
    )
    name = forms.CharField(
        label="Name", required=False, help_text="If you leave it empty, the name in the file is used."
    )

    persona: Persona

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        try:
            self.persona = decode_persona(file.read(LARGEST_FILE + 1))
            SearchAgent(self.persona).check_rules()
        except (PersonaError, AgentError) as error:
            raise forms.ValidationError(str(error)) from error
        return file


class PriorityForm(forms.Form):
    priority = priority_field()


class RunForm(forms.Form):
    SAME = "same"
    """The level of the run that this one is like, where the library does not have it any more."""
    NUMBERS: ClassVar = ("population", "generations", "games", "iterations", "moves", "seed")
    OF_STANDARD: ClassVar = tuple(STANDARD_ONLY)

    persona = forms.ChoiceField(
        label="Persona",
        widget=forms.RadioSelect,
        choices=[(one.label, f"{NAMES[one]}: {GOALS[one]}") for one in Objective],
        error_messages={"required": "Choose what the persona is to aim at."},
    )
    game = forms.ChoiceField(
        label="Game",
        widget=forms.RadioSelect,
        choices=[(name, get_game(name).info.title) for name in games()],
        error_messages={"required": "Choose the game."},
    )
    level = forms.ChoiceField(
        label="Boards",
        required=False,
        help_text="A persona of random boards plays any level. One that was bred on a single level may play that one "
        "better, and others worse.",
        error_messages={
            "invalid_choice": "This level was changed or taken out of the library meanwhile. Choose one again, or "
            "random boards."
        },
    )
    preset = forms.ChoiceField(
        label="Preset",
        widget=forms.RadioSelect,
        choices=list(PRESET_WORDS.items()),
        error_messages={"required": "Choose a preset."},
    )
    population = WholeNumberField("population")
    generations = WholeNumberField("generations")
    games = WholeNumberField("games")
    iterations = WholeNumberField("iterations")
    moves = WholeNumberField("moves", required=False)
    seed = WholeNumberField("seed")
    scale = WholeNumberField("scale", required=False)
    lookahead = WholeNumberField("lookahead", required=False)
    draws = WholeNumberField("draws", required=False)
    racing = WholeNumberField("racing", required=False)
    final_games = WholeNumberField("final_games", required=False)
    final = forms.TypedChoiceField(
        label=LABELS["final"],
        help_text=HELP["final"],
        choices=list(FINAL_WORDS.items()),
        empty_value=None,
        required=False,
        error_messages={"invalid_choice": "Choose what is to choose the move."},
    )
    clairvoyant = forms.BooleanField(
        label="Let the search see which pieces will fall",
        help_text="Only to repeat the paper: no person can see that. Such personas are marked clairvoyant wherever "
        "they appear.",
        required=False,
    )

    priority = priority_field(
        "Runs share the workers. The first has all of them until it ends; the last waits for all others."
    )

    config: RunConfig
    level_name = ""

    def __init__(self, *args: Any, like: EvolutionRun | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.like = like
        choices: list[Any] = [("", "Random boards, drawn for each game")]
        level = run_level(like) if like and _level_of(like) == self.SAME else None
        if like and level:
            choices.append((self.SAME, f"{level.version or level.name}, as in run {like.pk}"))
        field = self.fields["level"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [*choices, *levels_to_choose()]

    def clean_level(self) -> Mapping[str, Any] | None:
        """The level file that the choice stands for; None: every game has a board of its own."""
        chosen: str = self.cleaned_data["level"]
        if not chosen:
            return None
        if chosen == self.SAME:
            assert self.like is not None, "else it is no choice"
            level = run_level(self.like)
            self.level_name = level.name if level else ""
            return dict(self.like.config["level"])
        version = level_version(chosen)
        self.level_name = version.level.name
        return dict(version.document)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("preset", STANDARD.name) != STANDARD.name:
            # Hidden there, and not empty after somebody changed the preset.
            cleaned["final"] = None
            for name in self.OF_STANDARD:
                if cleaned.get(name) is not None:
                    self.add_error(name, "Only the preset standard has this. Leave it empty.")
        if cleaned.get("racing") and cleaned["racing"] < FEWEST_BEFORE_STOP:
            self.add_error("racing", f"After fewer than {FEWEST_BEFORE_STOP} games nobody can be judged. 0: none.")
        level = cleaned.get("level")
        self._check_game(cleaned.get("game"), level)
        has_no_limit = "game" in cleaned and get_game(cleaned["game"]).info.default_moves is None
        if has_no_limit:
            cleaned["moves"] = DEFAULT_MOVES
        elif "moves" in cleaned and cleaned["moves"] is None:
            cleaned["moves"] = moves = moves_of(level)
            if moves > LIMITS["moves"][1]:
                most = LIMITS["moves"][1]
                said = (
                    f"The level has {moves:,} moves, and games of a run at most {most}. Say how many they are to have."
                )
                self.add_error("moves", said)
        if not self.errors:
            try:
                self.config = RunConfig(**{name: value for name, value in cleaned.items() if name != "priority"})
                self.config.check_new()
            except ConfigError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned

    def _check_game(self, game: str | None, level: Mapping[str, Any] | None) -> None:
        if game is not None and level is not None and level["game"] != game:
            self.add_error(
                "level",
                f"“{self.level_name}” is a level of {game_title(level['game'])}, and the run is one of "
                f"{game_title(game)}. Choose another level or random boards.",
            )
