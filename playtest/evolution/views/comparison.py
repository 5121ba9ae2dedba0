"""Pages over several runs: side by side, and the best of all."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from playtest.accounts.decorators import StaffRequest, designer_required
from playtest.evolution.comparison_chart import comparison_figure
from playtest.evolution.selectors.comparison import MOST_COMPARED, hall_of_fame, runs_compared, runs_to_choose


@designer_required
@require_safe
def compare(request: StaffRequest) -> HttpResponseBase:
    """Runs that the address names (`?run=3&run=5`) on one figure; what is no number of a run is passed over."""
    wanted = [int(text) for text in request.GET.getlist("run") if text.isascii() and text.isdigit() and len(text) < 19]
    comparisons = runs_compared(pks=wanted)
    context = {
        "choices": [(run, name, run.pk in wanted) for run, name in runs_to_choose()],
        "comparisons": [(one, comparison_figure(one), f"{one.digits}g") for one in comparisons],
        "compared": sum(len(one.runs) for one in comparisons),
        "most": MOST_COMPARED,
        "is_cut": len(set(wanted)) > MOST_COMPARED,
    }
    return render(request, "evolution/compare.html", context)


@designer_required
@require_safe
def fame(request: StaffRequest) -> HttpResponseBase:
    """The best formulas of all finished runs."""
    return render(request, "evolution/fame.html", {"halls": hall_of_fame()})
