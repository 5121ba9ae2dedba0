"""Sections that pages of a level and of a study both have."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median

import numpy as np

from playtest.chart_shapes import Mark, Spot, interval_figure, line_figure
from playtest.insights.report.data import SEED, LevelData, Persona, ReportData
from playtest.insights.report.document import Number, Of, Section, Value, measured_row
from playtest.insights.statistics import (
    Agreement,
    Estimate,
    Measured,
    MovesSeen,
    NotKnown,
    Sample,
    agreement_over_chance,
    mean_of,
    median_of,
    nearest_persona,
)
from playtest.insights.who import Who

ROLES = {Who.PEOPLE: "people", Who.BOTS: "bots", Who.TOGETHER: "people"}
FEW = 10
CAREFUL = (
    "Nearest means: of the few programs here, the one that chooses most like this person. It says nothing of why "
    "somebody plays so, how good they are, or how they see themselves."
)


def personas_of(levels: Sequence[LevelData]) -> list[Persona]:
    """Each agent once, in the order in which it comes first."""
    return list({persona.spec.pk: persona for level in levels for persona in level.personas}.values())


def few_sentence(data: ReportData, count: int) -> str:
    """What to say of few participants."""
    who = data.filters.who
    if count == 0:
        return f"No {who.one} has finished a round here yet." if who != Who.TOGETHER else "Nobody has played here yet."
    if count < FEW:
        counted = f"One {who.one}" if count == 1 else f"{count} {who.many}"
        return f"{counted}: fewer than {FEW}, so intervals are rough where there are any."
    return ""


def agreement_section(data: ReportData, levels: Sequence[LevelData]) -> Section:
    """How often each persona's best action is the person's, against chance."""
    section = Section(
        key="agreement",
        title="Agreement move by move",
        columns=["Persona", data.filters.who.label, "Moves", "Agreement", "Chance", "Above chance", "Times chance"],
        caption=(
            "Point: how often the persona's best action is the one that was played, with its 95 % interval. "
            "Tick: what drawing among the legal moves would reach."
        ),
        empty="No persona has looked at these moves yet. Ask for their opinions at the top of the page.",
    )
    marks = []
    for persona in personas_of(levels):
        found = agreement_over_chance(list(moves_by_person(levels, persona.spec.pk).values()), seed=SEED)
        if not found.people:
            continue
        section.rows.append(agreement_row(persona, found))
        if isinstance(found.share, Estimate):
            row = measured_row(found.share, 100)
            chance = found.chance.value * 100 if isinstance(found.chance, Estimate) else None
            marks.append(Mark(persona.label, persona.role, found.share.value * 100, row["lo"], row["hi"], chance))
    section.figure = interval_figure(
        marks,
        axis="Moves in common, per cent",
        against="Chance, per cent",
        description="Agreement of each persona with the moves that were played: "
        + "; ".join(f"{mark.label} {mark.value:.0f} %, chance {mark.against or 0:.0f} %" for mark in marks),
    )
    if section.rows:
        section.lead.append(
            "Times chance says how many times as likely as by chance the persona chooses what was played, over 32 "
            "searches a move: 1 is chance."
        )
    return section


def agreement_row(persona: Persona, found: Agreement) -> list[Value]:
    return [
        persona.label,
        Number(found.people),
        Number(found.moves),
        Of(found.share, 1, 100, " %"),
        Of(found.chance, 1, 100, " %"),
        Of(found.over_chance, 1, 100, " %", sign=True),
        Of(found.times_chance, 2),
    ]


def moves_by_person(levels: Sequence[LevelData], spec: int) -> dict[int, MovesSeen]:
    """All moves of each person that one agent has looked at."""
    parts: dict[int, list[MovesSeen]] = defaultdict(list)
    for level in levels:
        seen = level.opinions.get(spec, {})
        for one in level.results:
            if one.round_id in seen:
                parts[one.participant_id].append(seen[one.round_id])
    return {
        who: MovesSeen(
            np.concatenate([part.legal for part in own]),
            np.concatenate([part.is_best for part in own]),
            np.concatenate([part.share for part in own]),
        )
        for who, own in parts.items()
    }


def nearest_section(data: ReportData, levels: Sequence[LevelData]) -> Section:
    """How many people are nearest to which persona, or to none beyond doubt."""
    who = data.filters.who
    section = Section(
        key="nearest",
        title="Nearest persona",
        columns=["Persona", f"{who.label} nearest to it", "Of these it fits", "Share of all"],
        lead=[CAREFUL],
        empty="No persona has looked at these moves yet.",
        caption="It fits if its choices are better than chance beyond doubt, at 95 % for all personas together.",
    )
    personas = {one.spec.pk: one for one in personas_of(levels) if not one.is_random}
    seen = {pk: moves_by_person(levels, pk) for pk in personas}
    everybody = sorted({person for own in seen.values() for person in own})
    nearest: Counter[str] = Counter()
    fitting: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for person in everybody:
        gains = {str(pk): own[person].gains for pk, own in seen.items() if person in own}
        found = nearest_persona(gains)
        if isinstance(found, NotKnown):
            unknown[found.why] += 1
            continue
        nearest[found.persona] += 1
        fitting[found.persona] += found.fits
    total = sum(nearest.values())
    if not everybody:
        return section
    for pk, persona in personas.items():
        if seen[pk]:
            own = nearest[str(pk)]
            section.rows.append(
                [
                    persona.label,
                    Number(own),
                    Number(fitting[str(pk)]),
                    Number(100 * own / total if total else None, 0, " %"),
                ]
            )
    none = total - sum(fitting.values())
    section.rows.append(["None fits", Number(none), "", Number(100 * none / total if total else None, 0, " %")])
    if total and none == total:
        section.lead.append(f"None of the personas fits any of these {total} {who.many} better than chance would.")
    section.lead += [f"Not known of {number}, because {why}." for why, number in sorted(unknown.items())]
    return section


def think_section(data: ReportData, levels: Sequence[LevelData], *, by_level: bool) -> Section:
    """How long somebody thinks before a move: by level, or by the number of the move."""
    who = data.filters.who
    section = Section(
        key="think",
        title="Think time",
        columns=["Level" if by_level else "Move", who.label, "Moves", "Median, seconds", "Without a time"],
        caption="Time from the moment the board takes input to the move, animations not counted: the median of the "
        "participants' own medians. Band: its 95 % interval.",
        empty="There are no moves with a think time yet.",
    )
    if by_level:
        for level in levels:
            sample = Sample.of((who_, seconds(move.think_ms)) for who_, move in level.owned_moves())
            if sample.n or sample.missing:
                section.rows.append(think_row(level.name, sample))
        return section
    spots = []
    times: dict[int, list[tuple[int, float | None]]] = defaultdict(list)
    for level in levels:
        for person, move in level.owned_moves():
            times[move.number].append((person, seconds(move.think_ms)))
    for seq in sorted(times):
        sample = Sample.of(times[seq])
        found = think_median(sample)
        section.rows.append([str(seq), *think_row("", sample)[1:]])
        if isinstance(found, Estimate):
            row = measured_row(found)
            spots.append(Spot(who.label, ROLES[who], seq, found.value, row["lo"], row["hi"]))
    section.figure = line_figure(
        spots,
        across="Move",
        up="Median think time, seconds",
        description=f"Median think time of {who.many} before each of {len(spots)} moves.",
        zero=True,
    )
    return section


def think_row(name: str, sample: Sample) -> list[Value]:
    return [name, Number(sample.n), Number(len(sample.flat)), Of(think_median(sample), 1), Number(sample.missing)]


def think_median(sample: Sample) -> Measured:
    """The median over participants of the median of each: nobody counts more for having moved more."""
    return median_of(Sample.single([median(group) for group in sample.groups]), seed=SEED)


def seconds(ms: int | None) -> float | None:
    return None if ms is None else ms / 1_000


def position_rows(
    data: ReportData, levels: Sequence[LevelData], *, centred: bool
) -> tuple[list[list[Value]], list[Spot]]:
    """Mean score by position among the rounds; `centred`: less the mean of the level."""
    who = data.filters.who
    scores: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for level in levels:
        mean = float(level.scores.flat.mean()) if centred and level.scores.n else 0.0
        for one in level.results:
            scores[one.position].append((one.participant_id, one.score - mean))
    rows: list[list[Value]] = []
    spots = []
    for position in sorted(scores):
        sample = Sample.of(scores[position])
        found = mean_of(sample, seed=SEED)
        rows.append([str(position), Number(sample.n), Number(len(sample.flat)), Of(found, 0, sign=centred)])
        if isinstance(found, Estimate):
            row = measured_row(found)
            spots.append(Spot(who.label, ROLES[who], position, found.value, row["lo"], row["hi"]))
    return rows, spots
