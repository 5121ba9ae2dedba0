"""Par of a board: which levels share it, what people reach of it, and that a page says one par in all its places."""

import random
import re
from dataclasses import asdict, replace

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from engine.game import games
from engine.level import Level, draw_level
from engine.round import Round
from playtest.accounts.models import User
from playtest.levels import par as par_module
from playtest.levels.board_key import board_key
from playtest.levels.models import LevelVersion, ParSearch, Restart, SearchState
from playtest.levels.par import has_par, par_of
from playtest.levels.people import Observed
from playtest.levels.services import (
    SearchError,
    level_create,
    level_try,
    levels_ensure_shipped,
    playtest_request,
    search_request,
)
from playtest.levels.services.restarts import restart_work_next
from tests.playtest.levels.playing import make_specs, make_version, work_all

LEVEL = draw_level("samegame", rows=6, cols=6, colours=3, seed=4, name="Small groups")
ALIKE = (
    replace(LEVEL, seed=99),
    replace(LEVEL, name="Other"),
    replace(LEVEL, horizon=(LEVEL.horizon or 0) + 3),
    replace(LEVEL, colours=5),
)


def other_seed(level: Level = LEVEL) -> LevelVersion:
    return level_create(owner=None, level=replace(level, seed=level.seed + 1), name="Under another seed")


def searched(version: LevelVersion, *, score: int = 500) -> ParSearch:
    """As a search is stored that found a play of so many points."""
    search = search_request(level_version=version, seconds=1)
    Restart.objects.filter(search=search).update(score=score, codes=[], found_after=1.0)
    ParSearch.objects.filter(pk=search.pk).update(
        state=SearchState.DONE, started_at=Now(), finished_at=Now(), rev=F("rev") + 1
    )
    return search


@pytest.mark.parametrize("game", [name for name in games() if has_par(name)])
def test_what_the_key_leaves_out_scores_nothing_in_any_game_without_chance(game: str) -> None:
    for seed in range(20):
        level = draw_level(game, rows=6, cols=6, colours=3, seed=seed)
        changed = replace(level, seed=seed + 1, name="Other", horizon=1, colours=games()[game].info.colours[1])
        first, second = Round(level), Round(changed)
        rng = random.Random(seed)
        while first.over is None:
            actions = first.legal_actions()
            assert second.legal_actions() == actions
            action = rng.choice(actions)
            first.play(action)
            second.play(action)
            assert (second.score, second.board, second.over) == (first.score, first.board, first.over)


def test_key_is_that_of_the_board_and_the_game() -> None:
    key = board_key(LEVEL.to_document())
    assert {board_key(level.to_document()) for level in ALIKE} == {key}
    turned = replace(LEVEL, board=LEVEL.board[::-1])
    others = [turned, draw_level("samegame", rows=6, cols=6, colours=3, seed=5)]
    keys = {board_key(level.to_document()) for level in others}
    assert len(keys) == 2
    assert key not in keys
    assert board_key({**LEVEL.to_document(), "moves": 5}) != key, "a game with a limit of moves would score otherwise"


@pytest.mark.django_db
def test_same_board_under_another_seed_has_the_par_and_the_searches_of_the_first(
    designer: User, designer_client: Client
) -> None:
    version = level_create(owner=None, level=LEVEL)
    search = searched(version)
    other = other_seed()
    assert other.hash != version.hash
    par = par_of(other.board_key)
    assert par is not None
    assert par.score == 500
    page = designer_client.get(reverse("levels:detail", args=[other.level_id])).content.decode()
    assert "500</strong> points" in page
    level_try(level_version=other, by=designer)
    assert ParSearch.objects.count() == 1, "there was a search already"
    longer = search_request(level_version=other, seconds=1)
    assert longer.seed == search.seed + search.restarts_total
    with pytest.raises(SearchError, match="under way"):
        search_request(level_version=version, seconds=1)


@pytest.mark.django_db
def test_shipped_board_under_another_seed_has_the_play_that_came_with_the_program() -> None:
    shipped = next(one for one in levels_ensure_shipped() if one.level.shipped == "samegame-01")
    copy = other_seed(Level(**{**asdict(LEVEL), **parts_of(shipped)}))
    assert copy.hash != shipped.hash
    par, same = par_of(copy.board_key), par_of(shipped.board_key)
    assert par is not None
    assert same is not None
    assert par.restart == same.restart


def parts_of(version: LevelVersion) -> dict[str, object]:
    document = version.document
    return {**{key: document[key] for key in ("rows", "cols", "colours", "seed")}, "board": tuple(document["board"])}


