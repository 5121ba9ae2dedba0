"""Reading the library of personas."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, F, QuerySet

from engine.formula import parse_formula
from engine.search.settings import ONE_DRAW
from personas.formulas import SYMBOLS, formula_mathml
from personas.persona import Persona as PersonaFile
from playtest.evolution.models import Objective, Persona, PersonaVersion
from playtest.evolution.selectors.figures import (
    GOALS,
    MINIMISED,
    NAMES,
    draws_words,
    lookahead_words,
    outcome_name,
    outcome_of,
    outcome_text,
    scale_words,
)
from playtest.evolution.selectors.levels import run_level
from playtest.evolution.trees import TreeDrawing, tree_drawing
from playtest.levels.models import AgentSpec, LevelVersion, PlaytestEntry, WhatIf
from playtest.levels.selectors import game_title

USES_SHOWN = 20


@dataclass(frozen=True)
class FormulaView:
    """A formula as mathematics for a page, as text, as a tree, and what its letters mean."""

    text: str
    mathml: str
    letters: Sequence[tuple[str, str]]
    tree: TreeDrawing


@dataclass(frozen=True)
class PersonaLine:
    """A persona in the library with its newest version."""

    persona: Persona
    version: PersonaVersion
    role: str
    """The last part of its colour's name in figures."""
    aim: str
    game_title: str
    is_default: bool
    reports: int
    formula: FormulaView | None


@dataclass(frozen=True)
class PersonaUse:
    """What the persona reached in a playtest, and of which boards that was."""

    entry: PlaytestEntry
    version: LevelVersion | None
    """The level that was played."""
    what_if: WhatIf | None
    """Of a changed level: the newest question that asks about it, if it is still there."""
    is_drawn: bool
    """Whether every game had a board of its own."""


@dataclass(frozen=True)
class PersonaDetail:
    line: PersonaLine
    file: PersonaFile
    versions: Sequence[PersonaVersion]
    uses: Sequence[PersonaUse]
    """Its newest playtests that have figures."""
    boards: str
    """What its run played on, if that is known and was one level."""
    result: str
    """What it reached in the games of its run, with the unit."""
    search: str
    """How its simulations go, in words."""
    is_finalist: bool
    """Whether it was the best of the finalists of its run."""


def formula_view(text: str, *, is_graded: bool = False) -> FormulaView:
    """The formula for a page, with the letters that it uses; FormulaError if the text is none.

    With graded rewards, wins is a sum that may be negative.
    """
    reads = parse_formula(text).reads
    letters = SYMBOLS | ({"wins": (SYMBOLS["wins"][0], "sum of the child's rewards")} if is_graded else {})
    return FormulaView(
        text=text,
        mathml=formula_mathml(text, signed=is_graded),
        letters=[letters[name] for name in letters if name in reads],
        tree=tree_drawing(text),
    )


def personas_list(*, archived: bool = False) -> list[PersonaLine]:
    """All personas in the library, or all archived ones: those of the program first, game by game, then the newest
    that staff kept.
    """
    personas = Persona.objects.filter(archived_at__isnull=not archived).select_related("owner")
    newest = _newest_versions(personas)
    shipped = [one for one in personas.order_by("game", "slug") if one.owner_id is None]
    kept = [one for one in personas.order_by("-pk") if one.owner_id is not None]
    defaults = _default_personas()
    used = _reports_by_spec([version.agent_spec_id for version in newest.values()])
    found = sorted([*shipped, *kept], key=lambda one: one.game)
    return [_line(one, newest[one.pk], defaults, used) for one in found if one.pk in newest]


def persona_detail(*, pk: int) -> PersonaDetail | None:
    persona = Persona.objects.select_related("owner").filter(pk=pk).first()
    if persona is None:
        return None
    versions = list(persona.versions.select_related("agent_spec", "run").order_by("-number"))
    if not versions:
        return None
    specs = [version.agent_spec_id for version in versions]
    file = persona_file(versions[0])
    return PersonaDetail(
        line=_line(persona, versions[0], _default_personas(), _reports_by_spec(specs)),
        file=file,
        versions=versions,
        uses=_uses(specs),
        boards=_boards(versions[0]),
        result=_result(persona, file.source.fitness),
        search=_search_words(persona, file),
        is_finalist=file.source.final_games is not None,
    )


