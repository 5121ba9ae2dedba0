"""The sections of one level."""

from collections import defaultdict
from collections.abc import Sequence

from playtest.chart_shapes import Mark, Spot, interval_figure, line_figure
from playtest.charts import Group, Point, distribution_figure
from playtest.insights.people import result_label
from playtest.insights.report.data import SEED, LevelData, ReportData
from playtest.insights.report.document import Chance, Number, Of, Section, Value, measured_row
from playtest.insights.report.par import par_sections
from playtest.insights.report.shared import (
    FEW,
    ROLES,
    agreement_section,
    few_sentence,
    nearest_section,
    position_rows,
    think_section,
)
from playtest.insights.statistics import (
    Estimate,
    NotKnown,
    Sample,
    Test,
    cliffs_delta,
    holm,
    mean_difference,
    mean_of,
    median_of,
    percentile_among,
    permutation_test,
)
from playtest.levels.selectors import summary_figures

LONGEST = 60
"""Moves up to here are drawn one by one."""


def level_sections(data: ReportData) -> list[Section]:
    """Everything of the one level in `data`."""
    (level,) = data.levels
    return [
        scores_section(data, level),
        *par_sections(data, level),
        differences_section(data, level),
        agreement_section(data, data.levels),
        nearest_section(data, data.levels),
        legal_section(data, level),
        think_section(data, data.levels, by_level=False),
        order_section(data, level),
    ]


def scores_section(data: ReportData, level: LevelData) -> Section:
    """Every score, and the personas on the same axis."""
    who = data.filters.who
    section = Section(
        key="scores",
        title="Scores",
        columns=[
            "Who",
            "n",
            "Rounds",
            "Mean score",
            "Median",
            "Middle half",
            "5 to 95 %",
            "Least",
            "Most",
            "Legal moves",
        ],
        lead=[few_sentence(data, level.scores.n), equal_sentence(data, level.scores)],
        caption="Points: rounds. Box: the middle half, with the median. Line: 5 to 95 %. Bar below: the mean with its "
        "95 % interval.",
        empty="Nobody has played this level yet, neither people nor personas.",
    )
    groups = []
    for role, label, scores, legal, points in [
        (ROLES[who], who.label, level.scores, level.legal, level.results),
        *((one.role, one.label, one.scores, one.legal, ()) for one in level.personas),
    ]:
        figures = summary_figures(scores.flat.tolist())
        if figures is None:
            continue
        mean = mean_of(scores, seed=SEED)
        spread = [f"{figures.q25:,.0f} to {figures.q75:,.0f}", f"{figures.q05:,.0f} to {figures.q95:,.0f}"]
        section.rows.append(
            [
                label,
                Number(scores.n),
                Number(figures.n),
                Of(mean),
                Of(median_of(scores, seed=SEED)),
                *spread,
                Number(figures.least),
                Number(figures.most),
                Of(mean_of(legal, seed=SEED), 2),
            ]
        )
        shown = tuple(Point(result_label(one), float(one.score)) for one in points)
        n_text = f"n = {scores.n:,}" + (f"\n{figures.n:,} rounds" if figures.n != scores.n else "")
        row = measured_row(mean)
        interval = {"mean": row["value"], "ci_lo": row["lo"], "ci_hi": row["hi"]}
        groups.append(Group(role, label, type(figures)(**{**vars(figures), **interval}), shown, n_text))
    if groups:
        said = "; ".join(f"{group.label}: median {group.figures.median:,.0f}" for group in groups if group.figures)
        section.figure = distribution_figure(
            groups, axis="Score of a round", description=f"Scores on {level.name}, {who.many} beside personas. {said}."
        )
    return section


def equal_sentence(data: ReportData, scores: Sample) -> str:
    if scores.n > 1 and scores.is_flat:
        return f"All {scores.n} {data.filters.who.many} scored exactly {scores.flat[0]:,.0f}."
    return ""


