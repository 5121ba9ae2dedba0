"""Studies: made, published, opened and closed, and the ready-made ones."""

import hashlib
from collections.abc import Collection

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from engine.game import get_game
from engine.level import canonical_json
from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.commit import code_commit
from playtest.studies.choices import Admission, RoundState, StudyState
from playtest.studies.document import FixedRound, PracticePage, RoundsPage, StudyDocument, parse_study
from playtest.studies.errors import StudyError
from playtest.studies.identity import public_id_draw
from playtest.studies.models import Round, Study, StudyVersion
from playtest.studies.readymade import READY_MADE
from playtest.studies.services.addresses import addresses_check
from playtest.studies.services.assignment import cells_ensure
from playtest.studies.services.transitions import hint_study

VOID_LOT = 500


def study_create(
    *,
    owner: User | None,
    document: object,
    slug: str = "",
    action: str = "study.create",
    admission: Admission = Admission.ADDRESS,
    known: Collection[str] = (),
) -> Study:
    """Make a study from a document. Nobody sees it before `study_publish`. Raises StudyError.

    `action` says in the log how: study.create or study.import. Addresses that are `known` stay in the draft though this
    site sends nobody there; `study_publish` asks for them again.
    """
    parsed = parse_study(document)
    addresses_check(document=parsed, known=known)
    try:
        with transaction.atomic():
            study = Study.objects.create(
                public_id=public_id_draw(),
                slug=slug or free_slug(slugify(parsed.title)[:70] or "study"),
                owner=owner,
                title=parsed.title,
                admission=admission,
                draft=parsed.to_document(),
            )
            audit_record(actor=owner, action=action, target=study)
    except IntegrityError:
        raise StudyError("slug", f"There is a study with the short name “{slug or parsed.title}”.") from None
    return study


def free_slug(wanted: str) -> str:
    taken = set(Study.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    slug, number = wanted, 2
    while slug in taken:
        slug, number = f"{wanted}-{number}", number + 1
    return slug


def study_publish(*, study: Study, by: User | None = None) -> StudyVersion:
    """Freeze the draft as the next version and open the study. People under way stay on their version.

    A draft that is the same as the newest version gives that version again. Raises StudyError.
    """
    document = parse_study(study.draft)
    addresses_check(document=document)
    frozen = document.to_document()
    digest = hashlib.sha256(canonical_json(frozen).encode()).hexdigest()
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.state == StudyState.CLOSED:
            raise StudyError("closed", "A closed study is not published again.")
        if locked.draft_number != study.draft_number:
            raise StudyError("conflict", "Meanwhile the draft was changed. Read again what will change, then publish.")
        newest = StudyVersion.objects.filter(study=locked, number__gte=1).order_by("-number").first()
        # Compared as read: fields that came with a new version of the program change no study.
        if newest is None or parse_study(newest.document).to_document() != frozen:
            newest = StudyVersion.objects.create(
                study=locked,
                number=newest.number + 1 if newest else 1,
                document=frozen,
                hash=digest,
                game_versions=game_versions(document),
                code_commit=code_commit(),
            )
            cells_ensure(version=newest)
        state = StudyState.OPEN if locked.state == StudyState.DRAFT else locked.state
        Study.objects.filter(pk=study.pk).update(published=newest, state=state, title=document.title)
        audit_record(actor=by, action="study.publish", target=locked, after={"version": newest.number, "hash": digest})
        hint_study(study.pk)
    study.published, study.state, study.title = newest, state, document.title
    return newest


def game_versions(document: StudyDocument) -> dict[str, int]:
    """The rules that the study's rounds are played by now."""
    games = {
        plan.level.game if isinstance(plan, FixedRound) else plan.game
        for page in document.pages
        if isinstance(page, RoundsPage | PracticePage)
        for plan in page.rounds
    }
    return {game: get_game(game).info.version for game in sorted(games)}


def study_set_state(*, study: Study, state: StudyState, by: User | None = None) -> None:
    """Open, pause or close a published study. Paused, nobody new starts; closed, open rounds end as void."""
    if study.published_id is None or state == StudyState.DRAFT:
        raise StudyError("draft", "A study is published first.")
    if study.state == StudyState.CLOSED and state != StudyState.CLOSED:
        raise StudyError("closed", "A closed study stays closed.")
    with transaction.atomic():
        before = StudyState(study.state).label
        Study.objects.filter(pk=study.pk).update(state=state)
        audit_record(
            actor=by, action="study.state", target=study, before={"state": before}, after={"state": state.label}
        )
        hint_study(study.pk)
    study.state = state
    if state == StudyState.CLOSED:
        rounds_void(study=study)


def rounds_void(*, study: Study) -> None:
    """End what is open or planned, in lots: no transaction may hold players of other studies up."""
    unfinished = Round.objects.filter(
        participant__study=study, state__in=[RoundState.PLANNED, RoundState.OPEN]
    ).values_list("pk", flat=True)
    while lot := list(unfinished[:VOID_LOT]):
        Round.objects.filter(pk__in=lot).update(state=RoundState.VOID)


def readymade_load(*, owner: User | None, slug: str) -> Study:
    """The ready-made study of that slug, made, listed and published if it is not there yet."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        try:
            study = study_create(owner=owner, document=READY_MADE[slug](), slug=slug, admission=Admission.LISTED)
        except StudyError as error:
            if error.code != "slug":
                raise
            # Another process was faster.
            study = Study.objects.get(slug=slug)
    if study.published_id is None:
        study_publish(study=study, by=owner)
    return study


def demo_load(owner: User | None) -> Study:
    """The paper's study, the demonstration. Doing it again changes nothing."""
    return readymade_load(owner=owner, slug="paper")
