"""Which report shows how a persona plays: games on random boards, beside vanilla and random play on the same ones."""

from playtest.evolution.models import PersonaVersion
from playtest.levels.models import PlaytestReport, Trigger


def showcase_report(*, version: PersonaVersion) -> PlaytestReport | None:
    """The newest report on random boards in which this version plays, or None."""
    reports = PlaytestReport.objects.filter(trigger=Trigger.SHOWCASE, entries__agent_spec=version.agent_spec_id)
    return reports.order_by("-id").first()
