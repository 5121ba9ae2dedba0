"""Evolution runs, what they computed, and the library of personas that came out of them.

A run is a row, a generation is a row with its individuals, and the work is split into slices that workers claim from
the database (`playtest.leases`). Nothing here remembers a process: any worker can go on with any run.
"""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from playtest.immutable import ImmutableRow
from playtest.leases import Leased

SEED_LIMIT = 2**53


class Objective(models.IntegerChoices):
    """What a persona tries to make of a game."""

    MAXS = 1, "maxs"
    MINS = 2, "mins"
    MAXM = 3, "maxm"
    MINM = 4, "minm"


class Preset(models.IntegerChoices):
    REPLICATION = 1, "replication"
    STANDARD = 2, "standard"


class RunState(models.IntegerChoices):
    """What a run is doing. `Wanted` says what it should do; the workers bring the one to the other."""

    QUEUED = 1, "queued"
    RUNNING = 2, "running"
    PAUSED = 3, "paused"
    CANCELLED = 4, "cancelled"
    FINISHED = 5, "finished"
    FAILED = 6, "failed"


class Wanted(models.IntegerChoices):
    RUN = 1, "run"
    PAUSE = 2, "pause"
    CANCEL = 3, "cancel"


class Priority(models.IntegerChoices):
    """Runs of equal priority share the workers; a higher one is served before any lower one."""

    LOW = -1, "last"
    NORMAL = 0, "by turns"
    HIGH = 1, "first"


OVER = (RunState.CANCELLED, RunState.FINISHED, RunState.FAILED)
ACTIVE = (RunState.QUEUED, RunState.RUNNING)


class EvolutionRun(models.Model):
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="evolution_runs")
    preset = models.SmallIntegerField(choices=Preset.choices)
    objective = models.SmallIntegerField(choices=Objective.choices)
    game = models.CharField(max_length=30)
    config = models.JSONField(help_text="The RunConfig document, frozen.")
    hash = models.CharField(max_length=64, help_text="Of the configuration: equal hashes give equal results.")
    seed = models.BigIntegerField()
    generations = models.PositiveIntegerField(help_text="How many generations the run is to have.")
    engine_digest = models.CharField(max_length=64)
    code_commit = models.CharField(max_length=64, blank=True, default="")
    state = models.SmallIntegerField(choices=RunState.choices, default=RunState.QUEUED)
    wanted = models.SmallIntegerField(choices=Wanted.choices, default=Wanted.RUN)
    wanted_at = models.DateTimeField(null=True, blank=True)
    epoch = models.PositiveIntegerField(default=1, help_text="Rises when results still on their way must not count.")
    current = models.PositiveIntegerField(
        default=0,
        help_text="Number of the last generation; 0: none is made yet. The finalists are the one after the last.",
    )
    attempts = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How often the next generation could not be made since the last one was."
    )
    priority = models.SmallIntegerField(choices=Priority.choices, default=Priority.NORMAL)
    cloned_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="clones")
    rev = models.PositiveBigIntegerField(default=1)
    heartbeat_at = models.DateTimeField(null=True, blank=True, help_text="When a worker last did something for it.")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True, default="")

    class Meta:
        indexes: ClassVar = [models.Index(fields=["state", "priority"], name="evolution_run_state")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(seed__gte=0, seed__lt=SEED_LIMIT), name="evolution_run_seed_range"),
            models.CheckConstraint(condition=Q(preset__in=Preset.values), name="evolution_run_preset"),
            models.CheckConstraint(condition=Q(objective__in=Objective.values), name="evolution_run_objective"),
            models.CheckConstraint(condition=Q(state__in=RunState.values), name="evolution_run_state_known"),
            models.CheckConstraint(condition=Q(wanted__in=Wanted.values), name="evolution_run_wanted_known"),
            models.CheckConstraint(condition=Q(priority__in=Priority.values), name="evolution_run_priority"),
            models.CheckConstraint(
                condition=Q(current__lte=F("generations") + 1), name="evolution_run_current_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"Run {self.pk}: {self.get_objective_display()}, {self.get_state_display()}"

    @property
    def is_over(self) -> bool:
        return self.state in OVER

    @property
    def generations_begun(self) -> int:
        """How many generations are made, not counting the finalists."""
        return min(self.current, self.generations)

    @property
    def has_finalists(self) -> bool:
        """Whether its finalists play, or have played."""
        return self.current > self.generations

    @property
    def is_stopping(self) -> bool:
        """Told to stop or pause, while workers still let go of it."""
        return not self.is_over and self.wanted != Wanted.RUN and self.state != RunState.PAUSED


class GenerationState(models.IntegerChoices):
    EVALUATING = 1, "evaluating"
    COMPLETE = 2, "complete"
    BRED = 3, "bred"


class Generation(models.Model):
    """One generation. Complete: every slice is in. Bred: its figures are filled in and what follows is stored."""

    run = models.ForeignKey(EvolutionRun, on_delete=models.CASCADE, related_name="generation_rows")
    number = models.PositiveIntegerField()
    goal = models.FloatField()
    bar = models.FloatField(null=True, help_text="Who cannot reach this fitness any more stops early; null: nobody.")
    game_seeds = models.JSONField()
    slices_total = models.PositiveIntegerField()
    slices_done = models.PositiveIntegerField(default=0)
    state = models.SmallIntegerField(choices=GenerationState.choices, default=GenerationState.EVALUATING)
    fit_min = models.FloatField(null=True)
    fit_median = models.FloatField(null=True)
    fit_max = models.FloatField(null=True)
    vanilla = models.FloatField(null=True, help_text="Mean fitness of vanilla on this generation's seeds.")
    random = models.FloatField(null=True, help_text="Mean fitness of random play on this generation's seeds.")
    diversity = models.FloatField(null=True, help_text="Share of different shapes among the formulas, 0 to 1.")
    seconds = models.FloatField(null=True, help_text="Computing time of its slices, summed over workers.")
    best_idx = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "number"], name="evolution_generation_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="evolution_generation_number_from_1"),
            models.CheckConstraint(
                condition=Q(slices_done__lte=F("slices_total")), name="evolution_generation_slices_in_range"
            ),
            models.CheckConstraint(condition=Q(state__in=GenerationState.values), name="evolution_generation_state"),
        ]

    def __str__(self) -> str:
        return f"Generation {self.number} of run {self.run_id}"


