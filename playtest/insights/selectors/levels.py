"""People beside personas, level by level."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playtest.charts import Figures, Point
from playtest.insights.charts import results_figure
from playtest.insights.people import (
    left_out_sentence,
    participant_count,
    people_count_text,
    people_figures,
    people_legal,
    people_points,
    people_sentence,
    result_label,
)
from playtest.insights.who import Who
from playtest.levels.lines import SCORE_COLUMNS, agent_lines
from playtest.levels.models import PlaytestReport, ReportState
from playtest.levels.selectors import (
    EntryShown,
    Legal,
    entries_shown,
    game_title,
    is_unfinished,
    report_note,
    reports_newest,
)
from playtest.levels.services import DrawnBoards
from playtest.studies.choices import Kind, Use
from playtest.studies.models import Study
from playtest.studies.selectors.scores import LevelResults, RoundResult, scores_by_level


@dataclass(frozen=True)
class RowShown:
    """A row of a figure and of its table: people, bots or an agent."""

    role: str
    label: str
    figures: Figures | None
    legal: Legal | None
    points: tuple[Point, ...] = ()
    n_text: str = ""
    is_bot: bool = False


@dataclass(frozen=True)
class LevelShown:
    """One level of a study, or its random boards together, with all that is known of how it is played."""

    results: LevelResults
    boards_hash: str
    report: PlaytestReport | None
    entries: tuple[EntryShown, ...]
    rows: tuple[RowShown, ...]
    figure: dict[str, Any] | None
    sentences: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.results.name

    @property
    def game_title(self) -> str:
        return game_title(self.results.game)

    @property
    def figure_id(self) -> str:
        return f"figure-{self.boards_hash[:16]}"

    @property
    def is_unfinished(self) -> bool:
        return self.report is not None and is_unfinished(self.report)

    @property
    def needs_playtest(self) -> bool:
        """Whether there is nothing of the personas, or not all, and nobody at it."""
        return self.report is None or self.report.state == ReportState.FAILED

    @property
    def percent(self) -> int:
        """How much of the playtest is done."""
        return 0 if self.report is None else round(100 * self.report.blocks_done / self.report.blocks_total)

    def note(self, who: Who) -> str:
        """What the figure is made of: whose rounds, how many, of which boards, and the games of the agents."""
        results = self.results.results
        people = participant_count(results)
        counted = f"n = {people:,} {'participant' if people == 1 else 'participants'}"
        rounds = f"{len(results):,} finished {'round' if len(results) == 1 else 'rounds'} of all versions"
        out = f", {len(self.results.left_out):,} more left out by staff" if self.results.left_out else ""
        boards = f"Boards {self.boards_hash[:12]}."
        agents = f" {report_note(self.report)}" if self.report is not None else ""
        return f"{who.choice}. {counted}, {rounds}{out}. {boards}{agents}"

    @property
    def rev(self) -> str:
        """What the page shows: another one means that something is newer."""
        report = f"{self.report.pk}.{self.report.rev}" if self.report else "0"
        return f"{report}.{len(self.results.results)}.{len(self.results.left_out)}"


def levels_shown(*, study: Study, who: Who) -> list[LevelShown]:
    """Every level of the study in its order."""
    groups = scores_by_level(study=study, kinds=who.kinds)
    hashes = [boards_hash(group) for group in groups]
    reports = reports_newest(boards_hashes=hashes)
    return [_level_shown(group, one, reports.get(one), who) for group, one in zip(groups, hashes, strict=True)]


def level_shown(*, study: Study, who: Who, wanted: str) -> LevelShown | None:
    """The level of the study whose boards have this hash, or None."""
    group = level_results(study=study, who=who, wanted=wanted)
    return _level_shown(group, wanted, reports_newest(boards_hashes=[wanted]).get(wanted), who) if group else None


def level_results(*, study: Study, who: Who, wanted: str) -> LevelResults | None:
    """The finished rounds on the boards of this hash. None if they are not of this study."""
    return next(
        (group for group in scores_by_level(study=study, kinds=who.kinds) if boards_hash(group) == wanted), None
    )


def boards_hash(group: LevelResults) -> str:
    """The hash under which playtests of the same boards are found."""
    if group.level_hash is not None:
        return group.level_hash
    assert group.drawn is not None
    return DrawnBoards(**group.drawn).hash


def group_moves(group: LevelResults) -> int | None:
    """How many moves a round has, if that is limited."""
    if group.level is not None:
        return group.level.moves
    assert group.drawn is not None
    moves: int | None = group.drawn.get("moves")
    return moves


def score_lines(shown: LevelShown) -> Iterator[list[Any]]:
    """The values behind a figure, one line each, the first with the names of the columns."""
    yield SCORE_COLUMNS
    counted = [(result, Use.INCLUDE) for result in shown.results.results]
    for result, use in [*counted, *((result, Use.EXCLUDE) for result in shown.results.left_out)]:
        yield [
            shown.name,
            shown.boards_hash,
            result.code,
            result.kind.label,
            result.position,
            result.score,
            "" if result.legal_mean is None else repr(result.legal_mean),
            result.moves_used,
            "",
            "",
            use.label,
        ]
    if shown.report is not None:
        yield from agent_lines(shown.report, name=shown.name)


def _level_shown(group: LevelResults, hash_: str, report: PlaytestReport | None, who: Who) -> LevelShown:
    entries = tuple(entries_shown(report=report)) if report else ()
    rows, sentences = _played_rows(group, who)
    agents = [RowShown(one.role, one.label, one.figures, one.legal) for one in entries]
    everybody = (*rows, *agents)
    drawn = [row for row in everybody if row.figures]
    return LevelShown(
        results=group,
        boards_hash=hash_,
        report=report,
        entries=entries,
        rows=everybody,
        figure=results_figure(drawn, moves=group_moves(group), name=group.name) if drawn else None,
        sentences=tuple(sentences),
    )


def _played_rows(group: LevelResults, who: Who) -> tuple[list[RowShown], list[str]]:
    """A row for people and one for bots, as asked for, and sentences for what a figure cannot show."""
    people, bots = Counted.of(group, Kind.PERSON), Counted.of(group, Kind.BOT)
    rows, sentences = [], []
    if who == Who.TOGETHER:
        together = Counted(group.results, group.left_out)
        rows.append(_played_row("people", "People and bots", together, is_bot=bool(bots.results)))
        sentences += together.sentences(one="player", many="players", nobody="Nobody has played here yet.")
    if who in (Who.APART, Who.PEOPLE):
        rows.append(_played_row("people", "People", people))
        sentences += people.sentences(one="person", many="people", nobody="No person has finished this level yet.")
    if who == Who.BOTS or (who == Who.APART and (bots.results or bots.left_out)):
        rows.append(_played_row("bots", "Bots", bots, is_bot=True))
        sentences += bots.sentences(one="bot", many="bots", nobody="No bot has finished this level yet.")
    return [row for row in rows if row.figures], [sentence for sentence in sentences if sentence]


@dataclass(frozen=True)
class Counted:
    """Rounds that figures count, and beside them those that staff left out."""

    results: list[RoundResult]
    left_out: list[RoundResult]

    @classmethod
    def of(cls, group: LevelResults, kind: Kind) -> "Counted":
        return cls(
            [one for one in group.results if one.kind == kind], [one for one in group.left_out if one.kind == kind]
        )

    def sentences(self, *, one: str, many: str, nobody: str) -> list[str]:
        said = left_out_sentence(self.results, self.left_out, one=one, many=many)
        if said and not self.results:
            return [said]
        return [people_sentence(self.results, one=one, many=many, nobody=nobody), said]


def _played_row(role: str, label: str, counted: Counted, *, is_bot: bool = False) -> RowShown:
    results = counted.results
    return RowShown(
        role=role,
        label=label,
        figures=people_figures(results),
        legal=people_legal(results),
        points=people_points(results),
        n_text=people_count_text(results, counted.left_out),
        is_bot=is_bot,
    )


def results_listed(shown: LevelShown) -> list[tuple[str, RoundResult, bool]]:
    """Every round by itself, the best first: whose, what, and whether staff left it out."""
    everything = [(one, False) for one in shown.results.results] + [(one, True) for one in shown.results.left_out]
    everything.sort(key=lambda pair: (-pair[0].score, pair[0].participant_id, pair[0].position))
    return [(result_label(one), one, is_left_out) for one, is_left_out in everything]
