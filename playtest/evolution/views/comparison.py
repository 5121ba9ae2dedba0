"""Pages over several runs: side by side, and the best of all."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.csv_file import csv_response
from playtest.evolution.comparison_chart import COMPARISON_CAPTION, comparison_figure
from playtest.evolution.selectors.comparison import (
    MOST_COMPARED,
    Comparison,
    hall_of_fame,
    runs_compared,
    runs_to_choose,
)
from playtest.evolution.selectors.lines import compared_lines, run_note
from playtest.figure import Figure


@designer_required
@require_safe
def compare(request: StaffRequest) -> HttpResponseBase:
    """Runs that the address names (`?run=3&run=5`) on one figure; what is no number of a run is passed over."""
    wanted = _runs_named(request)
    comparisons = runs_compared(pks=wanted)
    context = {
        "choices": [(run, name, run.pk in wanted) for run, name in runs_to_choose()],
        "comparisons": [(one, _figure(one), f"{one.digits}g") for one in comparisons],
        "compared": sum(len(one.runs) for one in comparisons),
        "most": MOST_COMPARED,
        "is_cut": len(set(wanted)) > MOST_COMPARED,
    }
    return render(request, "evolution/compare.html", context)


@designer_required
@require_safe
def compare_csv(request: StaffRequest) -> HttpResponseBase:
    """Every complete generation of the runs that the address names."""
    return csv_response("runs-compared", compared_lines(runs_compared(pks=_runs_named(request))))


@designer_required
@require_safe
def fame(request: StaffRequest) -> HttpResponseBase:
    """The best formulas of all finished runs."""
    return render(request, "evolution/fame.html", {"halls": hall_of_fame()})


def _runs_named(request: StaffRequest) -> list[int]:
    return [int(text) for text in request.GET.getlist("run") if text.isascii() and text.isdigit() and len(text) < 19]


def _figure(comparison: Comparison) -> Figure | None:
    spec = comparison_figure(comparison)
    if spec is None:
        return None
    runs = [one.run for one in comparison.runs]
    query = "&".join(f"run={run.pk}" for run in runs)
    return Figure(
        key=f"comparison-{comparison.digits}g",
        title=f"{comparison.outcome} by generation: {', '.join(one.name for one in comparison.runs)}",
        spec=spec,
        caption=COMPARISON_CAPTION,
        note=" ".join(f"{one.name}: {run_note(one.run)}" for one in comparison.runs),
        csv=f"{reverse('evolution:compare_csv')}?{query}",
    )
