"""Which studies a member of the staff may open: their own, an admin all. Every staff page of a study asks here."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from playtest.accounts.models import User
from playtest.studies.models import Study
from playtest.studies.selectors.staff import study_is_changeable


def study_or_refuse(user: User, pk: int, among: QuerySet[Study] | None = None) -> Study:
    """The study of that number; 404 if there is none, 403 with the reason if it is somebody else's."""
    study = get_object_or_404(Study.objects.all() if among is None else among, pk=pk)
    if not study_is_changeable(user, study):
        raise PermissionDenied("This study belongs to somebody else. Its owner and admins can open it.")
    return study
