"""The sections of a page, computed when something is newer and else taken from the store of figures."""

from contextlib import suppress
from hashlib import sha256
from typing import Any

from django.db import DatabaseError
from django.db.models import Count, Max, Sum

from engine.level import canonical_json
from playtest.insights.models import FigureCache, Opinion
from playtest.insights.report.data import SEED, report_data
from playtest.insights.report.filters import Filters
from playtest.insights.report.level import level_sections
from playtest.insights.report.study import study_sections
from playtest.insights.services.forgetting import figures_keep, withdrawn_count
from playtest.leases import LeaseState
from playtest.levels.digest import engine_digest
from playtest.levels.models import PlaytestReport, Restart
from playtest.studies.models import Annotation, PageVisit, Participant, Round, Study
from playtest.studies.selectors.links import opened_count

FORMAT = 3
"""Rises whenever the same rounds would give another page."""


def sections_ensure(*, study: Study, filters: Filters, versions: list[int], only: str | None = None) -> dict[str, Any]:
    """Title and sections of the study's page, or of the level whose boards have the hash `only`.

    `title` is None where the study has no such level. What is kept is kept by the revision of all that it is made of.
    """
    asked = [FORMAT, SEED, study.pk, only or "", filters.query, versions]
    key, rev = sha256(canonical_json(asked).encode()).hexdigest(), revision(study)
    kept = FigureCache.objects.filter(key=key, rev=rev).values_list("document", flat=True).first()
    if kept is not None:
        found: dict[str, Any] = kept
        return found
    withdrawn = withdrawn_count(study_id=study.pk)
    document = _computed(study, filters, versions, only)
    if document["title"] is None:
        return document
    # A store that cannot be written, or that somebody else is just writing, costs time and nothing else.
    with suppress(DatabaseError):
        figures_keep(study_id=study.pk, key=key, rev=rev, document=document, withdrawn=withdrawn)
    return document


def _computed(study: Study, filters: Filters, versions: list[int], only: str | None) -> dict[str, Any]:
    data = report_data(study=study, filters=filters, versions=versions, only=only)
    note = data.note()
    if only is None:
        title, sections = study.title, study_sections(data, study)
    elif data.levels:
        title, sections = data.levels[0].name, level_sections(data)
    else:
        return {"title": None, "sections": []}
    return {
        "title": title,
        "note": note,
        "levels": [
            {
                "name": level.name,
                "hash": level.boards_hash,
                "board": list(level.group.level.board) if level.group.level is not None else [],
            }
            for level in data.levels
        ],
        "sections": [section.to_document(note) for section in sections],
    }


def revision(study: Study) -> str:
    """What tells that something is newer: rounds, people, openings, decisions, playtests, par, opinions, program."""
    own = {"participant__study": study}
    rounds = Round.objects.filter(**own).aggregate(Count("pk"), Max("ended_at"), Sum("state"))
    people = Participant.objects.filter(study=study).aggregate(Count("pk"), Sum("status"), Max("finished_at"))
    decided = Annotation.objects.filter(**own).aggregate(Count("pk"), Max("pk"), Count("superseded_by"))
    pages = PageVisit.objects.filter(**own).aggregate(Count("pk"))
    reports = PlaytestReport.objects.aggregate(Count("pk"), Max("pk"), Sum("rev"))
    opinions = Opinion.objects.filter(
        round__participant__study=study, engine_digest=engine_digest(), state=LeaseState.DONE
    ).aggregate(Count("pk"), Max("pk"))
    opened = opened_count(study=study)
    pars = Restart.objects.filter(score__isnull=False).aggregate(Count("pk"), Sum("score"))
    parts = [rounds, people, decided, pages, opened, reports, pars, opinions, study.title, engine_digest()]
    return sha256("|".join(map(str, parts)).encode()).hexdigest()
