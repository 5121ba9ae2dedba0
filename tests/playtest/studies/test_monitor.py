"""The live monitor: who is where, filtered and paged, for owner and admins, in few queries however many take part."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from playtest.accounts.models import User
from playtest.studies.choices import EndReason, Kind, RoundState, Status, Use
from playtest.studies.identity import code_draw, public_id_draw
from playtest.studies.models import Participant, Round, Study
from playtest.studies.recruiting import Recruited
from playtest.studies.selectors.flags import FlagKind
from playtest.studies.selectors.monitor import ANY, PAGE_SIZE, Wanted, Watching, monitor_page
from playtest.studies.selectors.staff import study_rev
from playtest.studies.services import consent_decide, participant_start, use_decide
from playtest.studies.services.dropouts import participant_time_out
from tests.playtest.studies.factory import make_participant, make_study, play_rounds
from tests.playtest.studies.linking import labelled

MANY = 1_000


def rows(study: Study, *, number: int = 1, **wanted: Any) -> list[Watching]:
    return monitor_page(study=study, wanted=Wanted(**wanted), number=number)[1]


def crowd(study: Study, count: int) -> None:
    """As many participants as that, each seen a second before the last one."""
    now = timezone.now()
    Participant.objects.bulk_create(
        Participant(
            public_id=public_id_draw(),
            study=study,
            version=study.published,
            kind=Kind.BOT,
            code=code_draw(),
            status=Status.ACTIVE,
            started_at=now,
            last_seen_at=now - timedelta(seconds=number),
        )
        for number in range(count)
    )


@pytest.fixture
def admin(admin_user: User, client: Client) -> Client:
    client.force_login(admin_user)
    return client


@pytest.mark.django_db
def test_monitor_says_where_everybody_is() -> None:
    study = make_study(rounds=2, moves=3, questions=True)
    starting, _ = make_participant(study, agree=False)
    asked = participant_start(study=study, kind=Kind.PERSON).participant
    consent_decide(participant=asked, agree=True)
    waiting, _ = make_participant(study)
    playing, _ = make_participant(study, kind=Kind.BOT)
    Round.objects.filter(participant=playing, position=1).update(
        state=RoundState.DONE, reason=EndReason.MOVES, ended_at=timezone.now()
    )
    Round.objects.filter(participant=playing, position=2).update(state=RoundState.OPEN, moves_used=2)
    done, _ = make_participant(study)
    Participant.objects.filter(pk=done.pk).update(status=Status.COMPLETED)
    seen = {row.pk: row for row in rows(study)}
    assert (seen[starting.pk].here.words, seen[starting.pk].here.page) == ("Before", 1)
    assert (seen[asked.pk].here.words, seen[asked.pk].here.page, seen[asked.pk].here.pages) == ("You", 2, 4)
    assert (seen[waiting.pk].here.words, seen[waiting.pk].here.move) == ("Round 1 of 2", None)
    here = seen[playing.pk].here
    assert (here.words, here.page, here.move, here.moves) == ("Round 2 of 2", 3, 2, 3)
    assert seen[playing.pk].kind == Kind.BOT
    assert seen[done.pk].here.words == ""


@pytest.mark.django_db
def test_whoever_was_seen_last_stands_first_and_who_is_gone_stands_where_they_stopped() -> None:
    study = make_study()
    first, _ = make_participant(study)
    second, _ = make_participant(study)
    Participant.objects.filter(pk=second.pk).update(last_seen_at=timezone.now() - timedelta(hours=1))
    assert participant_time_out(participant_id=second.pk, silence=30)
    shown = rows(study)
    assert [row.pk for row in shown] == [first.pk, second.pk]
    assert (shown[1].status, shown[1].here.words) == (Status.TIMED_OUT, "Round 1 of 2")


@pytest.mark.django_db
def test_filters_choose_states_kinds_and_flags() -> None:
    study = make_study(rounds=1, moves=12)
    hasty, _ = make_participant(study)
    calm, _ = make_participant(study)
    bot, _ = make_participant(study, kind=Kind.BOT)
    gone, _ = make_participant(study)
    Participant.objects.filter(pk=gone.pk).update(status=Status.RETURNED)
    assert {row.pk for row in rows(study, statuses=frozenset({Status.RETURNED}))} == {gone.pk}
    assert {row.pk for row in rows(study, kinds=frozenset({Kind.BOT}))} == {bot.pk}
    assert rows(study, flag=ANY) == []
    for one, think in ((hasty, 100), (calm, 2_000)):
        play_rounds(one, moves=12)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE studies_move SET think_ms = %s WHERE round_id IN"
                " (SELECT id FROM studies_round WHERE participant_id = %s)",
                [think, one.pk],
            )
    flagged = rows(study, flag=str(FlagKind.FAST_MOVES))
    assert [row.pk for row in flagged] == [hasty.pk]
    assert FlagKind.FAST_MOVES in [kind for kind, _, _ in flagged[0].flags]
    assert {row.pk for row in rows(study, flag=ANY)} >= {hasty.pk}
    assert rows(study, flag=str(FlagKind.STRAIGHT)) == []


@pytest.mark.django_db
def test_who_came_by_a_label_is_found_by_it_and_who_is_left_out_is_marked(admin: Client, admin_user: User) -> None:
    study = make_study()
    other, _ = make_participant(study)
    wanted = participant_start(study=study, kind=Kind.PERSON, link=labelled(study, "P01")).participant
    path = f"/staff/studies/{study.pk}"
    shown = admin.get(f"{path}/monitor/?name=p0").text
    assert f'>{wanted.code}</a> <span class="note">P01</span>' in shown
    assert str(other.code) not in shown
    assert str(other.code) in admin.get(f"{path}/monitor/", {"name": str(other.code).lower()}).text
    assert "name=a%26b" in admin.get(f"{path}/monitor/", {"name": "a&b"}).text
    rev = study_rev(study=study)
    use_decide(participant=wanted, row=None, use=Use.EXCLUDE, reason="Tried it out.", by=admin_user)
    assert study_rev(study=study) != rev
    for page in (f"{path}/monitor/", f"{path}/"):
        text = admin.get(page).text
        assert f'>{wanted.code}</a> <span class="note">P01</span> <span class="badge badge--warn">Left out' in text
        assert text.count("Left out") == 1


@pytest.mark.django_db
def test_states_of_the_filter_are_those_of_the_rows(admin: Client) -> None:
    study = make_study()
    make_participant(study)
    text = admin.get(f"/staff/studies/{study.pk}/monitor/").text
    assert '<option value="active">Active</option>' in text
    assert ">Active</span>" in text
    assert "Under way" not in text


@pytest.mark.django_db
@pytest.mark.parametrize("flag", ["", ANY])
def test_a_thousand_participants_are_paged_in_as_many_queries_as_a_few(flag: str) -> None:
    small, large = make_study(), make_study()
    crowd(small, 3)
    crowd(large, MANY)
    with CaptureQueriesContext(connection) as few:
        rows(small, flag=flag)
    with CaptureQueriesContext(connection) as many:
        shown = rows(large, flag=flag)
    assert len(many) == len(few)
    assert len(many) <= 12
    if not flag:
        assert len(shown) == PAGE_SIZE
        page, last = monitor_page(study=large, wanted=Wanted(), number=MANY // PAGE_SIZE)
        assert (page.paginator.count, len(last)) == (MANY, PAGE_SIZE)
        with CaptureQueriesContext(connection) as again:
            rows(large)
        # Flags of who did nothing meanwhile are not computed again.
        assert len(again) < len(many)


@pytest.mark.django_db
def test_page_shows_no_recruiter_and_is_for_owner_and_admins(admin: Client, django_user_model: Any) -> None:
    study = make_study()
    recruited = Recruited("prolific", "5f00000000000000000000bb")
    participant = participant_start(study=study, kind=Kind.PERSON, recruited=recruited).participant
    for path in ("monitor/", "monitor/live"):
        page = admin.get(f"/staff/studies/{study.pk}/{path}")
        assert page.status_code == 200
        text = page.content.decode()
        assert participant.code in text
        assert "5f00000000000000000000bb" not in text
        assert "prolific" not in text
    other = django_user_model.objects.create_user("designer", password="long enough for a test", role=1)
    stranger = Client()
    assert stranger.get(f"/staff/studies/{study.pk}/monitor/").status_code == 302
    stranger.force_login(other)
    for path in ("monitor/", "monitor/live"):
        assert stranger.get(f"/staff/studies/{study.pk}/{path}").status_code in {403, 404}


@pytest.mark.django_db
def test_fragment_is_sent_again_only_where_something_is_newer(admin: Client) -> None:
    study = make_study()
    participant, _ = make_participant(study)
    address = f"/staff/studies/{study.pk}/monitor/live"
    rev = admin.get(address).context["rev"]
    before = study_rev(study=study)
    answer = admin.get(address, {"rev": rev})
    # At the turn of a minute the words of the times differ, and with them the revision.
    assert answer.status_code == 304 or answer.context["rev"].rpartition(".")[2] != rev.rpartition(".")[2]
    past = participant.started_at - timedelta(hours=1)
    Round.objects.filter(participant=participant, position=1).update(
        state=RoundState.DONE, reason=EndReason.TIME, ended_at=past
    )
    assert study_rev(study=study) != before
    assert admin.get(address, {"rev": rev}).status_code == 200


@pytest.mark.django_db
def test_filters_of_the_address_stay_and_unknown_ones_are_ignored(admin: Client) -> None:
    study = make_study()
    make_participant(study)
    page = admin.get(
        f"/staff/studies/{study.pk}/monitor/?state=completed&kind=<b>&flag=nothing&page=x"
    ).content.decode()
    assert "Nobody is like that" in page
    assert 'monitor/live?state=completed&amp;page=1"' in page
    assert '<option value="completed" selected>' in page
    page = admin.get(f"/staff/studies/{study.pk}/monitor/?state=under_way").content.decode()
    assert "Round 1 of 2" in page


@pytest.mark.django_db
def test_monitor_of_nobody_says_what_will_be_there(admin: Client) -> None:
    page = admin.get(f"/staff/studies/{make_study().pk}/monitor/").content.decode()
    assert "Nobody has started yet" in page
