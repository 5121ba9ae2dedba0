"""A level's page: par, searches that are begun and stopped there, and shares of par."""

import re
from html import unescape

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.leases import LeaseState
from playtest.levels.models import ParSearch, Restart, SearchState
from playtest.levels.par import par_of
from playtest.levels.services import (
    playtest_request,
    search_request,
)
from playtest.levels.views.pages import file_text
from tests.playtest.levels.playing import make_specs, make_version, work_all
from tests.playtest.levels.searching import LEVEL, make_board, page_of, run_all, state_of

pytestmark = pytest.mark.django_db


def test_level_page_tells_of_par_begins_searches_and_stops_them(designer_client: Client) -> None:
    version = make_board()
    assert "Search for par" in page_of(designer_client, version)
    begin = reverse("levels:search", args=[version.level_id])
    answer = designer_client.post(begin, {"seconds": "10", "solver": "anneal"})
    assert answer.status_code == 302
    search = ParSearch.objects.get()
    assert (search.solver, search.seconds, search.restarts_total) == ("anneal", 10, 2)
    page = page_of(designer_client, version)
    assert f'data-live-topic="search:{search.pk}"' in page
    assert "Waiting for a worker" in page
    stopped = designer_client.post(reverse("levels:search_stop", args=[search.pk]), follow=True)
    assert state_of(search) == SearchState.CANCELLED
    assert "Search for par" in stopped.content.decode()
    again = designer_client.post(reverse("levels:search_stop", args=[search.pk]), follow=True)
    assert "over already" in again.content.decode()


def test_par_and_shares_show_on_the_level_page_with_a_replay(designer_client: Client) -> None:
    version = make_board()
    playtest_request(
        level_version=version, games=30, iterations=8, agent_specs=make_specs("random", "greedy", game="samegame")
    )
    work_all()
    search = search_request(level_version=version, seconds=1)
    run_all()
    par = par_of(version.board_key)
    assert par is not None
    page = page_of(designer_client, version)
    assert f"{par.score:,}</strong> points" in page
    assert "simulated annealing of lists of anchors" in page
    shares = re.search(r"Scores as a share of par.*?</table>", page, re.DOTALL)
    assert shares is not None
    assert "Greedy" in shares[0]
    greedy = version.reports.get().entries.get(agent_spec__spec__name="greedy")
    assert greedy.max is not None
    assert f"{100 * greedy.max / par.score:.0f} %" in shares[0]
    replay = designer_client.get(reverse("levels:search_play", args=[par.restart.pk]))
    assert f"{par.score:,} points in {par.moves} moves" in replay.content.decode()
    assert state_of(search) == SearchState.DONE
    part = designer_client.get(reverse("levels:par_live", args=[version.level_id, 1]), {"rev": "0"}).content.decode()
    assert "data-live-topic" not in part, "a search that is over is not asked for again"
    assert f"{par.score:,}</strong> points" in part


def par_of_page(page: str) -> str:
    found = re.search(r'<section[^>]* id="par".*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


def live_of(part: str) -> tuple[str, ...]:
    """Topics, address and revision of a live part; nothing of one that is final."""
    return tuple(unescape(one) for one in re.findall(r'data-live-(?:topic|url|rev)="([^"]*)"', part))


def newer(client: Client, url: str, rev: str) -> HttpResponse:
    """What `live.js` is answered."""
    return client.get(f"{url}{'&' if '?' in url else '?'}rev={rev}")


def test_shares_come_when_the_playtest_ends_after_the_search(designer_client: Client) -> None:
    version = make_board()
    search = search_request(level_version=version, seconds=1)
    report = playtest_request(
        level_version=version, games=30, iterations=8, agent_specs=make_specs("random", game="samegame")
    )
    topics, url, rev = live_of(par_of_page(page_of(designer_client, version)))
    assert topics == f"search:{search.pk} report:{report.pk}"
    assert newer(designer_client, url, rev).status_code == 304
    # Nobody plays while the search runs.
    search.restarts.update(state=LeaseState.DONE, score=500, codes=[], found_after=1.0, seconds=0.5, spent=1.0)
    ParSearch.objects.update(state=SearchState.DONE, finished_at=Now(), started_at=Now(), rev=F("rev") + 1)
    part = newer(designer_client, url, rev).content.decode()
    assert "500</strong> points" in part
    assert "as a share of par" not in part
    topics, url, rev = live_of(part)
    assert topics == f"report:{report.pk}", "it waits for the playtest"
    assert newer(designer_client, url, rev).status_code == 304
    work_all()
    part = newer(designer_client, url, rev).content.decode()
    assert "Random" in part[part.index("as a share of par") :]
    assert live_of(part) == (), "all is there"


def test_shares_stay_those_of_the_report_that_the_page_shows(designer_client: Client) -> None:
    version = make_board()
    reports = []
    for name in ("greedy", "random"):
        specs = make_specs(name, game="samegame")
        reports.append(playtest_request(level_version=version, games=30, iterations=8, agent_specs=specs))
        work_all()
    search_request(level_version=version, seconds=1)
    Restart.objects.update(score=500, codes=[], found_after=1.0)
    old, new = reports
    for report, shown, other in ((old, "Greedy", "Random"), (new, "Random", "Greedy")):
        address = reverse("levels:detail", args=[version.level_id])
        part = par_of_page(designer_client.get(address, {"report": report.pk}).content.decode())
        _, url, rev = live_of(part)
        assert newer(designer_client, url, rev).status_code == 304
        for one in (part, newer(designer_client, url, "0").content.decode()):
            shares = one[one.index("as a share of par") :]
            assert shown in shares
            assert other not in shares


@pytest.mark.parametrize(("seconds", "solver"), [("0", "anneal"), ("10", "magic"), ("", "anneal"), ("7", "")])
def test_wrong_form_begins_nothing_and_says_so(designer_client: Client, seconds: str, solver: str) -> None:
    version = make_board()
    begin = reverse("levels:search", args=[version.level_id])
    page = designer_client.post(begin, {"seconds": seconds, "solver": solver}, follow=True).content.decode()
    assert "Nothing was started" in page
    assert not ParSearch.objects.exists()


def test_game_of_chance_has_no_par(designer_client: Client) -> None:
    version = make_version()
    assert 'id="par"' not in page_of(designer_client, version)
    begin = reverse("levels:search", args=[version.level_id])
    page = designer_client.post(begin, {"seconds": "10", "solver": "anneal"}, follow=True).content.decode()
    assert "what falls in is hidden" in page


def test_searches_are_for_staff_alone(client: Client) -> None:
    search = search_request(level_version=make_board(), seconds=1)
    run_all()
    restart = search.restarts.first()
    assert restart is not None
    level = search.level_version.level_id
    for name, key in (("par_live", [level, 1]), ("search_play", [restart.pk])):
        assert client.get(reverse(f"levels:{name}", args=key)).status_code == 302
    for name, key in (("search", level), ("search_stop", search.pk)):
        assert client.post(reverse(f"levels:{name}", args=[key]), {"seconds": "10"}).status_code == 302
    assert ParSearch.objects.count() == 1


def test_uploaded_board_of_groups_is_searched_at_once(designer_client: Client, designer: User) -> None:
    answer = designer_client.post(
        reverse("levels:create"), {"text": file_text(LEVEL.to_document()), "name": "Drawn"}, follow=True
    )
    search = ParSearch.objects.get()
    assert (search.requested_by, search.restarts_total) == (designer, 2)
    assert f'data-live-topic="search:{search.pk} report:' in answer.content.decode()
