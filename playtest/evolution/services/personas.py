"""The library of personas: those that the program ships with, and those that staff kept from a run or a file."""

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.text import slugify

from engine.game import games
from personas.evolution import RunConfig, persona_from
from personas.persona import Persona as PersonaFile
from personas.persona import catalogue
from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.evolution.models import (
    EvolutionRun,
    Generation,
    GenerationState,
    LogKind,
    Objective,
    Persona,
    PersonaVersion,
)
from playtest.evolution.populations import read_population
from playtest.evolution.services.log import run_note, run_touch
from playtest.evolution.services.runs import RunError
from playtest.levels.models import AgentSpec, DefaultAgent
from playtest.levels.services import agent_spec_ensure
from playtest.names import name_problem

LONGEST_NAME = 80


def persona_keep(*, run: EvolutionRun, generation: int, idx: int, name: str, owner: User) -> PersonaVersion:
    """Put an evaluated individual into the library under a name; playtests play it from then on.

    The same individual is kept once: asked again, the version that is there comes back, whatever the name. Raises
    RunError with a plain sentence, also if that one is archived.
    """
    name = _checked(name)
    document = _individual_document(run, generation, idx, name)
    try:
        with transaction.atomic():
            # Who keeps something of the same run at the same moment waits here, and then finds what was kept.
            EvolutionRun.objects.select_for_update().get(pk=run.pk)
            kept = _kept(run, generation, idx)
            if kept is not None and kept.persona.archived_at is not None:
                raise RunError(f"It was kept as “{kept.persona.name}”, which is archived. Put that back on its page.")
            return kept or _keep(run, generation, idx, name, owner, document)
    except IntegrityError:
        # Somebody gave this name to a persona of another run, or of a file, at the same moment.
        raise _name_taken(run.game, _slug(name), name) from None


def persona_add(*, file: PersonaFile, name: str, owner: User) -> PersonaVersion:
    """Put what a persona file describes into the library under a name. Playtests play it only where it is asked for.

    Raises RunError with a plain sentence.
    """
    name = _checked(name)
    slug = _slug(name)
    try:
        with transaction.atomic():
            spec = agent_spec_ensure(document=replace(file, name=name).to_document())
            persona = Persona.objects.create(
                game=file.game, slug=slug, name=name, owner=owner, objective=Objective[file.objective.upper()]
            )
            version = _version_of_file(file, spec, persona, 1)
            audit_record(actor=owner, action="persona.add", target=persona, after={"spec": spec.pk})
    except IntegrityError:
        raise _name_taken(file.game, slug, name) from None
    return version


def _checked(name: str) -> str:
    """The name without needless blanks; raises RunError if it cannot be one."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise RunError(f"The name needs 1 to {LONGEST_NAME} characters.")
    if problem := name_problem(name):
        raise RunError(problem)
    return name


def _name_taken(game: str, slug: str, name: str) -> RunError:
    """What is told to somebody whose name for a persona gives a slug that another one has."""
    taken = Persona.objects.values_list("name", flat=True).filter(game=game, slug=slug).first()
    if taken in (None, name):
        archived = Persona.objects.filter(game=game, slug=slug, archived_at__isnull=False).exists()
        kind = "an archived persona" if archived else "a persona"
        return RunError(f"There is {kind} called “{name}” already. Choose another name.")
    return RunError(f"The name “{name}” is too close to “{taken}”, which there is already. Choose another name.")


def _kept(run: EvolutionRun, generation: int, idx: int) -> PersonaVersion | None:
    versions: QuerySet[PersonaVersion] = PersonaVersion.objects.filter(run=run, generation=generation, idx=idx)
    return versions.select_related("persona").first()


def _individual_document(run: EvolutionRun, generation: int, idx: int, name: str) -> dict[str, Any]:
    row = Generation.objects.filter(run=run, number=generation).exclude(state=GenerationState.EVALUATING).first()
    if row is None or not row.individuals.filter(idx=idx, fitness__isnull=False).exists():
        raise RunError("This individual has not been evaluated.")
    config = RunConfig.from_document(run.config)
    persona = persona_from(config, read_population(row), idx, commit=run.code_commit)
    return replace(persona, name=name).to_document()


def _keep(
    run: EvolutionRun, generation: int, idx: int, name: str, owner: User, document: Mapping[str, Any]
) -> PersonaVersion:
    slug = _slug(name)
    if Persona.objects.filter(game=run.game, slug=slug).exists():
        raise _name_taken(run.game, slug, name)
    spec = agent_spec_ensure(document=document)
    persona = Persona.objects.create(game=run.game, slug=slug, name=name, owner=owner, objective=run.objective)
    version = PersonaVersion(
        persona=persona,
        number=1,
        agent_spec=spec,
        run=run,
        generation=generation,
        idx=idx,
        seed=run.seed,
        code_commit=run.code_commit,
        game_version=document["game_version"],
    )
    version.save()
    _offer(persona, spec)
    run_note(run_id=run.pk, kind=LogKind.KEPT, text=f"Kept as {name} by {owner.get_username()}.")
    run_touch(run_id=run.pk)
    audit_record(actor=owner, action="persona.keep", target=persona, after={"run": run.pk, "idx": idx})
    return version


def persona_offer(*, persona: Persona, offered: bool, actor: User) -> None:
    """Say whether playtests play the persona's newest version without being asked to. RunError for an archived one."""
    with transaction.atomic():
        row = Persona.objects.select_for_update().get(pk=persona.pk)
        version = row.versions.order_by("-number").select_related("agent_spec").first()
        if version is None:
            raise RunError("This persona has no version.")
        if offered and row.archived_at is not None:
            raise RunError("This persona is archived. Put it back into the library first.")
        if offered:
            _offer(row, version.agent_spec)
        else:
            _default_rows(row).update(offered=False)
        audit_record(actor=actor, action="persona.offer", target=row, after={"offered": offered})


