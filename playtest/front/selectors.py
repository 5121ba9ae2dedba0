"""What the start page and the dashboard show."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from playtest.evolution.models import ACTIVE, EvolutionRun, Persona, RunState
from playtest.levels.models import Level
from playtest.studies.choices import Kind, StudyState
from playtest.studies.models import Participant, Study


@dataclass(frozen=True)
class Counts:
    """People and bots are counted apart, previews never."""

    open_studies: int
    people: int
    bots: int
    levels: int
    active_runs: int
    finished_runs: int
    personas: int


@dataclass(frozen=True)
class NextStep:
    """What to do now, and the page where one does it."""

    title: str
    text: str
    url: str
    button: str


def open_studies() -> QuerySet[Study]:
    return Study.objects.filter(state=StudyState.OPEN).order_by("title", "pk")


def dashboard_counts() -> Counts:
    players = Participant.objects.aggregate(
        people=Count("pk", filter=Q(kind=Kind.PERSON)), bots=Count("pk", filter=Q(kind=Kind.BOT))
    )
    runs = EvolutionRun.objects.aggregate(
        active=Count("pk", filter=Q(state__in=ACTIVE)), finished=Count("pk", filter=Q(state=RunState.FINISHED))
    )
    return Counts(
        open_studies=open_studies().count(),
        people=players["people"],
        bots=players["bots"],
        levels=Level.objects.filter(archived_at__isnull=True).count(),
        active_runs=runs["active"],
        finished_runs=runs["finished"],
        personas=Persona.objects.filter(archived_at__isnull=True).count(),
    )


def next_step(counts: Counts, *, is_admin: bool) -> NextStep:
    """The first thing on the way from an empty site to people beside personas that is not done yet."""
    if not counts.levels:
        return NextStep(
            title="Draw a level",
            text="A level is what people and personas play. Once there is one, the personas can play it.",
            url=reverse("levels:draw"),
            button="Draw a level",
        )
    if not counts.open_studies:
        return NextStep(
            title="Open a study",
            text="A study invites people to play your levels, all on the same boards with the same falling pieces.",
            url=reverse("studies_staff:list"),
            button="Go to the studies",
        )
    if not counts.people:
        return NextStep(
            title="Invite people",
            text="A study is open, and nobody has played it yet. Its page has the link to send.",
            url=reverse("studies_staff:list"),
            button="Go to the studies",
        )
    if is_admin and not counts.active_runs and not counts.finished_runs:
        return NextStep(
            title="Evolve a persona of your own",
            text="A run breeds rules for choosing moves and keeps the one that plays most like the goal you set.",
            url=reverse("evolution:create"),
            button="Start a run",
        )
    return NextStep(
        title="Compare people and personas",
        text="For each level of a study: everybody's score, and each persona's over 100 games, on one chart.",
        url=reverse("studies_staff:list"),
        button="Go to the studies",
    )
