"""Rows for tests that need some, without computing anything."""

from playtest.accounts.models import Role, User
from playtest.evolution.models import EvaluationSlice, EvolutionRun, Generation, Objective, Preset, RunState


def make_owner(username: str = "ada") -> User:
    return User.objects.create_user(username=username, password="correct horse battery", role=Role.ADMIN)


def make_run(owner: User | None = None, **columns: object) -> EvolutionRun:
    values: dict[str, object] = {
        "owner": owner or make_owner(),
        "preset": Preset.REPLICATION,
        "objective": Objective.MAXS,
        "game": "match3",
        "config": {},
        "hash": "0" * 64,
        "seed": 1,
        "generations": 3,
        "engine_digest": "0" * 64,
        "state": RunState.RUNNING,
    }
    return EvolutionRun.objects.create(**{**values, **columns})


def make_slices(count: int, *, run: EvolutionRun | None = None) -> list[EvaluationSlice]:
    """A generation of `count` individuals, one in each slice."""
    generation = Generation.objects.create(
        run=run or make_run(), number=1, goal=0.0, game_seeds=[1], slices_total=count
    )
    return [
        EvaluationSlice.objects.create(generation=generation, number=number, first_idx=number, last_idx=number)
        for number in range(count)
    ]