def differences_section(data: ReportData, level: LevelData) -> Section:
    """How far the people are from each persona, and where it stands among them."""
    who = data.filters.who
    section = Section(
        key="differences",
        title=f"{who.label} against each persona",
        columns=["Persona", "Games", "Difference of means", "Cliff's delta", "p", "p, corrected", "Percentile"],
        caption=f"Point: mean of {who.many} less mean of the persona, with its 95 % interval. Line: no difference.",
        empty="There are no people or no personas to hold against each other here.",
    )
    people = level.scores
    if not people.n:
        return section
    tests = [permutation_test(people.firsts.tolist(), one.scores.flat.tolist(), seed=SEED) for one in level.personas]
    corrected = holm([test.p if isinstance(test, Test) else None for test in tests])
    marks = []
    for persona, test, p in zip(level.personas, tests, corrected, strict=True):
        difference = mean_difference(people, persona.scores, seed=SEED)
        section.rows.append(
            [
                persona.label,
                Number(persona.scores.n),
                Of(difference, sign=True),
                Of(cliffs_delta(people, persona.scores, seed=SEED), 2, sign=True),
                Chance(test),
                Chance(test if isinstance(test, NotKnown) else p),
                Of(percentile_among(persona.scores, people, seed=SEED)),
            ]
        )
        if isinstance(difference, Estimate):
            row = measured_row(difference)
            marks.append(Mark(persona.label, persona.role, difference.value, row["lo"], row["hi"]))
    section.figure = interval_figure(
        marks,
        axis=f"Points by which {who.many} are above the persona",
        zero=True,
        form="+,.0f",
        description=f"Difference of means on {level.name}: "
        + "; ".join(f"{mark.label} {mark.value:+,.0f}" for mark in marks),
    )
    if section.rows:
        section.lead.append(
            "Percentile: how many per cent of the rounds lie below the persona's median. Corrected p values allow for "
            f"{len(section.rows)} comparisons in this table (Holm)."
        )
        if people.n < FEW:
            section.lead.append(few_sentence(data, people.n))
        if len(people.flat) > people.n:
            section.lead.append(f"The p values take the first round of each {who.one}.")
    return section


def legal_section(data: ReportData, level: LevelData) -> Section:
    """The number of legal moves before each move, as in Figures 5 and 6 of the paper."""
    who = data.filters.who
    section = Section(
        key="legal",
        title="Legal moves over the game",
        columns=["Move", who.label, *(one.label for one in level.personas)],
        caption=f"Mean number of legal moves before each move. Band: its 95 % interval over {who.many} and over games.",
        empty="There are no moves yet.",
    )
    by_move: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for person, move in level.owned_moves():
        by_move[move.number].append((person, float(move.legal)))
    length = max([*by_move, *(len(game.legal_before) for one in level.personas for game in one.games)], default=0)
    spots: list[Spot] = []
    for number in range(1, min(length, LONGEST) + 1):
        samples = [(ROLES[who], who.label, Sample.of(by_move.get(number, [])))]
        for one in level.personas:
            values = [float(game.legal_before[number - 1]) for game in one.games if len(game.legal_before) >= number]
            samples.append((one.role, one.label, Sample.single(values)))
        row: list[Value] = [str(number)]
        for role, label, sample in samples:
            found = mean_of(sample, seed=SEED)
            row.append(Of(found, 2))
            if isinstance(found, Estimate):
                ends = measured_row(found)
                spots.append(Spot(label, role, number, found.value, ends["lo"], ends["hi"]))
        section.rows.append(row)
    section.figure = line_figure(
        spots,
        across="Move",
        up="Legal moves before it",
        description=f"Mean number of legal moves on {level.name} before each of {len(section.rows)} moves.",
    )
    if length > LONGEST:
        section.lead.append(f"The first {LONGEST} of at most {length} moves.")
    return section


def order_section(data: ReportData, level: LevelData) -> Section:
    """Whether it matters as which round somebody met the level."""
    who = data.filters.who
    rows, spots = position_rows(data, data.levels, centred=False)
    section = Section(
        key="order",
        title="When it was played",
        columns=["Played as round", who.label, "Rounds", "Mean score"],
        rows=list[Sequence[Value]](rows),
        caption="Mean score by the place of the round among all rounds of a participant. Band: its 95 % interval.",
        empty="Nobody has finished a round here yet.",
    )
    if len(rows) > 1:
        section.figure = line_figure(
            spots,
            across="Played as round",
            up="Mean score",
            form=",.0f",
            description=f"Mean score on {level.name} by when it was played.",
        )
        section.lead.append("Different participants stand behind each place, unless the level comes more than once.")
    return section
