"""Participants, as pages, sockets and staff look them up."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from playtest.studies.choices import Kind, Purpose, RoundState, Status
from playtest.studies.identity import token_hash
from playtest.studies.models import Link, Participant, Round, Study
from playtest.studies.recruiting import Recruited
from playtest.studies.selectors.annotations import NONE_DECIDED, decisions_read
from playtest.studies.selectors.documents import round_name, version_document


def participant_by_token(*, study_public_id: str, token: str) -> Participant | None:
    """Whose cookie this is, in this study only."""
    return (
        Participant.objects.select_related("study", "version")
        .defer("study__draft", "version__document", "version__game_versions")
        .filter(token_hash=token_hash(token), study__public_id=study_public_id)
        .exclude(status=Status.WITHDRAWN)
        .first()
    )


def participant_by_recruited(*, study: Study, recruited: Recruited) -> Participant | None:
    """Whom this recruiter sent into the study under this id. Who withdrew has no id any more and is not found."""
    if recruited.id is None:
        return None
    return (
        Participant.objects.select_related("study", "version")
        .defer("study__draft", "version__document", "version__game_versions")
        .filter(study=study, recruiter=recruited.recruiter, recruiter_id=recruited.id)
        .first()
    )


def participant_withdrawn(*, study: Study, mark: str) -> Participant | None:
    """Whoever withdrew from the study lately and whose pages carried this mark: see `person_mark`."""
    # A mark leads to nobody, so each is tried. Of when somebody withdrew the day is kept.
    since = timezone.now() - timedelta(days=2)
    lately = Participant.objects.filter(study=study, status=Status.WITHDRAWN, last_seen_at__gte=since)
    for one in lately.only("public_id").iterator():
        if one.mark == mark:
            return Participant.objects.select_related("study", "version").get(pk=one.pk)
    return None


def participant_by_link(*, link: Link) -> Participant | None:
    """Who started by a link of one person. Who withdrew has no link any more and is not found."""
    return (
        Participant.objects.select_related("study", "version")
        .defer("study__draft", "version__document", "version__game_versions")
        .filter(link=link)
        .first()
    )


@dataclass(frozen=True)
class RoundScore:
    """A round in a participant's row: its position, what was played, and how far."""

    position: int
    key: str
    game: str
    level_hash: str
    level_name: str
    state: RoundState
    score: int
    moves_used: int


@dataclass(frozen=True)
class ParticipantRow:
    """A participant with the scores of all rounds, in the order in which they were played."""

    pk: int
    code: str
    kind: Kind
    status: Status
    version: int
    started_at: datetime
    last_seen_at: datetime
    finished_at: datetime | None
    rounds: tuple[RoundScore, ...]
    label: str
    """Of the link that they came by; empty without one."""
    is_left_out: bool

    @property
    def total(self) -> int | None:
        """Points of all rounds so far that are not void; None where they are of several games, which count apart."""
        if len({row.game for row in self.rounds}) > 1:
            return None
        return sum(row.score for row in self.rounds if row.state != RoundState.VOID)


def participants_listed(*, study: Study, kinds: Collection[Kind]) -> QuerySet[Participant]:
    """Everybody of these kinds who started, newest first."""
    return (
        Participant.objects.filter(study=study, kind__in=kinds)
        .select_related("version", "link")
        .defer("version__document", "version__game_versions")
        .order_by("-started_at", "-pk")
    )


def participants_with_scores(participants: Iterable[Participant]) -> list[ParticipantRow]:
    """These participants with their rounds, in three queries. Withdrawn ones have no code and no rounds."""
    shown = list(participants)
    documents = {row.pk: version_document(row.version) for row in shown}
    decisions = decisions_read(participant_ids=documents.keys())
    by_participant: dict[int, list[RoundScore]] = {}
    rounds = Round.objects.filter(participant__in=[row.pk for row in shown], purpose=Purpose.SCORED)
    for row in rounds.order_by("position", "attempt").values_list(
        "participant_id", "position", "key", "game", "level_hash", "state", "score", "moves_used"
    ):
        participant_id, position, key, game, level_hash, state, score, moves_used = row
        name = round_name(documents[participant_id], position=position, key=key, level_hash=level_hash)
        by_participant.setdefault(participant_id, []).append(
            RoundScore(position, key, game, level_hash, name, RoundState(state), score, moves_used)
        )
    return [
        ParticipantRow(
            pk=row.pk,
            code=row.code or "",
            kind=Kind(row.kind),
            status=Status(row.status),
            version=row.version.number,
            started_at=row.started_at,
            last_seen_at=row.last_seen_at,
            finished_at=row.finished_at,
            rounds=tuple(by_participant.get(row.pk, ())),
            label=row.link_label,
            is_left_out=decisions.get(row.pk, NONE_DECIDED).is_left_out,
        )
        for row in shown
    ]