class Origin(models.IntegerChoices):
    """How an individual came about."""

    RANDOM = 1, "random"
    ELITE = 2, "elite"
    MUTATION = 3, "mutation"
    CROSSOVER = 4, "crossover"
    WRITTEN = 5, "written"


class Flaw(models.IntegerChoices):
    """Why an individual has no finite fitness."""

    NAN = 1, "nan"
    OVERFLOW = 2, "overflow"


class Individual(models.Model):
    generation = models.ForeignKey(Generation, on_delete=models.CASCADE, related_name="individuals")
    idx = models.PositiveIntegerField()
    formula = models.TextField()
    fingerprint = models.CharField(max_length=64)
    depth = models.PositiveSmallIntegerField()
    size = models.PositiveSmallIntegerField()
    origin = models.SmallIntegerField(choices=Origin.choices)
    parent_a = models.PositiveIntegerField(null=True, help_text="Place of the first parent in the generation before.")
    parent_b = models.PositiveIntegerField(null=True)
    before_games = models.PositiveIntegerField(null=True, help_text="Games of an elite in earlier generations.")
    before_mean = models.FloatField(null=True, help_text="Its mean outcome there, counted from their levels.")
    fitness = models.FloatField(null=True)
    games_done = models.PositiveIntegerField(default=0)
    partial = models.BooleanField(default=False, help_text="Stopped early, so its fitness is of fewer games.")
    flaw = models.SmallIntegerField(choices=Flaw.choices, null=True)
    per_game = models.BinaryField(null=True, help_text="Outcome of each game: float64, little-endian.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["generation", "idx"], name="evolution_individual_once"),
            models.UniqueConstraint(fields=["generation", "fingerprint"], name="evolution_individual_no_equivalents"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="evolution_individual_origin"),
            models.CheckConstraint(
                condition=Q(flaw__isnull=True) | Q(flaw__in=Flaw.values), name="evolution_individual_flaw"
            ),
            models.CheckConstraint(
                condition=Q(fitness__isnull=True) | Q(flaw__isnull=True), name="evolution_individual_flaw_or_fitness"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["generation", "fitness"], name="evolution_individual_fitness")]

    def __str__(self) -> str:
        return f"Individual {self.idx} of generation {self.generation_id}"


