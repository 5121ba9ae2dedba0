"""Levels and agents in the database: added, found again, never changed."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from engine.level import draw_level, parse_level, shipped_levels
from engine.round import Round
from personas.agent import AgentError, agent_names, load_agent
from playtest.accounts.models import AuditLog, User
from playtest.immutable import ImmutableRowError
from playtest.levels.models import AgentKind, AgentSpec, DefaultAgent, Level, LevelVersion
from playtest.levels.services import (
    agent_spec_ensure,
    default_agents_ensure,
    level_create,
    level_version_ensure,
    levels_ensure_shipped,
)
from tests.playtest.levels.playing import small_level

pytestmark = pytest.mark.django_db


def test_created_level_holds_what_the_file_says(designer: User) -> None:
    file = draw_level(rows=6, cols=8, colours=5, moves=15, seed=2**53 - 1, name="Bridge")
    version = level_create(owner=designer, level=file, note="first try")
    version.refresh_from_db()
    assert version.level.current == version
    assert version.level.name == "Bridge"
    assert (version.number, version.rows, version.cols, version.colours, version.moves) == (1, 6, 8, 5, 15)
    assert version.seed == 2**53 - 1
    assert parse_level(version.document) == file
    assert version.hash == file.content_hash()
    assert version.start_legal == Round(file).legal_count()
    assert AuditLog.objects.get(action="level.create").actor == designer


def test_name_that_is_given_stands_above_that_of_the_file() -> None:
    assert level_create(owner=None, level=small_level(), name="  Mine ").level.name == "Mine"
    assert level_create(owner=None, level=draw_level(seed=1)).level.name == "Untitled level"
    assert len(level_create(owner=None, level=small_level(name="n" * 200)).level.name) == 120


def test_version_that_plays_the_same_is_found_under_any_name() -> None:
    first = level_version_ensure(level=small_level(name="One"))
    assert level_version_ensure(level=small_level(name="Another")) == first
    assert level_version_ensure(level=small_level(seed=4)) != first


def test_shipped_levels_and_agents_come_once() -> None:
    versions = levels_ensure_shipped()
    again = levels_ensure_shipped()
    assert versions == again
    assert set(Level.objects.values_list("shipped", flat=True)) == set(shipped_levels())
    assert set(DefaultAgent.objects.values_list("slug", flat=True)) <= set(agent_names())


def test_changed_shipped_level_gets_a_new_version_and_keeps_the_old(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = small_level(seed=1), small_level(seed=2)
    path = "playtest.levels.services.levels.shipped_levels"
    monkeypatch.setattr(path, lambda: {"step": old})
    (first,) = levels_ensure_shipped()
    monkeypatch.setattr(path, lambda: {"step": new})
    (second,) = levels_ensure_shipped()
    assert (first.number, second.number) == (1, 2)
    assert first.level == second.level
    assert Level.objects.get(shipped="step").current == second
    assert LevelVersion.objects.get(pk=first.pk).hash == old.content_hash()
    monkeypatch.setattr(path, lambda: {"step": old})
    assert levels_ensure_shipped() == [first]
    assert Level.objects.get(shipped="step").current == first


def test_equal_documents_of_agents_are_one_row() -> None:
    document = load_agent("vanilla").document
    first = agent_spec_ensure(document=document)
    second = agent_spec_ensure(document=dict(reversed(document.items())))
    assert first == second
    assert first.kind == AgentKind.MCTS
    assert first.name == "Vanilla"
    assert agent_spec_ensure(document=load_agent("vanilla", iterations=7).document) != first
    assert agent_spec_ensure(document=load_agent("vanilla", clairvoyant=True).document).clairvoyant


@pytest.mark.parametrize("document", [{}, {"kind": "oracle"}, {"kind": "mcts", "name": "Half"}])
def test_document_that_is_no_agent_is_refused_and_leaves_nothing(document: dict[str, Any]) -> None:
    with pytest.raises(AgentError):
        agent_spec_ensure(document=document)
    assert not AgentSpec.objects.exists()


def test_default_agents_follow_the_release() -> None:
    rows = default_agents_ensure(game="match3")
    assert {"random", "greedy", "vanilla"} <= {row.slug for row in rows}
    other = agent_spec_ensure(document=load_agent("vanilla", iterations=3).document)
    DefaultAgent.objects.filter(slug="vanilla").update(agent_spec=other)
    default_agents_ensure(game="match3")
    assert DefaultAgent.objects.get(slug="vanilla").agent_spec.spec == load_agent("vanilla").document


@pytest.mark.parametrize("model", [LevelVersion, AgentSpec])
def test_versions_and_agents_cannot_be_changed(model: type[LevelVersion | AgentSpec]) -> None:
    level_create(owner=None, level=small_level())
    default_agents_ensure(game="match3")
    row = model.objects.first()
    assert row is not None
    row.hash = "0" * 64
    with pytest.raises(ImmutableRowError):
        row.save()
    with pytest.raises(ImmutableRowError):
        model.objects.update(hash="0" * 64)


def test_seed_outside_of_what_all_programs_read_is_refused_by_the_database() -> None:
    version = level_create(owner=None, level=small_level())
    values = {
        field.name: getattr(version, field.name)
        for field in LevelVersion._meta.concrete_fields
        if field.name not in {"id", "created_at"}
    }
    for seed in (-1, 2**53):
        with pytest.raises(IntegrityError), transaction.atomic():
            LevelVersion.objects.create(**{**values, "number": 2, "hash": "1" * 64, "seed": seed})