def _uses(specs: Sequence[int]) -> list[PersonaUse]:
    entries = list(
        PlaytestEntry.objects.filter(agent_spec__in=specs, n__isnull=False)
        .select_related("report__level_version__level")
        .order_by("-report_id")[:USES_SHOWN]
    )
    changed = [entry.report_id for entry in entries if entry.report.document is not None]
    asked = WhatIf.objects.filter(report__in=changed).select_related("level_version__level").order_by("pk")
    questions = {what_if.report_id: what_if for what_if in asked}
    return [
        PersonaUse(
            entry=entry,
            version=entry.report.level_version,
            what_if=questions.get(entry.report_id),
            is_drawn=entry.report.drawn is not None,
        )
        for entry in entries
    ]


def _boards(version: PersonaVersion) -> str:
    level = run_level(version.run) if version.run else None
    return f"all games on {level.words}" if level else ""


def _search_words(persona: Persona, file: PersonaFile) -> str:
    search = file.search
    objective = Objective.MAXS if persona.objective is None else Objective(persona.objective)
    words = ["clairvoyant: sees which pieces will fall" if search.clairvoyant else "fair: knows no more than a person"]
    if search.tree == "open":
        words.append("every simulation meets other pieces")
    if search.reward == "graded":
        words.append(f"a reward of {scale_words(objective, search.scale)}")
    else:
        goal = outcome_of(objective, search.goal)
        word = "at most" if objective in MINIMISED else "at least"
        words.append(f"wins with {word} {goal:,g} {outcome_name(objective).lower()}")
    if search.lookahead:
        words.append(f"simulations go {lookahead_words(search.lookahead)}")
    if search.draws > ONE_DRAW:
        words.append(draws_words(search.draws))
    return ", ".join(words)


def _result(persona: Persona, fitness: float | None) -> str:
    if persona.objective is None or fitness is None:
        return ""
    unit = outcome_name(persona.objective).lower()
    return f"{outcome_text(persona.objective, outcome_of(persona.objective, fitness))} {unit}"


def persona_file(version: PersonaVersion) -> PersonaFile:
    """The version as the document that the command line and the catalogue use."""
    return PersonaFile.from_document(version.agent_spec.spec)


def _default_personas() -> set[int]:
    """The personas of which playtests play a version without being asked to, be it the newest or not."""
    rows = PersonaVersion.objects.filter(
        agent_spec__default_of__offered=True, agent_spec__default_of__game=F("persona__game")
    )
    return set(rows.values_list("persona_id", flat=True))


def personas_any_archived() -> bool:
    """Whether there is an archived persona to bring back."""
    return Persona.objects.filter(archived_at__isnull=False).exists()


def _newest_versions(personas: QuerySet[Persona]) -> dict[int, PersonaVersion]:
    versions = PersonaVersion.objects.filter(persona__in=personas).select_related("agent_spec", "run")
    return {version.persona_id: version for version in versions.order_by("number")}


def _reports_by_spec(specs: Sequence[int]) -> dict[int, int]:
    counted = PlaytestEntry.objects.filter(agent_spec__in=specs, n__isnull=False).values("agent_spec_id")
    return {row["agent_spec_id"]: row["count"] for row in counted.annotate(count=Count("pk"))}


def _aim(objective: Objective | None, *, is_persona: bool) -> str:
    """What it aims at, in a sentence without its full stop; the persona's short name only where it is one."""
    if objective is None:
        return ""
    return f"{NAMES[objective]}: {GOALS[objective]}" if is_persona else f"Aims at {GOALS[objective]}"


def _line(persona: Persona, version: PersonaVersion, defaults: set[int], used: dict[int, int]) -> PersonaLine:
    spec: AgentSpec = version.agent_spec
    text = str(spec.spec.get("formula") or "")
    objective = None if persona.objective is None else Objective(persona.objective)
    return PersonaLine(
        persona=persona,
        version=version,
        role=(spec.objective or "vanilla") if objective is not None else "other",
        aim=_aim(objective, is_persona=bool(spec.objective)),
        game_title=game_title(persona.game),
        is_default=persona.pk in defaults,
        reports=used.get(spec.pk, 0),
        formula=formula_view(text, is_graded=spec.spec["search"].get("reward") == "graded") if text else None,
    )