def persona_archive(*, persona: Persona, archived: bool, actor: User) -> None:
    """Take a persona out of the library and out of playtests, or back into the library. What it played stays."""
    with transaction.atomic():
        row = Persona.objects.select_for_update().get(pk=persona.pk)
        if (row.archived_at is not None) == archived:
            return
        row.archived_at = timezone.now() if archived else None
        row.save(update_fields=["archived_at"])
        if archived:
            _default_rows(row).update(offered=False)
        audit_record(actor=actor, action="persona.archive" if archived else "persona.restore", target=row)


def _default_rows(persona: Persona) -> QuerySet[DefaultAgent]:
    """By which playtests play the persona, whatever version of it."""
    return DefaultAgent.objects.filter(game=persona.game, agent_spec__in=persona.versions.values("agent_spec"))


def _default_rows_follow(persona: Persona, spec: AgentSpec) -> QuerySet[DefaultAgent]:
    """Let playtests play this version of the persona where they played others; gives its row, if it has one."""
    rows = list(_default_rows(persona).order_by("pk"))
    if rows:
        # The oldest row is the one that the release knows by its name.
        _default_rows(persona).exclude(pk=rows[0].pk).delete()
        _default_rows(persona).update(agent_spec=spec, offered=any(row.offered for row in rows))
    return _default_rows(persona)


def _offer(persona: Persona, spec: AgentSpec) -> None:
    """Let playtests play the agent: where the persona stood already, else after those that they play."""
    if _default_rows_follow(persona, spec).update(offered=True):
        return
    slug, others = persona.slug, DefaultAgent.objects.filter(game=persona.game)
    if others.filter(slug=slug).exists():
        # An agent that is no persona, such as greedy play, has this name.
        slug = f"{slug}-{spec.pk}"
    last = others.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    DefaultAgent.objects.create(game=persona.game, slug=slug, agent_spec=spec, position=position)


def personas_ensure_catalogue() -> list[PersonaVersion]:
    """Bring the personas that the program ships with into the library. Safe to repeat.

    A shipped persona that a new release changed gets a new version, which playtests play from then on if they played
    the old one; what was played with that stays with it.
    """
    return [
        _shipped_ensure(slug, persona) for game in sorted(games()) for slug, persona in sorted(catalogue(game).items())
    ]


def _shipped_ensure(slug: str, shipped: PersonaFile) -> PersonaVersion:
    spec = agent_spec_ensure(document=shipped.to_document())
    with transaction.atomic():
        if Persona.objects.filter(game=shipped.game, slug=slug, owner__isnull=False).exists():
            # Somebody on this site called theirs so, before the program had one of that name.
            slug = f"{slug}-shipped"
        persona, _ = Persona.objects.select_for_update().get_or_create(
            game=shipped.game,
            slug=slug,
            defaults={"name": shipped.name, "objective": Objective[shipped.objective.upper()]},
        )
        version: PersonaVersion | None = persona.versions.order_by("-number").first()
        if version is None or version.agent_spec_id != spec.pk:
            version = _version_of_file(shipped, spec, persona, version.number + 1 if version else 1)
        _default_rows_follow(persona, spec)
        return version


def _version_of_file(file: PersonaFile, spec: AgentSpec, persona: Persona, number: int) -> PersonaVersion:
    """A new version of the persona that plays as the file says, and tells where it says it is from."""
    version = PersonaVersion(
        persona=persona,
        number=number,
        agent_spec=spec,
        generation=file.source.generation,
        seed=file.source.seed,
        code_commit=file.source.commit,
        game_version=file.game_version,
        note=file.source.note,
    )
    version.save()
    return version


def _slug(name: str) -> str:
    """The name in small Latin letters and hyphens, at most 60; where that loses letters, with a mark of the whole."""
    slug = slugify(name)
    letters = unicodedata.normalize("NFKD", name)
    if slug and len(slug) <= 60 and all(one.isascii() for one in letters if one.isalnum()):
        return slug
    return f"{slug[:40] or 'persona'}-{sha256(name.encode()).hexdigest()[:12]}"
