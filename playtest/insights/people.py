"""Figures of people: every score of theirs, and what can be said of few, of one and of none."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from playtest.charts import Figures, Point
from playtest.levels.selectors import Legal, summary_figures
from playtest.studies.choices import Kind
from playtest.studies.selectors.scores import RoundResult


def people_figures(results: Sequence[RoundResult]) -> Figures | None:
    """Figures of the scores of these rounds; None for none.

    Where a participant played several of the rounds, their scores hang together: quartiles are those of the rounds,
    but mean and interval are those of the participants' own means, so that n is the number of participants.
    """
    figures = summary_figures([result.score for result in results])
    if figures is None or len(results) == participant_count(results):
        return figures
    means = summary_figures(participant_means([(one.participant_id, float(one.score)) for one in results]))
    assert means is not None
    return replace(figures, mean=means.mean, ci_lo=means.ci_lo, ci_hi=means.ci_hi)


def people_legal(results: Sequence[RoundResult]) -> Legal | None:
    """Mean number of legal moves before a move, over participants as in `people_figures`. None without moves."""
    pairs = [(one.participant_id, one.legal_mean) for one in results if one.legal_mean is not None]
    figures = summary_figures(participant_means(pairs))
    return Legal(figures.mean, figures.ci_lo, figures.ci_hi) if figures else None


def people_points(results: Sequence[RoundResult]) -> tuple[Point, ...]:
    """Each score with whose it is."""
    return tuple(Point(label=result_label(result), value=float(result.score)) for result in results)


def people_count_text(results: Sequence[RoundResult], left_out: Sequence[RoundResult] = ()) -> str:
    """n, the number of participants, and in a second line how many rounds they played, where these are two numbers.

    Where staff left rounds out, both numbers: of those that count, and of all.
    """
    everything = [*results, *left_out]
    people, all_people = participant_count(results), participant_count(everything)
    n = f"n = {counted_of(people, all_people)}"
    if (people, all_people) == (len(results), len(everything)):
        return n
    return f"{n}\n{counted_of(len(results), len(everything))} rounds"


def counted_of(number: int, of: int) -> str:
    return f"{number:,}" if number == of else f"{number:,} of {of:,}"


def left_out_sentence(results: Sequence[RoundResult], left_out: Sequence[RoundResult], *, one: str, many: str) -> str:
    """How much of what was played staff left out. Empty where nothing was."""
    if not left_out:
        return ""
    rounds = "1 round" if len(left_out) == 1 else f"{len(left_out):,} rounds"
    people = participant_count(left_out)
    who = f"1 {one}" if people == 1 else f"{people:,} {many}"
    counted = f"{len(results):,} of {len(results) + len(left_out):,}"
    return f"Staff left out {rounds} of {who}: {counted} rounds are counted here."


def people_sentence(results: Sequence[RoundResult], *, one: str, many: str, nobody: str) -> str:
    """What a figure cannot show: that there is nobody, one alone, or no difference. Empty where the figure says it."""
    scores = [result.score for result in results]
    people = participant_count(results)
    if not scores:
        return nobody
    if people == 1:
        rounds = f"{len(scores)} rounds" if len(scores) > 1 else "one round"
        return f"One {one} has finished {rounds} here, so there is no interval yet: it needs two."
    if len(set(scores)) == 1:
        return f"All {people} {many} scored exactly {scores[0]:,}."
    return ""


def result_label(result: RoundResult) -> str:
    """Whose round it is, for a note and a table: bots are always called so."""
    name = result.code or f"No. {result.participant_id}"
    return f"Bot {name}" if result.kind == Kind.BOT else name


def participant_count(results: Sequence[RoundResult]) -> int:
    return len({result.participant_id for result in results})


def participant_means(pairs: Sequence[tuple[int, float]]) -> list[float]:
    """One mean for each participant, in the order in which they come."""
    values: dict[int, list[float]] = defaultdict(list)
    for participant, value in pairs:
        values[participant].append(value)
    return [fmean(of_one) for of_one in values.values()]