@pytest.mark.django_db
def test_who_stops_a_search_stays_on_the_level_where_it_was_stopped(designer_client: Client) -> None:
    search = search_request(level_version=level_create(owner=None, level=LEVEL), seconds=60)
    other = other_seed()
    page = designer_client.get(reverse("levels:detail", args=[other.level_id])).content.decode()
    form = re.search(r'<form[^>]*action="([^"]*)"[^>]*>((?:(?!</form>).)*)Stop the search', page, re.DOTALL)
    assert form is not None
    sent = dict(re.findall(r'name="(level)" value="(\d+)"', form[2]))
    answer = designer_client.post(form[1], sent)
    assert answer.headers["Location"] == reverse("levels:detail", args=[other.level_id]) + "#par"
    again = designer_client.post(form[1], {"level": "x"})
    assert again.headers["Location"] == reverse("levels:detail", args=[search.level_version.level_id]) + "#par"


@pytest.mark.django_db(transaction=True)
def test_searches_from_before_are_found_by_their_boards() -> None:
    before, after = ("levels", "0006_offered"), ("levels", "0007_board_keys")
    version, other = level_create(owner=None, level=LEVEL), other_seed()
    swaps = make_version()
    for one in (version, other):
        searched(one)
        ParSearch.objects.update(state=SearchState.CANCELLED)
    try:
        MigrationExecutor(connection).migrate([before])
        assert set(ParSearch.objects.values_list("boards_hash", flat=True)) == {version.hash, other.hash}
    finally:
        MigrationExecutor(connection).migrate([after])
    assert set(ParSearch.objects.values_list("boards_hash", flat=True)) == {version.board_key}
    assert swaps.board_key not in {version.board_key, version.hash}


@pytest.fixture
def people(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What is asked about people who played; six did."""
    asked: list[dict[str, str]] = []

    def observed(**what: str) -> Observed:
        asked.append(what)
        return Observed(people=6, low=100.0, median=250.0, high=300.0)

    monkeypatch.setattr(par_module, "people_observed", observed)
    return asked


def shares_on(client: Client, version: LevelVersion) -> str:
    page = client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    found = re.search(r"<caption>Scores as a share of par.*?</section>", page, re.DOTALL)
    return found[0] if found else ""


PEOPLE = re.compile(r"People</th><td[^>]*>–</td><td[^>]*>50 %</td><td[^>]*>–</td>")


@pytest.mark.django_db
def test_people_s_share_stands_beside_that_of_agents(designer_client: Client, people: list[dict[str, str]]) -> None:
    version = level_create(owner=None, level=LEVEL)
    playtest_request(level_version=version, games=30, iterations=8, agent_specs=make_specs("random", game="samegame"))
    work_all()
    assert shares_on(designer_client, version) == ""
    assert people == [], "without par there is no share to be shown"
    searched(version)
    shares = shares_on(designer_client, version)
    assert PEOPLE.search(shares)
    assert "6 people" in shares
    assert "Random" in shares


@pytest.mark.django_db
def test_people_s_share_needs_no_playtest(designer_client: Client, people: list[dict[str, str]]) -> None:
    version = level_create(owner=None, level=LEVEL)
    searched(version)
    assert not version.reports.exists()
    shares = shares_on(designer_client, version)
    assert PEOPLE.search(shares)
    assert "Random" not in shares
    assert people == [{"game": "samegame", "level_hash": version.hash}]


def facts_of(page: str) -> str:
    found = re.search(r'<div id="par-fact".*?</div>', page, re.DOTALL)
    assert found is not None
    return found[0]


@pytest.mark.django_db
def test_par_among_the_facts_is_that_of_its_section_while_a_search_runs(designer_client: Client) -> None:
    version = level_create(owner=None, level=LEVEL)
    address = reverse("levels:detail", args=[version.level_id])
    assert "Not searched yet" in facts_of(designer_client.get(address).content.decode())
    search = search_request(level_version=version, seconds=60)
    fact = facts_of(designer_client.get(address).content.decode())
    assert "Being searched" in fact
    topic, url, rev = re.findall(r'data-live-(?:topic|url|rev)="([^"]*)"', fact)
    assert topic == f"search:{search.pk}"
    assert designer_client.get(url, {"rev": rev}).status_code == 304
    Restart.objects.filter(search=search, number=0).update(score=1_234, codes=[], found_after=1.0)
    ParSearch.objects.update(rev=F("rev") + 1)
    newer = designer_client.get(url, {"rev": rev}).content.decode()
    assert "1,234 points" in newer
    assert f'data-live-topic="{topic}"' in newer
    ParSearch.objects.update(rev=F("rev") + 1, state=SearchState.DONE, finished_at=Now())
    final = designer_client.get(url, {"rev": rev}).content.decode()
    assert "1,234 points" in final
    assert "data-live" not in final


@pytest.mark.django_db
def test_level_without_par_has_no_such_fact(designer_client: Client, client: Client) -> None:
    version = make_version()
    page = designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    assert "par-fact" not in page
    url = reverse("levels:par_fact_live", args=[version.level_id, 1])
    assert designer_client.get(url).status_code == 404
    client.logout()
    assert client.get(url).status_code == 302
    assert not restart_work_next(worker="test")
