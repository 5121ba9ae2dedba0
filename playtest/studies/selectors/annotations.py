"""What figures count: the decisions of staff that hold now, and the earlier ones."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from playtest.studies.choices import Use
from playtest.studies.models import Annotation, Participant


@dataclass(frozen=True)
class Decided:
    """The decision that holds for a participant or a round, with its reason. Without one, `use` is include."""

    use: Use = Use.INCLUDE
    reason: str = ""


UNDECIDED = Decided()


@dataclass(frozen=True)
class Decisions:
    """All that hold for one participant. A round is left out with its participant, or by itself."""

    participant: Decided
    rounds: dict[int, Decided]

    @property
    def is_left_out(self) -> bool:
        """Whether the participant is, with all rounds."""
        return self.participant.use == Use.EXCLUDE

    def of_round(self, round_id: int) -> Decided:
        if self.is_left_out:
            return self.participant
        return self.rounds.get(round_id, UNDECIDED)


NONE_DECIDED = Decisions(UNDECIDED, {})


def left_out_participant() -> Exists:
    """A condition on participants: staff left them out."""
    holding = Annotation.objects.filter(superseded_by__isnull=True, use=Use.EXCLUDE, round__isnull=True)
    return Exists(holding.filter(participant=OuterRef("pk")))


def left_out_round() -> Exists:
    """A condition on rounds: staff left out the round, or who played it."""
    holding = Annotation.objects.filter(superseded_by__isnull=True, use=Use.EXCLUDE)
    mine = Q(round__isnull=True) | Q(round=OuterRef("pk"))
    return Exists(holding.filter(mine, participant=OuterRef("participant_id")))


def decisions_read(*, participant_ids: Collection[int], using: str = "default") -> dict[int, Decisions]:
    """What holds for these participants, in one query. Who is not in it was never decided on."""
    found: dict[int, Decisions] = {}
    rows = Annotation.objects.using(using).filter(participant_id__in=participant_ids, superseded_by__isnull=True)
    own: dict[int, Decided] = {}
    rounds: dict[int, dict[int, Decided]] = {}
    for participant_id, round_id, use, reason in rows.values_list("participant_id", "round_id", "use", "reason"):
        decided = Decided(Use(use), reason)
        if round_id is None:
            own[participant_id] = decided
        else:
            rounds.setdefault(participant_id, {})[round_id] = decided
    for key in own.keys() | rounds.keys():
        found[key] = Decisions(own.get(key, UNDECIDED), rounds.get(key, {}))
    return found


def annotations_of(*, participant: Participant) -> list[Annotation]:
    """Every decision on a participant and their rounds, the newest first."""
    rows = Annotation.objects.filter(participant=participant).select_related("by", "round")
    return list(rows.defer("round__level").order_by("-pk"))