class Subject(models.IntegerChoices):
    """Who plays in a slice: individuals of the population, or the agents to compare them with."""

    POPULATION = 1, "population"
    REFERENCES = 2, "references"


class EvaluationSlice(Leased):
    generation = models.ForeignKey(Generation, on_delete=models.CASCADE, related_name="slices")
    number = models.PositiveIntegerField()
    subject = models.SmallIntegerField(choices=Subject.choices, default=Subject.POPULATION)
    first_idx = models.PositiveIntegerField(null=True)
    last_idx = models.PositiveIntegerField(null=True, help_text="The last one that belongs to it.")
    result_sha256 = models.CharField(max_length=64, blank=True, default="")

    class Meta(Leased.Meta):
        constraints: ClassVar[list[Any]] = [
            *Leased.Meta.constraints,
            models.UniqueConstraint(fields=["generation", "number"], name="evolution_slice_once"),
            models.CheckConstraint(condition=Q(subject__in=Subject.values), name="evolution_slice_subject"),
            models.CheckConstraint(
                condition=Q(subject=Subject.POPULATION, first_idx__isnull=False, last_idx__gte=F("first_idx"))
                | (~Q(subject=Subject.POPULATION) & Q(first_idx__isnull=True, last_idx__isnull=True)),
                name="evolution_slice_range",
            ),
        ]

    def __str__(self) -> str:
        return f"Slice {self.number} of generation {self.generation_id}"


class LogKind(models.IntegerChoices):
    CREATED = 1, "created"
    STARTED = 2, "started"
    PAUSED = 3, "paused"
    RESUMED = 4, "resumed"
    CANCELLED = 5, "cancelled"
    FINISHED = 6, "finished"
    FAILED = 7, "failed"
    RELEASED = 8, "re-leased"
    REFUSED = 9, "refused"
    DIFFERS = 10, "differs"
    KEPT = 11, "kept"
    PRIORITY = 12, "priority"


class RunLog(models.Model):
    run = models.ForeignKey(EvolutionRun, on_delete=models.CASCADE, related_name="log")
    at = models.DateTimeField(auto_now_add=True)
    kind = models.SmallIntegerField(choices=LogKind.choices)
    text = models.TextField()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=LogKind.values), name="evolution_log_kind")
        ]

    def __str__(self) -> str:
        return self.text


class Persona(models.Model):
    """A way to play, known by name. Its versions say what it was at a time."""

    game = models.CharField(max_length=30)
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="personas",
        help_text="Empty for the personas that the program ships with.",
    )
    objective = models.SmallIntegerField(choices=Objective.choices, null=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["game", "slug"], name="evolution_persona_slug"),
            models.CheckConstraint(
                condition=Q(objective__isnull=True) | Q(objective__in=Objective.values),
                name="evolution_persona_objective",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PersonaVersion(ImmutableRow):
    persona = models.ForeignKey(Persona, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    agent_spec = models.ForeignKey("levels.AgentSpec", on_delete=models.PROTECT, related_name="persona_versions")
    run = models.ForeignKey(EvolutionRun, null=True, on_delete=models.PROTECT, related_name="personas")
    generation = models.PositiveIntegerField(null=True)
    idx = models.PositiveIntegerField(null=True)
    seed = models.BigIntegerField(null=True)
    code_commit = models.CharField(max_length=64, blank=True, default="")
    game_version = models.PositiveIntegerField()
    note = models.TextField(blank=True, default="", help_text="What its file says of where it comes from.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["persona", "number"], name="evolution_persona_version_number"),
            models.CheckConstraint(
                condition=Q(seed__isnull=True) | Q(seed__gte=0, seed__lt=SEED_LIMIT),
                name="evolution_persona_version_seed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.persona} v{self.number}"
