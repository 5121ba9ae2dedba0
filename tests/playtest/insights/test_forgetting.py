"""What is kept of a page's figures goes with the data of whoever withdraws, and is bounded for everybody else."""

import json
from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.accounts.models import User
from playtest.insights.models import FigureCache
from playtest.insights.report.filters import Filters, Flagged, Outcome
from playtest.insights.services import figures
from playtest.insights.services import forgetting as insights_forgetting
from playtest.insights.services.forgetting import figures_prune
from playtest.insights.who import AS_ONE
from playtest.management.commands import reconcile
from playtest.studies import forgetting
from playtest.studies.choices import Kind, Status
from playtest.studies.models import Participant, Study
from playtest.studies.services import participant_withdraw
from tests.playtest.insights.rows import make_participant, make_study, play_rounds, preset_levels


@pytest.fixture
def study(designer: User) -> Study:
    return make_study(owner=designer, drawn=0)


def player(study: Study, *, seed: int = 40, kind: Kind = Kind.PERSON) -> Participant:
    participant = make_participant(study, kind)
    play_rounds(participant, seed=seed)
    participant.refresh_from_db()
    return participant


def look(study: Study, only: str | None = None, **filters: Any) -> dict[str, Any]:
    return figures.sections_ensure(study=study, filters=Filters(**filters), versions=[1], only=only)


def kept_of(study: Study) -> list[str]:
    return [json.dumps(one) for one in FigureCache.objects.filter(study=study).values_list("document", flat=True)]


@pytest.mark.django_db
def test_nothing_that_is_kept_of_figures_has_anything_of_who_withdrew(study: Study, designer_client: Client) -> None:
    leaving, staying = player(study), player(study, seed=41)
    code, hash_ = leaving.code, preset_levels()[0].content_hash()
    other = make_study(owner=study.owner, drawn=0)
    player(other, seed=42)
    look(other)
    people, level = (
        reverse("insights:people", args=[study.pk]),
        reverse("insights:level_people", args=[study.pk, hash_]),
    )
    for who in AS_ONE:
        for outcome in Outcome:
            for address in (people, level):
                designer_client.get(address, {"who": who, "outcome": outcome, "flags": Flagged.NONE})
    designer_client.get(f"{level}report.html")
    assert len(kept_of(study)) > 10
    assert any(str(code) in text for text in kept_of(study)), "the test looks for what is there"
    participant_withdraw(participant=leaving)
    assert kept_of(study) == []
    assert len(kept_of(other)) == 1
    text = designer_client.get(level).content.decode()
    assert str(staying.code) in text
    assert str(code) not in text
    assert not any(str(code) in kept for kept in kept_of(study))


@pytest.mark.django_db
def test_figures_that_were_under_way_while_somebody_withdrew_are_not_kept(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving = player(study)
    player(study, seed=41)
    compute = figures._computed

    def slowly(*args: Any) -> dict[str, Any]:
        document = compute(*args)
        participant_withdraw(participant=leaving)
        return document

    monkeypatch.setattr(figures, "_computed", slowly)
    assert "n = 2 people" in look(study)["note"]
    assert kept_of(study) == []
    monkeypatch.setattr(figures, "_computed", compute)
    assert "n = 1 person" in look(study)["note"]
    assert len(kept_of(study)) == 1


@pytest.mark.django_db(transaction=True)
def test_figures_are_not_kept_behind_a_withdrawal_that_is_just_being_written(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are deleted already and nobody else sees it yet: what comes now waits for it, and then looks."""
    leaving = player(study)
    deleted, go_on = Event(), Event()
    forget, compute = forgetting.forget, figures._computed

    def forget_and_wait(participant: Participant) -> None:
        forget(participant)
        deleted.set()
        assert go_on.wait(30)

    def withdraw() -> None:
        try:
            participant_withdraw(participant=leaving)
        finally:
            connections.close_all()

    writer = Thread(target=withdraw)

    def compute_meanwhile(*args: Any) -> dict[str, Any]:
        document = compute(*args)
        writer.start()
        assert deleted.wait(30)
        Thread(target=lambda: go_on.wait(0.5) or go_on.set()).start()
        return document

    monkeypatch.setattr(forgetting, "forget", forget_and_wait)
    monkeypatch.setattr(figures, "_computed", compute_meanwhile)
    assert "n = 1 person" in look(study)["note"]
    writer.join(30)
    assert Participant.objects.get(pk=leaving.pk).status == Status.WITHDRAWN
    assert kept_of(study) == []


@pytest.mark.django_db
def test_figures_of_an_earlier_state_go_when_newer_ones_are_kept(study: Study) -> None:
    player(study)
    for who in AS_ONE:
        look(study, who=who)
    assert len(kept_of(study)) == len(AS_ONE)
    player(study, seed=41)
    look(study)
    assert len(kept_of(study)) == 1


@pytest.mark.django_db
def test_no_study_keeps_more_than_so_many_pages(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insights_forgetting, "MOST_KEPT", 3)
    player(study)
    asked: list[Callable[[], object]] = [
        lambda: look(study),
        lambda: look(study, outcome=Outcome.COMPLETED),
        lambda: look(study, flagged=Flagged.NONE),
        lambda: look(study, version=1),
    ]
    for ask in asked:
        ask()
    newest = list(FigureCache.objects.order_by("-pk").values_list("pk", flat=True))
    assert len(newest) == 3
    asked[-1]()
    assert list(FigureCache.objects.order_by("-pk").values_list("pk", flat=True)) == newest


@pytest.mark.django_db
def test_figures_that_nobody_computed_anew_for_a_month_go(study: Study) -> None:
    player(study)
    look(study)
    look(study, outcome=Outcome.COMPLETED)
    old = FigureCache.objects.order_by("pk")[:1].get()
    FigureCache.objects.filter(pk=old.pk).update(made_at=timezone.now() - timedelta(days=31))
    assert dict(reconcile.CARE)["figures that are old"] is figures_prune
    assert figures_prune() == 1
    assert figures_prune() == 0
    assert not FigureCache.objects.filter(pk=old.pk).exists()
    assert len(kept_of(study)) == 1


@pytest.mark.django_db
def test_previews_are_in_no_figures_and_leave_them_alone(study: Study) -> None:
    player(study)
    preview = player(study, seed=41, kind=Kind.PREVIEW)
    look(study)
    participant_withdraw(participant=preview)
    assert len(kept_of(study)) == 1
