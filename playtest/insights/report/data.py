"""What the page is computed from, read in a fixed number of queries whatever the number of participants."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from playtest.insights.models import Opinion
from playtest.insights.opinions import decode_opinions
from playtest.insights.report.filters import Filters, Flagged, Outcome
from playtest.insights.selectors.levels import boards_hash
from playtest.insights.statistics import MovesSeen, Sample
from playtest.leases import LeaseState
from playtest.levels.board_key import board_key
from playtest.levels.boards import report_horizons
from playtest.levels.digest import engine_digest
from playtest.levels.models import AgentKind, AgentSpec, PlaytestReport, TraceBlock
from playtest.levels.par import Par, pars_of
from playtest.levels.selectors import agent_label, agent_role, reports_newest
from playtest.levels.traces import GameTrace, decode_block
from playtest.studies.choices import MoveKind, Status
from playtest.studies.models import Move, Participant, Study
from playtest.studies.selectors.flags import flags_of
from playtest.studies.selectors.scores import LevelResults, RoundResult, scores_by_level

SEED = 1
"""Of every interval on the page."""


@dataclass(frozen=True)
class Persona:
    """An agent of a playtest with its games."""

    spec: AgentSpec
    games: tuple[GameTrace, ...]
    horizons: tuple[int | None, ...]

    @property
    def label(self) -> str:
        return agent_label(self.spec)

    @property
    def role(self) -> str:
        return agent_role(self.spec)

    @property
    def is_random(self) -> bool:
        return self.spec.kind == AgentKind.RANDOM

    @cached_property
    def scores(self) -> Sample:
        return Sample.single([float(game.score) for game in self.games])

    @cached_property
    def legal(self) -> Sample:
        """Mean number of legal moves of each game."""
        return Sample.single(
            [game.legal_mean(horizon) for game, horizon in zip(self.games, self.horizons, strict=True)]
        )


@dataclass(frozen=True)
class MoveSeen:
    """A move that somebody decided on. `number` is its place in the game; one that was taken back had it too."""

    number: int
    action: int
    legal: int
    think_ms: int | None


@dataclass
class LevelData:
    """One level of the study with everything that the filters let through."""

    group: LevelResults
    boards_hash: str
    report: PlaytestReport | None
    results: list[RoundResult]
    left_out: list[RoundResult]
    par: Par | None = None
    """The best play that a search found on the board; None too for boards that are drawn for each round."""
    personas: list[Persona] = field(default_factory=list)
    moves: dict[int, list[MoveSeen]] = field(default_factory=dict)
    """By round."""
    opinions: dict[int, dict[int, MovesSeen]] = field(default_factory=dict)
    """By agent, then by round."""

    @property
    def name(self) -> str:
        return self.group.name

    @cached_property
    def board_key(self) -> str | None:
        """Under which key par of the board is kept; None where boards are drawn."""
        return None if self.group.level is None else board_key(self.group.level.to_document())

    @cached_property
    def scores(self) -> Sample:
        return Sample.of((one.participant_id, float(one.score)) for one in self.results)

    @cached_property
    def legal(self) -> Sample:
        return Sample.of((one.participant_id, one.legal_mean) for one in self.results)

    def owned_moves(self) -> Iterator[tuple[int, MoveSeen]]:
        """Every move with whose it is."""
        for one in self.results:
            for move in self.moves.get(one.round_id, ()):
                yield one.participant_id, move


@dataclass(frozen=True)
class ReportData:
    """`levels` in the order of the study; `versions` are the numbers that were published."""

    filters: Filters
    versions: list[int]
    levels: list[LevelData]
    kept: set[int] | None = None
    """The participants that the filters let through; None: all."""

    @cached_property
    def results(self) -> list[RoundResult]:
        return [one for level in self.levels for one in level.results]

    @property
    def people(self) -> int:
        return len({one.participant_id for one in self.results})

    def note(self, levels: Sequence[LevelData] | None = None) -> str:
        """What every caption ends with."""
        rounds = self.results if levels is None else [one for level in levels for one in level.results]
        out = sum(len(level.left_out) for level in (self.levels if levels is None else levels))
        people = len({one.participant_id for one in rounds})
        who = self.filters.who.one if people == 1 else self.filters.who.many
        left = f", {out:,} more left out by staff" if out else ""
        return (
            f"{self.filters.sentence}. n = {people:,} {who}, "
            f"{len(rounds):,} {'round' if len(rounds) == 1 else 'rounds'}{left}. Seed of the intervals {SEED}."
        )


def report_data(*, study: Study, filters: Filters, versions: list[int], only: str | None = None) -> ReportData:
    """The rounds that the filters let through, level by level, or of the one whose boards have the hash `only`."""
    groups = scores_by_level(study=study, kinds=filters.who.kinds)
    keep = participants_kept(study, filters)
    levels = []
    for group in groups:
        hash_ = boards_hash(group)
        if only is None or hash_ == only:
            results, left_out = (
                [one for one in part if keep is None or one.participant_id in keep]
                for part in (group.results, group.left_out)
            )
            levels.append(LevelData(group, hash_, None, results, left_out))
    reports = reports_newest(boards_hashes=[level.boards_hash for level in levels])
    pars = pars_of(level.board_key for level in levels if level.board_key)
    for level in levels:
        level.par = pars.get(level.board_key or "")
        level.report = reports.get(level.boards_hash)
    _personas_read(levels)
    _moves_read(levels)
    _opinions_read(levels)
    return ReportData(filters, versions, levels, keep)


def participants_kept(study: Study, filters: Filters) -> set[int] | None:
    """The participants that the filters let through; None: all."""
    if filters.version is None and filters.outcome == Outcome.ANY and filters.flagged == Flagged.ANY:
        return None
    people = Participant.objects.filter(study=study, kind__in=filters.who.kinds)
    if filters.version is not None:
        people = people.filter(version__number=filters.version)
    if filters.outcome == Outcome.COMPLETED:
        people = people.filter(status=Status.COMPLETED)
    if filters.flagged == Flagged.NONE:
        kept = list(people.select_related("version").defer("version__document"))
        flagged = flags_of(participants=kept)
        return {one.pk for one in kept if not flagged[one.pk]}
    return set(people.values_list("pk", flat=True))


def _personas_read(levels: Sequence[LevelData]) -> None:
    """The games of every agent in the newest playtest of each level, in its order."""
    reports = {level.report.pk: level.report for level in levels if level.report}
    blocks = TraceBlock.objects.filter(entry__report__in=reports, state=LeaseState.DONE)
    games: dict[int, dict[int, tuple[AgentSpec, list[GameTrace], list[int | None]]]] = defaultdict(dict)
    for block in blocks.select_related("entry__agent_spec").order_by("entry__position", "entry_id", "number"):
        assert block.data is not None, "a constraint of the table"
        report = reports[block.entry.report_id]
        numbers = range(block.first_game, block.first_game + block.games)
        _, traces, horizons = games[report.pk].setdefault(block.entry_id, (block.entry.agent_spec, [], []))
        traces += decode_block(block.data)
        horizons += report_horizons(report, numbers)
    for level in levels:
        if level.report:
            own = games[level.report.pk].values()
            level.personas = [Persona(spec, tuple(traces), tuple(horizons)) for spec, traces, horizons in own]


def _moves_read(levels: Sequence[LevelData]) -> None:
    owners = {one.round_id: level for level in levels for one in level.results}
    names = ("round_id", "kind", "action", "legal_before", "think_ms")
    for lot in _lots(owners):
        made: dict[int, int] = defaultdict(int)
        moves = Move.objects.filter(round__in=lot).order_by("round_id", "seq")
        for round_id, kind, action, legal, think in moves.values_list(*names).iterator():
            made[round_id] += 1 if kind == MoveKind.MOVE else -1
            if kind == MoveKind.MOVE:
                seen = MoveSeen(made[round_id], action, legal, think)
                owners[round_id].moves.setdefault(round_id, []).append(seen)


def _opinions_read(levels: Sequence[LevelData]) -> None:
    """Opinions of the code of today, where they are as many as the moves."""
    owners = {one.round_id: level for level in levels for one in level.results}
    for lot in _lots(owners):
        done = Opinion.objects.filter(round__in=lot, engine_digest=engine_digest(), state=LeaseState.DONE)
        rows = done.order_by("agent_spec_id", "round_id").values_list("round_id", "agent_spec_id", "data")
        for round_id, spec, data in rows.iterator():
            assert data is not None, "a constraint of the table"
            opinions, moves = decode_opinions(data), owners[round_id].moves.get(round_id, [])
            if len(opinions.best) == len(moves):
                seen = [
                    (move.legal, best == move.action, share)
                    for move, best, share in zip(moves, opinions.best, opinions.share, strict=True)
                ]
                owners[round_id].opinions.setdefault(spec, {})[round_id] = MovesSeen.of(seen)


def _lots(rounds: Collection[int]) -> Iterator[list[int]]:
    """Keys in lots: SQLite takes no more than some thousand in one question."""
    keys = sorted(rounds)
    for start in range(0, len(keys), 5_000):
        yield keys[start : start + 5_000]
