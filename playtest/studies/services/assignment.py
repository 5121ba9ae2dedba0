"""Who gets which order of rounds. All rounds of a participant are inserted here, before the first is seen."""

from collections.abc import Mapping, Sequence

from django.db.models import F

from engine.game import get_game
from engine.level import Level
from engine.rng import draw_seed
from playtest.accounts.services import audit_record
from playtest.levels.models import LevelVersion
from playtest.studies.choices import Kind, Purpose, SlotState
from playtest.studies.document import PracticePage, RandomRound, RoundPlan, RoundsPage, StudyDocument
from playtest.studies.models import AssignmentCounter, Cell, Participant, Round, Slot, StudyVersion
from playtest.studies.selectors.documents import version_document
from playtest.studies.williams import williams_orders


def cells_ensure(*, version: StudyVersion) -> None:
    """Make the counters and cells of a new version, for each kind apart: bots take nobody's place.

    A cell is a row of each balanced page of the study; without one there is a single cell.
    """
    orders = cell_orders(version_document(version))
    for kind in Kind:
        AssignmentCounter.objects.create(version=version, kind=kind)
        Cell.objects.bulk_create(
            Cell(version=version, kind=kind, ordinal=ordinal, order=order or None)
            for ordinal, order in enumerate(orders)
        )


def cell_orders(document: StudyDocument) -> list[dict[str, list[int]]]:
    """For each cell the order on every balanced page, by the page's key.

    Pages of different lengths go through their squares side by side, until all are at their beginning again.
    """
    squares = {page.key: williams_orders(len(page.rounds)) for page in document.balanced_pages}
    return [
        {key: list(rows[ordinal % len(rows)]) for key, rows in squares.items()}
        for ordinal in range(document.cell_count)
    ]


def participant_assign(*, participant: Participant) -> Slot:
    """Give a participant a slot and all rounds. Inside the transaction of the consent."""
    assert participant.seed is not None
    document = version_document(participant.version)
    slot = slot_take(version=participant.version, kind=Kind(participant.kind))
    slot.participant = participant
    slot.save(update_fields=["participant"])
    Participant.objects.filter(pk=participant.pk).update(assignment=slot.number)
    participant.assignment = slot.number
    Round.objects.bulk_create(
        [
            *(
                practice_round(participant, page, number=1, attempt=attempt)
                for attempt, page in enumerate(document.practice_pages, start=1)
            ),
            *rounds_plan(participant, document, participant.seed, slot.cell.order or {}),
        ]
    )
    return slot


def slot_take(*, version: StudyVersion, kind: Kind) -> Slot:
    """The oldest lost slot of the kind, else a new one in the cell that has the fewest. Locks the kind's counter."""
    counter = AssignmentCounter.objects.select_for_update().get(version=version, kind=kind)
    lost = Slot.objects.filter(version=version, kind=kind, state=SlotState.LOST, reissued=False).order_by("pk").first()
    if lost is not None:
        return slot_issue_again(lost)
    cells = Cell.objects.filter(version=version, kind=kind)
    return slot_issue_new(counter, cells.order_by(F("assigned") - F("lost"), "ordinal")[0])


def slot_take_again(*, participant: Participant) -> Slot:
    """A slot for who lost theirs and is back: that one, if nobody has it now.

    Otherwise another one of the same cell, since their rounds and their order stay what they are: a lost one first,
    else a new number. The cell then counts one more, and newcomers fill the others first. Locks the kind's counter.
    """
    counter = AssignmentCounter.objects.select_for_update().get(version=participant.version_id, kind=participant.kind)
    last = Slot.objects.select_related("cell").filter(participant=participant).order_by("-pk")[0]
    if last.state != SlotState.LOST:
        return last
    if not last.reissued:
        Slot.objects.filter(pk=last.pk).update(state=SlotState.HELD)
        Cell.objects.filter(pk=last.cell_id).update(lost=F("lost") - 1)
        last.state = SlotState.HELD
        return last
    lost = Slot.objects.filter(cell=last.cell, state=SlotState.LOST, reissued=False).order_by("pk").first()
    slot = slot_issue_new(counter, last.cell) if lost is None else slot_issue_again(lost)
    slot.participant = participant
    slot.save(update_fields=["participant"])
    return slot


def slot_issue_new(counter: AssignmentCounter, cell: Cell) -> Slot:
    """The next number, in this cell. The counter is locked by the caller."""
    AssignmentCounter.objects.filter(pk=counter.pk).update(next=F("next") + 1)
    Cell.objects.filter(pk=cell.pk).update(assigned=F("assigned") + 1)
    return Slot.objects.create(version_id=counter.version_id, kind=counter.kind, number=counter.next, cell=cell)


