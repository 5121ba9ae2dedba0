"""Staff pages of studies: who sees what, how far participants came, and who may pause."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import Kind, StudyState
from playtest.studies.models import Participant, Round, Study
from playtest.studies.selectors.staff import funnels, studies_listed, study_rev
from playtest.studies.services.participants import consent_decide, participant_start, participant_withdraw
from playtest.studies.services.studies import study_create, study_set_state
from tests.playtest.insights.rows import make_participant, make_study, play_rounds, preset_levels, study_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(designer: User) -> Study:
    return make_study(owner=designer)


def page(client: Client, name: str, *args: Any, **query: Any) -> str:
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def test_list_counts_people_and_bots_apart(study: Study, designer: User, designer_client: Client) -> None:
    play_rounds(make_participant(study, Kind.PERSON))
    make_participant(study, Kind.PERSON)
    play_rounds(make_participant(study, Kind.BOT))
    make_participant(study, Kind.PREVIEW)
    (row,) = studies_listed(user=designer)
    assert (row.people_finished, row.people_started, row.bots_finished, row.bots_started) == (1, 2, 1, 1)
    text = page(designer_client, "studies_staff:list")
    assert "1 of 2" in text
    assert "1 of 1" in text


def test_empty_list_teaches(designer_client: Client) -> None:
    assert "No studies yet" in page(designer_client, "studies_staff:list")


def test_study_that_nobody_started_teaches_and_shows_the_link(study: Study, designer_client: Client) -> None:
    text = page(designer_client, "studies_staff:detail", study.pk)
    assert "No one has played yet" in text
    assert f"manage.py bots {study.slug}" in text
    assert text.count(f"http://testserver/s/{study.public_id}/") >= 3


def test_funnel_counts_each_step_and_each_kind_by_itself(study: Study) -> None:
    play_rounds(make_participant(study, Kind.PERSON))
    play_rounds(make_participant(study, Kind.PERSON), rounds=1)
    make_participant(study, Kind.PERSON)
    participant_start(study=study, kind=Kind.PERSON)
    consent_decide(participant=participant_start(study=study, kind=Kind.PERSON).participant, agree=False)
    gone = make_participant(study, Kind.PERSON)
    participant_withdraw(participant=gone)
    play_rounds(make_participant(study, Kind.BOT))
    people, bots = funnels(study=study)
    assert (people.kind, people.started, people.agreed, people.played, people.finished) == (Kind.PERSON, 6, 4, 2, 1)
    assert (people.declined, people.withdrawn) == (1, 1)
    assert (bots.kind, bots.started, bots.agreed, bots.played, bots.finished) == (Kind.BOT, 1, 1, 1, 1)
    assert [share for _, _, share in people.steps] == [100, 67, 33, 17]
    make_participant(study, Kind.PREVIEW)
    assert [funnel.kind for funnel in funnels(study=study)] == [Kind.PERSON, Kind.BOT, Kind.PREVIEW]


def test_who_declined_and_agreed_then_is_not_told_as_declined(study: Study) -> None:
    person = participant_start(study=study, kind=Kind.PERSON).participant
    consent_decide(participant=person, agree=False)
    assert funnels(study=study)[0].declined == 1
    consent_decide(participant=person, agree=True)
    people = funnels(study=study)[0]
    assert (people.started, people.agreed, people.declined) == (1, 1, 0)


def test_of_who_withdrew_the_pages_tell_the_day_alone(study: Study, designer_client: Client, designer: User) -> None:
    person = make_participant(study, Kind.PERSON)
    participant_withdraw(participant=person)
    today = f'<time datetime="{timezone.now():%Y-%m-%d}">'
    for name in ("detail", "monitor"):
        text = page(designer_client, f"studies_staff:{name}", study.pk)
        assert today in text.partition("<tbody>" if name == "monitor" else 'id="participants-title"')[2], name
    text = designer_client.get(reverse("studies_staff:participant", args=[study.pk, person.pk])).text
    assert f"last seen {today}" in text
    assert text.count(today) > 3
    assert "00:00:00" not in text
    assert studies_listed(user=designer)[0].last_seen_at is None


def test_points_of_different_games_are_not_added_up(study: Study, designer_client: Client) -> None:
    person = make_participant(study, Kind.PERSON)
    first, second = play_rounds(person, rounds=2)
    assert f">{first + second:,}</td>" in page(designer_client, "studies_staff:detail", study.pk)
    Round.objects.filter(participant=person, position=1).update(game="samegame")
    text = page(designer_client, "studies_staff:detail", study.pk)
    assert f">{first + second:,}</td>" not in text
    assert "Points of different games are not added up." in text


def test_buttons_for_recruiting_and_for_updates_have_different_names(study: Study, designer_client: Client) -> None:
    text = page(designer_client, "studies_staff:detail", study.pk)
    assert ">Pause recruiting</button>" in text
    assert ">Pause updates</button>" in text
    assert ">Pause</button>" not in text


def test_participants_are_shown_with_rounds_scores_and_kind(study: Study, designer_client: Client) -> None:
    person = make_participant(study, Kind.PERSON)
    scores = play_rounds(person, rounds=2)
    bot = make_participant(study, Kind.BOT)
    text = page(designer_client, "studies_staff:detail", study.pk)
    row = text.split(f"{person.code}", 1)[1].split("</tr>", 1)[0]
    assert "Bot" not in row
    assert "2 of 4" in row
    places = [row.index(f">{score:,}<") for score in scores]
    assert places == sorted(places)
    assert f"{sum(scores):,}" in row
    bot_row = text.split(f"{bot.code}", 1)[1].split("</tr>", 1)[0]
    assert "badge--bot" in bot_row
    assert "0 of 4" in bot_row


def test_last_seen_is_relative_with_the_exact_time_on_hover(study: Study, designer_client: Client) -> None:
    person = make_participant(study, Kind.PERSON)
    seen = timezone.now() - timedelta(hours=3)
    Participant.objects.filter(pk=person.pk).update(last_seen_at=seen)
    text = page(designer_client, "studies_staff:detail", study.pk).replace("\N{NO-BREAK SPACE}", " ")
    assert re.search(rf'title="{seen:%-d %B %Y, %H:%M:%S} UTC">3 hours ago', text)


def test_who_withdrew_leaves_a_line_without_code_or_scores(study: Study, designer_client: Client) -> None:
    person = make_participant(study, Kind.PERSON)
    code = person.code
    scores = play_rounds(person, rounds=1)
    participant_withdraw(participant=person)
    text = page(designer_client, "studies_staff:detail", study.pk)
    assert code not in text
    assert f">{scores[0]:,}<" not in text
    assert "Withdrawn" in text
    assert "1 withdrew" in text


def test_many_participants_come_in_pages(study: Study, designer_client: Client) -> None:
    for _ in range(52):
        participant_start(study=study, kind=Kind.BOT)
    text = page(designer_client, "studies_staff:detail", study.pk)
    assert "1 to 50 of 52" in text
    assert "51 to 52 of 52" in page(designer_client, "studies_staff:detail", study.pk, page=2)
    assert "51 to 52 of 52" in page(designer_client, "studies_staff:detail", study.pk, page=99)
    assert "1 to 50 of 52" in page(designer_client, "studies_staff:detail", study.pk, page="last but one")


def test_live_part_is_sent_when_something_changed(study: Study, designer_client: Client) -> None:
    live = reverse("studies_staff:live", args=[study.pk])
    rev = study_rev(study=study)
    assert designer_client.get(live, {"rev": rev}).status_code == 304
    make_participant(study, Kind.BOT)
    response = designer_client.get(live, {"rev": rev})
    assert response.status_code == 200
    assert response.content.decode().strip().startswith("<div")
    assert f'data-live-topic="study:{study.pk}"' in response.content.decode()


def test_versions_are_listed_with_who_started_on_them(study: Study, designer_client: Client) -> None:
    make_participant(study, Kind.BOT)
    text = page(designer_client, "studies_staff:detail", study.pk).split("Versions</h2>", 1)[1]
    assert "Current" in text
    assert re.search(r'<td class="num">0</td><td class="num">1</td><td>match3 \d', text)


def test_owner_pauses_and_opens_again(study: Study, admin_client: Client, admin: User) -> None:
    address = reverse("studies_staff:state", args=[study.pk])
    admin_client.post(address, {"state": "paused"})
    study.refresh_from_db()
    assert study.state == StudyState.PAUSED
    assert "Open again" in page(admin_client, "studies_staff:detail", study.pk)
    admin_client.post(address, {"state": "open"})
    study.refresh_from_db()
    assert study.state == StudyState.OPEN
    assert AuditLog.objects.filter(action="study.state", actor=admin).count() == 2


@pytest.mark.parametrize("state", ["closed", "draft", "open", "nonsense", ""])
def test_other_steps_are_refused_and_change_nothing(study: Study, admin_client: Client, state: str) -> None:
    address = reverse("studies_staff:state", args=[study.pk])
    text = admin_client.post(address, {"state": state}, follow=True).content.decode()
    assert "Nothing was done." in text
    study.refresh_from_db()
    assert study.state == StudyState.OPEN


def test_designer_neither_sees_nor_changes_a_study_of_others(admin: User, designer_client: Client) -> None:
    study = make_study(owner=admin)
    assert study.title not in page(designer_client, "studies_staff:list")
    for name in ("studies_staff:detail", "studies_staff:live", "insights:study_results"):
        assert designer_client.get(reverse(name, args=[study.pk])).status_code == 403
    for name in ("state", "publish"):
        response = designer_client.post(reverse(f"studies_staff:{name}", args=[study.pk]), {"state": "paused"})
        assert response.status_code == 403
    study.refresh_from_db()
    assert study.state == StudyState.OPEN


def test_draft_is_published_by_its_owner(designer: User, designer_client: Client) -> None:
    draft = study_create(owner=designer, document=study_document(preset_levels()))
    text = page(designer_client, "studies_staff:detail", draft.pk)
    assert "Publish…" in text
    assert "/s/" not in text
    designer_client.post(reverse("studies_staff:publish", args=[draft.pk]))
    draft.refresh_from_db()
    assert draft.state == StudyState.OPEN
    assert f"/s/{draft.public_id}/" in page(designer_client, "studies_staff:detail", draft.pk)


def test_closed_study_offers_no_step(study: Study, admin_client: Client) -> None:
    study_set_state(study=study, state=StudyState.CLOSED)
    text = page(admin_client, "studies_staff:detail", study.pk)
    assert "Closed" in text
    assert "Open again" not in text
    assert "data-live-topic" not in text


@pytest.mark.parametrize("name", ["list", "detail", "live"])
def test_nobody_reads_a_page_without_signing_in(client: Client, study: Study, name: str) -> None:
    response = client.get(reverse(f"studies_staff:{name}", args=[] if name == "list" else [study.pk]))
    assert response.status_code == 302
    assert response.headers["Location"].startswith(reverse("accounts:login"))


def test_nothing_is_changed_by_links_or_strangers(client: Client, study: Study, admin_client: Client) -> None:
    for name in ("state", "publish"):
        address = reverse(f"studies_staff:{name}", args=[study.pk])
        assert admin_client.get(address).status_code == (405 if name == "state" else 200)
        assert client.post(address, {"state": "paused"}).status_code == 302
    study.refresh_from_db()
    assert study.state == StudyState.OPEN
