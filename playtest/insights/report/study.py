"""The sections of a whole study: how far people came, Tables I and II of the paper, what holds over levels."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import QuerySet

from playtest.chart_shapes import Mark, bars_figure, interval_figure, line_figure, scatter_figure
from playtest.insights.calibration import LEAST_LEVELS, LEAST_PEOPLE, PlayedLevel, medians_left_out
from playtest.insights.report.data import SEED, LevelData, ReportData
from playtest.insights.report.document import Number, Of, Section, Value, measured_row
from playtest.insights.report.filters import Filters, Flagged, Outcome
from playtest.insights.report.shared import (
    agreement_section,
    few_sentence,
    nearest_section,
    personas_of,
    position_rows,
    think_section,
)
from playtest.insights.statistics import Estimate, kendall, mean_absolute_error, mean_of, order_effect, spearman
from playtest.insights.who import Who
from playtest.levels.reading import YARDSTICK
from playtest.studies.choices import Purpose, RoundState, Status
from playtest.studies.document import ConsentPage, QuestionnairePage, RoundsPage
from playtest.studies.models import PageVisit, Participant, Round, Study, Transition
from playtest.studies.selectors.annotations import left_out_participant
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.links import opened_count
from playtest.studies.selectors.studies import versions_published


def study_sections(data: ReportData, study: Study) -> list[Section]:
    return [
        funnel_section(data, study),
        people_table(data),
        personas_table(data),
        predicted_section(data),
        predictors_section(data),
        calibration_section(data),
        agreement_section(data, data.levels),
        nearest_section(data, data.levels),
        order_section(data),
        think_section(data, data.levels, by_level=True),
    ]


def funnel_section(data: ReportData, study: Study) -> Section:
    """How many came at least so far."""
    who = data.filters.who
    steps, left_out = funnel_steps(study, data)
    started = steps[0][1] if steps else 0
    # Bots and previews come by no link that is counted.
    opened: Value = Number(opened_count(study=study)) if who is Who.PEOPLE else "not counted"
    rows: list[Sequence[Value]] = [["Saw the first page", opened, ""]]
    rows += [[name, Number(n), Number(100 * n / started if started else None, 0, " %")] for name, n in steps]
    lead = (
        "Counted are all who started and whom the filters let through, without those left out. The first page is "
        "counted whatever the filters, once a browser that showed it to somebody new. Who withdrew took pages and "
        "rounds along."
    )
    return Section(
        key="funnel",
        title="How far they came",
        columns=["Step", who.label, "Share of those who started"],
        rows=rows,
        lead=[lead],
        figure=bars_figure(
            steps,
            axis=who.label,
            description="How far they came: " + "; ".join(f"{name} {number}" for name, number in steps),
        ),
        caption="Bars: how many came at least so far.",
        note=funnel_note(data.filters, started, left_out),
    )


def funnel_note(filters: Filters, started: int, left_out: int) -> str:
    """What the caption ends with: it counts people from the start, and the others those who finished rounds."""
    parts = [filters.who.choice.replace(",", "")]
    parts.append("all versions" if filters.version is None else f"version {filters.version}")
    if filters.outcome == Outcome.COMPLETED:
        parts.append("only who completed the study")
    if filters.flagged == Flagged.NONE:
        parts.append("without quality flags")
    who = filters.who.one if started == 1 else filters.who.many
    left = f", {left_out:,} more left out by staff" if left_out else ""
    return f"{', '.join(parts)}. n = {started:,} {who} who started{left}."


def funnel_steps(study: Study, data: ReportData) -> tuple[list[tuple[str, int]], int]:
    """Name and number of each step in order, from the newest version that is counted; how many staff left out."""
    filters = data.filters
    everybody = Participant.objects.filter(study=study, kind__in=filters.who.kinds)
    versions = versions_published(study=study)
    if filters.version is not None:
        versions = versions.filter(number=filters.version)
    newest = versions.first()
    if newest is None:
        return [], 0
    found = everybody.annotate(is_out=left_out_participant()).values_list("pk", "status", "is_out")
    asked = [row for row in found if data.kept is None or row[0] in data.kept]
    counted = {pk: status for pk, status, is_out in asked if not is_out}
    agreed = Transition.objects.filter(participant__in=everybody, to_status=Status.CONSENTED)
    visits = counted_by(PageVisit.objects.filter(participant__in=everybody), "page_key", counted)
    finished = Round.objects.filter(participant__in=everybody, purpose=Purpose.SCORED, state=RoundState.DONE)
    rounds = counted_by(finished, "position", counted)
    steps = [("Started", len(counted))]
    document = version_document(newest)
    places = {page.key: places for page, places in document.rounds_pages()}
    for page in document.pages:
        if isinstance(page, ConsentPage):
            steps.append(("Agreed to take part", counted_by(agreed, "to_status", counted)[Status.CONSENTED]))
        elif isinstance(page, QuestionnairePage):
            steps.append((f"Answered “{page.title or page.key}”", visits[page.key]))
        elif isinstance(page, RoundsPage):
            steps += [(f"Finished round {place}", rounds[place]) for place in places[page.key]]
    done = sum(status == Status.COMPLETED for status in counted.values())
    return [*steps, ("Finished the study", done)], len(asked) - len(counted)


def counted_by(rows: QuerySet[Any], field: str, counted: Collection[int]) -> Counter[Any]:
    """How many of those who are counted have a row, by a field of the rows."""
    pairs = rows.order_by().values_list(field, "participant_id").distinct()
    return Counter(value for value, participant_id in pairs if participant_id in counted)


def people_table(data: ReportData) -> Section:
    """Table I of the paper: average, maximum and minimum on each level, random boards together."""
    who = data.filters.who
    levels = data.levels
    section = Section(
        key="table-1",
        title=f"Scores of {who.many} (Table I)",
        columns=["", *(level.name for level in levels)],
        lead=[few_sentence(data, data.people)],
        caption="As Table I of Mugrai and others (2019). The average is that of the participants' own means; its "
        "interval is over participants.",
        empty="Nothing was published yet.",
    )
    if levels:
        section.rows = [
            ["Average", *(Of(mean_of(level.scores, seed=SEED)) for level in levels)],
            ["Maximum", *(Number(max(level.scores.flat.tolist(), default=None)) for level in levels)],
            ["Minimum", *(Number(min(level.scores.flat.tolist(), default=None)) for level in levels)],
            ["n", *(Number(level.scores.n) for level in levels)],
            ["Rounds", *(Number(len(level.scores.flat)) for level in levels)],
        ]
    return section


def personas_table(data: ReportData) -> Section:
    """Table II of the paper: every agent on each level, in the mean of its games."""
    personas = personas_of(data.levels)
    section = Section(
        key="table-2",
        title="Scores of personas (Table II)",
        columns=["", *(one.label for one in personas)],
        caption="As Table II of Mugrai and others (2019), but the mean of all games instead of one game.",
        empty="No persona has played these levels yet. Start their playtest on the page of results.",
    )
    for level in data.levels if personas else ():
        own = {one.spec.pk: one for one in level.personas}
        scores: list[Value] = [level.name]
        legal: list[Value] = [f"{level.name}, legal moves"]
        for one in personas:
            found = own.get(one.spec.pk)
            scores.append(Of(mean_of(found.scores, seed=SEED)) if found else "not played")
            legal.append(Of(mean_of(found.legal, seed=SEED), 2) if found else "")
        section.rows += [scores, legal]
    games = sorted({one.scores.n for level in data.levels for one in level.personas})
    seeds = sorted({level.report.seed for level in data.levels if level.report})
    if games and seeds:
        counted = " or ".join(map(str, games))
        section.caption += f" {counted} games on each level, seed of the games {', '.join(map(str, seeds))}."
    return section


def predicted_section(data: ReportData) -> Section:
    """The mean score of each persona beside that of the people, level by level."""
    personas = personas_of(data.levels)
    section = Section(
        key="predicted",
        title="Predicted and observed difficulty",
        columns=["Level", data.filters.who.label, *(one.label for one in personas)],
        caption="Each point is a level and a persona; on the dashed line the persona scores just what was observed. A "
        "level is the harder the lower its mean score.",
        empty="It takes levels that both people and personas have played.",
    )
    points = []
    for level in data.levels:
        observed = mean_of(level.scores, seed=SEED)
        own = {one.spec.pk: mean_of(one.scores, seed=SEED) for one in level.personas}
        if not isinstance(observed, Estimate) or not own:
            continue
        section.rows.append(
            [level.name, Of(observed), *(Of(own[one.spec.pk]) if one.spec.pk in own else "" for one in personas)]
        )
        for one in personas:
            predicted = own.get(one.spec.pk)
            if isinstance(predicted, Estimate):
                points.append(
                    {
                        "level": level.name,
                        "label": one.label,
                        "role": one.role,
                        "predicted": predicted.value,
                        "observed": observed.value,
                    }
                )
    section.figure = scatter_figure(
        points, description=f"Predicted and observed mean scores of {len(section.rows)} levels."
    )
    return section


def predictors_section(data: ReportData) -> Section:
    """How well each persona puts the levels in order, and how far off it is."""
    section = Section(
        key="predictors",
        title="How well each persona predicts",
        columns=["Persona", "Levels", "Spearman's rho", "Kendall's tau", "Mean error", "Mean absolute error"],
        caption="Correlations of mean scores over levels. Errors in points, predicted less observed.",
        empty="It takes levels that both people and personas have played.",
    )
    for one in personas_of(data.levels):
        pairs = _pairs(data.levels, one.spec.pk)
        if not pairs:
            continue
        predicted, observed = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        errors = [first - second for first, second in pairs]
        section.rows.append(
            [
                one.label,
                Number(len(pairs)),
                Of(spearman(predicted, observed), 2),
                Of(kendall(predicted, observed), 2),
                Number(sum(errors) / len(errors)),
                Number(sum(map(abs, errors)) / len(errors)),
            ]
        )
    return section


def calibration_section(data: ReportData) -> Section:
    """The median on each level as the others predict it from the yardstick, beside what it was."""
    who = data.filters.who
    section = Section(
        key="calibration",
        title=f"{who.label} predicted from other levels",
        columns=["Level", who.label, "Mean of Vanilla", "Predicted median", "Observed median", "Off by"],
        caption="Point: the median that a line through Vanilla's mean scores and the medians on all other levels of "
        "the study predicts, with its 95 % prediction interval. Tick: the median that was observed.",
        empty=f"It takes four levels that Vanilla and {LEAST_PEOPLE} {who.many} or more have played.",
    )
    played = []
    for level in data.levels:
        yardstick = next((one for one in level.personas if one.role == YARDSTICK), None)
        if yardstick is not None and yardstick.scores.n and level.scores.n >= LEAST_PEOPLE:
            mean = float(yardstick.scores.means.mean())
            played.append((level, PlayedLevel(mean, level.scores.means.tolist())))
    if len(played) <= LEAST_LEVELS:
        return section
    predicted, observed = medians_left_out([one for _, one in played])
    marks = []
    for (level, one), found, value in zip(played, predicted, observed, strict=True):
        off = Number(found.value - value if isinstance(found, Estimate) else None)
        section.rows.append([level.name, Number(level.scores.n), Number(one.predictor), Of(found), Number(value), off])
        if isinstance(found, Estimate):
            row = measured_row(found)
            marks.append(Mark(level.name, YARDSTICK, found.value, row["lo"], row["hi"], value))
    error = mean_absolute_error(predicted, observed)
    if error is not None:
        section.lead.append(f"Predictions are off by {error:,.0f} points on average, over {len(marks)} levels.")
    section.figure = interval_figure(
        marks,
        axis="Median score",
        against="Observed",
        description="Medians predicted from other levels: "
        + "; ".join(f"{one.label} {one.value:,.0f}, observed {one.against or 0:,.0f}" for one in marks),
    )
    return section


def _pairs(levels: Sequence[LevelData], spec: int) -> list[tuple[float, float]]:
    """Mean score of the persona and of the people on each level that both played."""
    pairs = []
    for level in levels:
        for one in level.personas:
            if one.spec.pk == spec and one.scores.n and level.scores.n:
                pairs.append((float(one.scores.means.mean()), float(level.scores.means.mean())))
    return pairs


def order_section(data: ReportData) -> Section:
    """Whether scores rise from round to round."""
    who = data.filters.who
    rows, spots = position_rows(data, data.levels, centred=True)
    slope = order_effect(
        [
            (one.participant_id, level.boards_hash, one.position, one.score)
            for level in data.levels
            for one in level.results
        ],
        seed=SEED,
    )
    section = Section(
        key="order",
        title="Order and learning",
        columns=["Round", who.label, "Rounds", "Score less the level's mean"],
        rows=[
            *rows,
            [
                "Points a round, within participant and level",
                Number(data.people),
                Number(len(data.results)),
                Of(slope, 1, sign=True),
            ],
        ],
        caption="Mean score by the place of the round, less the mean of its level. Band: its 95 % interval.",
        empty="Nobody has finished a round yet.",
    )
    if not rows:
        section.rows = []
    if len(rows) > 1:
        section.figure = line_figure(
            spots, across="Round", up="Score less the level's mean", form="+,.0f", description="Scores by round."
        )
    if isinstance(slope, Estimate):
        section.lead.append(
            "The last line of the table says how many points a further round brings the same participant on the same "
            "level: above 0 they learn, below they tire."
        )
    return section
