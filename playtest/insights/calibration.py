"""What people will score on a level, from the yardstick's playtests on levels that people have played.

Over these levels a line is put through the yardstick's mean score and a figure of the people there: the median, and the
quartiles likewise. Of a level only its people's own means count, one for each participant; bots and previews never do,
nor what staff left out. A level is always predicted from the others, never from itself.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from playtest.insights.people import participant_means
from playtest.insights.statistics import (
    Estimate,
    Interval,
    Measured,
    NotKnown,
    left_one_out,
    line_fit,
    mean_absolute_error,
)
from playtest.levels.models import PlaytestEntry, PlaytestReport, Trigger
from playtest.levels.people import Observed, Prediction
from playtest.levels.reading import YARDSTICK
from playtest.levels.selectors import EntryShown
from playtest.studies.choices import Kind, Purpose, RoundState
from playtest.studies.models import Round
from playtest.studies.selectors.annotations import left_out_round

LEAST_PEOPLE = 5
"""Fewer people on a level have no quartiles worth anything."""
LEAST_LEVELS = 3
NAME = "Vanilla"


@dataclass(frozen=True)
class PlayedLevel:
    """A level that both have played: the yardstick's mean score, and the people's own means."""

    predictor: float
    people: Sequence[float]

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.people, share))


def people_predicted(report: PlaytestReport, entries: Sequence[EntryShown]) -> Prediction | str:
    """A `levels.people.PredictionSource`: what people on other levels say of this one."""
    own = next((shown for shown in entries if shown.role == YARDSTICK), None)
    if report.level_file is None:
        return "random boards are not one level"
    if own is None or own.figures is None or not own.is_complete:
        return f"{NAME} has not played all its games yet"
    means = people_means(game=report.game)
    yardstick = yardstick_means(report=report, agent_spec=own.entry.agent_spec_id, boards_hashes=list(means))
    levels = [
        PlayedLevel(yardstick[boards], scores)
        for boards, scores in means.items()
        if boards in yardstick and boards != report.boards_hash and len(scores) >= LEAST_PEOPLE
    ]
    return predict(levels, own.figures.mean)


def people_observed(*, game: str, level_hash: str) -> Observed | None:
    """A `levels.people.ObservedSource`: who has played the level itself."""
    scores = people_means(game=game, level_hash=level_hash).get(level_hash, ())
    if not scores:
        return None
    low, median, high = (float(value) for value in np.quantile(scores, [0.25, 0.5, 0.75]))
    return Observed(len(scores), low, median, high)


def predict(levels: Sequence[PlayedLevel], predictor: float) -> Prediction | str:
    """The middle half of people on a level where the yardstick scores `predictor`, or why it cannot be told."""
    if len(levels) < LEAST_LEVELS:
        count = f"{len(levels)} level{'s' if len(levels) != 1 else ''}" if levels else "no level"
        return f"{LEAST_PEOPLE} people or more and {NAME} have played {count} besides this one, it takes {LEAST_LEVELS}"
    xs = [level.predictor for level in levels]
    lines = [line_fit(xs, [level.quantile(share) for level in levels]) for share in (0.25, 0.5, 0.75)]
    low, median, high = lines
    if isinstance(low, NotKnown) or isinstance(median, NotKnown) or isinstance(high, NotKnown):
        return f"{NAME} scored the same on all levels that people have played"
    found = median.prediction(predictor)
    assert isinstance(found, Estimate), "a line predicts everywhere"
    ends = sorted(line.at(predictor) for line in (low, high))
    interval = found.interval if isinstance(found.interval, Interval) else None
    return Prediction(
        # Lines that were fitted apart may cross where there was no level: the median is in the middle all the same.
        low=min(ends[0], found.value),
        median=found.value,
        high=max(ends[1], found.value),
        lo=interval.lo if interval else None,
        hi=interval.hi if interval else None,
        levels=len(levels),
        people=sum(len(level.people) for level in levels),
        error=mean_absolute_error(*medians_left_out(levels)),
        is_outside=not min(xs) <= predictor <= max(xs),
    )


def medians_left_out(levels: Sequence[PlayedLevel]) -> tuple[list[Measured], list[float]]:
    """For each level the median of people as the others predict it, and as it was."""
    observed = [level.quantile(0.5) for level in levels]
    return left_one_out([level.predictor for level in levels], observed), observed


def people_means(*, game: str, level_hash: str | None = None) -> dict[str, list[float]]:
    """The means of the people who finished a round on each level of a game, or on one, by the level's hash.

    Of all studies.
    """
    rounds = Round.objects.filter(game=game, kind=Kind.PERSON, purpose=Purpose.SCORED, state=RoundState.DONE)
    if level_hash is not None:
        rounds = rounds.filter(level_hash=level_hash)
    found = (
        rounds.filter(~left_out_round())
        .order_by("level_hash", "participant_id", "position")
        .values_list("level_hash", "participant_id", "score")
    )
    pairs: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for boards, participant, score in found:
        pairs[boards].append((participant, float(score)))
    return {boards: participant_means(own) for boards, own in pairs.items()}


def yardstick_means(*, report: PlaytestReport, agent_spec: int, boards_hashes: Sequence[str]) -> Mapping[str, float]:
    """Its mean score on each of these levels in the newest playtest with the rules and simulations of `report`."""
    played = PlaytestEntry.objects.filter(
        agent_spec=agent_spec,
        n__isnull=False,
        report__level_version__isnull=False,
        report__iterations=report.iterations,
        report__game_version=report.game_version,
    )
    rows = played.exclude(report__trigger=Trigger.SHOWCASE).order_by("report_id")
    wanted = set(boards_hashes)
    return {
        boards: mean
        for boards, mean in rows.values_list("report__boards_hash", "score_mean")
        if boards in wanted and mean is not None
    }
