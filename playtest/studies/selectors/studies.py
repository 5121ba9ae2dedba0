"""Studies, as pages and commands look them up."""

from django.db.models import QuerySet

from playtest.studies.choices import Admission, StudyState
from playtest.studies.models import Study, StudyVersion


def study_by_public_id(public_id: str) -> Study | None:
    """A study, published or not: a draft is seen by who previews it."""
    return (
        Study.objects.select_related("published")
        .defer("draft", "removed", "published__document", "published__game_versions")
        .filter(public_id=public_id)
        .first()
    )


def study_by_name(name: str) -> Study | None:
    """A study by its short name or its public id."""
    if not name.isascii() or "\0" in name:
        # No study has such a name, and databases refuse some of them.
        return None
    return Study.objects.filter(slug=name).first() or Study.objects.filter(public_id=name).first()


def studies_on_start_page() -> QuerySet[Study]:
    """Open studies that the start page of the site tells everybody of, by title."""
    return Study.objects.filter(state=StudyState.OPEN, admission=Admission.LISTED).order_by("title", "pk")


def version_numbers(*, study: Study) -> list[int]:
    """The numbers of the published versions, in order."""
    return sorted(versions_published(study=study).values_list("number", flat=True))


def versions_published(*, study: Study) -> QuerySet[StudyVersion]:
    """What was published, the newest first. Drafts that were only previewed have no number and are not among them."""
    return StudyVersion.objects.filter(study=study, number__gte=1).order_by("-number")
