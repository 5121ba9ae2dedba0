"""What people and personas reach of what a board can give."""

from playtest.insights.report.data import SEED, LevelData, ReportData
from playtest.insights.report.document import Number, Of, Section
from playtest.insights.report.shared import few_sentence
from playtest.insights.statistics import mean_of, median_of


def par_sections(data: ReportData, level: LevelData) -> list[Section]:
    """Scores as shares of par, the best play that a search found; nothing where there is none or it is no gain."""
    par = level.par
    if par is None or par.percent_a_point is None:
        return []
    who = data.filters.who
    section = Section(
        key="par",
        title="Share of par",
        columns=["Who", "n", "Mean share, %", "Median share, %", "Best round, %"],
        lead=[
            f"Par is {par.score:,} points: the best play that a search has found on this board, by {par.solver}.",
            few_sentence(data, level.scores.n),
        ],
        empty="Nobody has played this level yet, neither people nor personas.",
    )
    best = 0.0
    for label, scores in [(who.label, level.scores), *((one.label, one.scores) for one in level.personas)]:
        if not scores.n:
            continue
        shares = scores.scaled(par.percent_a_point)
        most = float(shares.flat.max())
        best = max(best, most)
        section.rows.append(
            [
                label,
                Number(shares.n),
                Of(mean_of(shares, seed=SEED), 1),
                Of(median_of(shares, seed=SEED), 1),
                Number(most, 1),
            ]
        )
    if best > 100:
        section.lead.append("Somebody has found more than the search has: search longer on the level's page.")
    return [section]
