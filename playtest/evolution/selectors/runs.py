"""Reading runs."""

from playtest.accounts.models import User
from playtest.evolution.models import EvolutionRun


def run_is_visible(user: User, pk: int) -> bool:
    """Whether this member of the staff may see the run: designers see all runs, admins launch them."""
    return user.is_active and EvolutionRun.objects.filter(pk=pk).exists()
