"""Scores of finished rounds, level by level. Who is counted has always to be said: bots are never mixed with people."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Avg, Q, QuerySet, Sum

from engine.game import get_game
from engine.level import Level, canonical_json
from playtest.studies.choices import Kind, MoveKind, Purpose, RoundState, Status
from playtest.studies.document import FixedRound, RandomRound, RoundPlan, RoundsPage
from playtest.studies.document.pages import plan_name
from playtest.studies.models import Move, Round, Study
from playtest.studies.selectors.annotations import left_out_round
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.studies import versions_published


@dataclass(frozen=True)
class RoundResult:
    """One finished round. `legal_mean` is the mean number of legal actions before its moves, None without moves.

    Where the level has a horizon K it is their sum before the first K moves, divided by K, as for agents. A move that
    was taken back is none of them.
    """

    round_id: int
    participant_id: int
    code: str
    kind: Kind
    status: Status
    position: int
    level_hash: str
    score: int
    moves_used: int
    legal_mean: float | None


@dataclass
class LevelResults:
    """All finished rounds on one level, or on levels that were drawn alike for each participant.

    `name` is what to call it. Either `level` is there, with its hash and, if it is in the library, its version; or
    `drawn`, the game, size, colours and moves that boards were drawn by. `results` are what figures count and may be
    empty; `left_out` are the rounds that staff excluded, by themselves or with who played them.
    """

    name: str
    level: Level | None
    level_hash: str | None
    level_version_id: int | None
    drawn: dict[str, Any] | None
    results: list[RoundResult] = field(default_factory=list)
    left_out: list[RoundResult] = field(default_factory=list)

    @property
    def game(self) -> str:
        if self.level is not None:
            return self.level.game
        assert self.drawn is not None
        return str(self.drawn["game"])


def scores_by_level(*, study: Study, kinds: Collection[Kind]) -> list[LevelResults]:
    """Finished scored rounds of these kinds, grouped by what was played.

    Every level of every version has its group, in the order of the newest document that has it, also where nobody
    played yet. Results come in the order of participants. The rounds of who withdrew are gone.
    """
    groups: dict[str, LevelResults] = {}
    places: dict[tuple[int, str], str] = {}
    for version in versions_published(study=study):
        for page in version_document(version).pages:
            for plan in page.rounds if isinstance(page, RoundsPage) else ():
                place = group_of(plan)
                places[version.pk, plan.key] = place
                groups.setdefault(place, new_group(plan))

    finished = Round.objects.filter(
        participant__study=study, participant__kind__in=kinds, purpose=Purpose.SCORED, state=RoundState.DONE
    )
    rounds = list(
        finished.select_related("participant")
        .defer("level")
        .annotate(legal_mean=Avg("moves__legal_before", filter=Q(moves__kind=MoveKind.MOVE)))
        .annotate(is_left_out=left_out_round())
        .order_by("participant_id", "position", "attempt")
    )
    played = {row.pk: groups[places[row.participant.version_id, row.key]] for row in rounds}
    horizons = round_horizons(finished, played)
    sums = legal_sums(finished, horizons)
    standing = standing_counts(finished)
    for row in rounds:
        group = played[row.pk]
        group.level_version_id = group.level_version_id or row.level_version_id
        (group.left_out if row.is_left_out else group.results).append(
            RoundResult(
                round_id=row.pk,
                participant_id=row.participant_id,
                code=row.participant.code or "",
                kind=Kind(row.kind),
                status=Status(row.participant.status),
                position=row.position,
                level_hash=row.level_hash,
                score=row.score,
                moves_used=row.moves_used,
                legal_mean=counts_mean(standing[row.pk], horizons.get(row.pk))
                if row.pk in standing
                else sums[row.pk] / horizons[row.pk]
                if row.pk in sums
                else row.legal_mean,
            )
        )
    drawn = [group for group in groups.values() if group.drawn is not None]
    for group in drawn if len(drawn) > 1 else ():
        group.name = drawn_name(group)
    return list(groups.values())


def round_horizons(finished: QuerySet[Round], groups: Mapping[int, LevelResults]) -> dict[int, int]:
    """The horizon of each round whose level has one. `groups` is what each round belongs to."""
    horizons = {pk: group.level.horizon for pk, group in groups.items() if group.level and group.level.horizon}
    if any(group.drawn is not None and "moves" not in group.drawn for group in groups.values()):
        for pk, level in finished.filter(level__isnull=False).values_list("pk", "level"):
            if level and level.get("horizon"):
                horizons[pk] = level["horizon"]
    return horizons


def legal_sums(finished: QuerySet[Round], horizons: Mapping[int, int]) -> dict[int, int]:
    """Legal actions before the moves of rounds, as many from the first as the horizon of each says."""
    sums: dict[int, int] = {}
    for horizon in set(horizons.values()):
        moves = Move.objects.filter(round__in=finished.values("pk"), kind=MoveKind.MOVE, seq__lte=horizon)
        for row in moves.values("round_id").annotate(sum=Sum("legal_before")).order_by():
            if horizons.get(row["round_id"]) == horizon:
                sums[row["round_id"]] = row["sum"]
    return sums


def standing_counts(finished: QuerySet[Round]) -> dict[int, list[int]]:
    """Legal actions before each move that was not taken back, of the rounds in which something was; these are few."""
    undone = Move.objects.filter(round__in=finished.values("pk"), kind=MoveKind.UNDO).values("round_id")
    counts: dict[int, list[int]] = {}
    moves = Move.objects.filter(round__in=undone).order_by("round_id", "seq")
    for round_id, kind, legal in moves.values_list("round_id", "kind", "legal_before"):
        standing = counts.setdefault(round_id, [])
        if kind == MoveKind.MOVE:
            standing.append(legal)
        else:
            del standing[-1:]
    return counts


def counts_mean(counts: list[int], horizon: int | None) -> float | None:
    """As `RoundResult.legal_mean` says; None without moves."""
    if not counts:
        return None
    return sum(counts[:horizon]) / (horizon or len(counts))


def drawn_name(group: LevelResults) -> str:
    """What tells random boards from others of the same study."""
    assert group.drawn is not None
    drawn = group.drawn
    title = get_game(group.game).info.title
    moves = f", {drawn['moves']} moves" if "moves" in drawn else ""
    return f"{group.name}, {title} {drawn['rows']} × {drawn['cols']}, {drawn['colours']} colours{moves}"


def group_of(plan: RoundPlan) -> str:
    """What tells groups apart: a level's hash, or how boards are drawn."""
    return canonical_json(plan.to_document()["random"]) if isinstance(plan, RandomRound) else plan.level.content_hash()


def new_group(plan: RoundPlan) -> LevelResults:
    if isinstance(plan, FixedRound):
        return LevelResults(plan_name(plan), plan.level, plan.level.content_hash(), None, None)
    return LevelResults(f"{plan_name(plan)}s", None, None, None, plan.to_document()["random"])