def slot_issue_again(lost: Slot) -> Slot:
    """The next attempt of a lost slot, with a line in the log."""
    Slot.objects.filter(pk=lost.pk).update(reissued=True)
    Cell.objects.filter(pk=lost.cell_id).update(assigned=F("assigned") + 1)
    slot = Slot.objects.create(
        version_id=lost.version_id, kind=lost.kind, number=lost.number, attempt=lost.attempt + 1, cell=lost.cell
    )
    audit_record(
        actor=None,
        action="slot.reissue",
        target=slot,
        after={"version": slot.version_id, "kind": Kind(slot.kind).label, "number": slot.number, "lost": lost.pk},
    )
    return slot


def slot_finish(*, participant: Participant, state: SlotState) -> None:
    """Mark a participant's slot done or lost, and count it in its cell.

    The number of a lost slot belongs to whoever gets it next.
    """
    held = Slot.objects.filter(participant=participant).exclude(state=SlotState.LOST).order_by("-attempt").first()
    if held is None or held.state == state:
        return
    counted = {SlotState.DONE: "completed", SlotState.LOST: "lost"}
    changes = {counted[state]: F(counted[state]) + 1}
    if held.state == SlotState.DONE:
        changes["completed"] = F("completed") - 1
    Slot.objects.filter(pk=held.pk).update(state=state)
    Cell.objects.filter(pk=held.cell_id).update(**changes)
    if state == SlotState.LOST:
        Participant.objects.filter(pk=participant.pk).update(assignment=None)
        participant.assignment = None


def rounds_order(page: RoundsPage, *, seed: int, index: int, balanced: Mapping[str, list[int]]) -> list[int]:
    """Indices of the page's rounds as this participant plays them; `index` is the page's own.

    balanced: the orders of the participant's cell, by the key of the page
    """
    if page.order == "williams":
        return list(balanced[page.key])
    order = list(range(len(page.rounds)))
    if page.order == "shuffle":
        # Fisher-Yates; the bias of a remainder of 2^53 by less than 101 is far under 10^-13.
        for last in range(len(order) - 1, 0, -1):
            other = draw_seed(seed, "order", index, last) % (last + 1)
            order[last], order[other] = order[other], order[last]
    return order


def rounds_plan(
    participant: Participant, document: StudyDocument, seed: int, balanced: Mapping[str, list[int]]
) -> list[Round]:
    plans: list[RoundPlan] = []
    seeds: list[int] = []
    for index, page in enumerate(document.pages):
        if isinstance(page, RoundsPage):
            for place in rounds_order(page, seed=seed, index=index, balanced=balanced):
                plans.append(page.rounds[place])
                seeds.append(draw_seed(seed, "board", index, place))
    levels = [plan.level_for(board_seed) for plan, board_seed in zip(plans, seeds, strict=True)]
    known = library_versions([level for plan, level in zip(plans, levels, strict=True) if not is_drawn(plan)])
    return [
        round_row(participant, plan, level, position, known)
        for position, (plan, level) in enumerate(zip(plans, levels, strict=True), start=1)
    ]


def practice_round(participant: Participant, page: PracticePage, *, number: int, attempt: int) -> Round:
    """What is played on a page of practice the `number`th time. `attempt` counts over all such pages."""
    assert participant.seed is not None
    index = version_document(participant.version).pages.index(page)
    plan = page.plan(number)
    level = plan.level_for(draw_seed(participant.seed, "practice", index, number))
    known = {} if is_drawn(plan) else library_versions([level])
    row = round_row(participant, plan, level, 0, known)
    row.purpose, row.attempt, row.key = Purpose.PRACTICE, attempt, page.key
    return row


def is_drawn(plan: RoundPlan) -> bool:
    return isinstance(plan, RandomRound)


def library_versions(levels: Sequence[Level]) -> dict[str, int]:
    """The library's rows of these levels by hash: the oldest, where a level is there more than once."""
    hashes = {level.content_hash() for level in levels}
    rows = LevelVersion.objects.filter(hash__in=hashes).order_by("-pk").values_list("hash", "pk")
    return dict(rows)


def round_row(participant: Participant, plan: RoundPlan, level: Level, position: int, known: dict[str, int]) -> Round:
    level_hash = level.content_hash()
    version = None if is_drawn(plan) else known.get(level_hash)
    return Round(
        participant=participant,
        kind=participant.kind,
        position=position,
        key=plan.key,
        level_version_id=version,
        level=None if version else level.to_document(),
        level_hash=level_hash,
        game=level.game,
        game_version=get_game(level.game).info.version,
        seed=level.seed,
    )
