"""Par of shipped levels: the best known plays come with the program, and never stand above what was found here."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from engine.level import draw_level, shipped_levels
from engine.round import Round
from engine.solving import get_solver
from playtest.leases import LeaseState
from playtest.levels import shipped_pars
from playtest.levels.board_key import board_key
from playtest.levels.models import LevelVersion, ParSearch, Restart, SearchState
from playtest.levels.par import has_par, par_of, pars_of
from playtest.levels.services import known_plays as service
from playtest.levels.services import levels_ensure_shipped, restart_work_next, search_request
from playtest.levels.services.known_plays import known_plays_ensure
from playtest.levels.shipped_pars import PlayRefusedError, better_plays, known_plays, play_of_line

PLAYS = {play.level: play for play in known_plays()}
LEVELS = {slug: level for slug, level in shipped_levels().items() if has_par(level.game)}


def test_every_shipped_level_that_has_par_has_a_play() -> None:
    assert set(PLAYS) == set(LEVELS)
    assert len(PLAYS) == 26


@pytest.mark.parametrize("slug", sorted(LEVELS))
def test_play_is_worth_by_the_rules_what_it_says(slug: str) -> None:
    play, level = PLAYS[slug], LEVELS[slug]
    played = Round.replay(level, play.codes)
    assert (played.score, played.over is not None) == (play.score, True)
    assert play.cleared == all(set(row) == {"."} for row in played.board)
    assert play.key == board_key(level.to_document())
    assert play.seconds > 0
    assert get_solver(play.solver).name == play.solver


@pytest.mark.django_db
def test_fresh_site_has_par_on_every_shipped_level_that_can_have_it() -> None:
    versions = levels_ensure_shipped()
    pars = pars_of(version.board_key for version in versions)
    for version in versions:
        play = PLAYS.get(version.level.shipped or "")
        par = pars.get(version.board_key)
        assert (par is None) == (play is None)
        if par is None or play is None:
            continue
        search = par.restart.search
        assert (par.score, search.solver, par.restart.found_after) == (play.score, play.solver, play.seconds)
        assert search.is_shipped
        assert (search.state, par.restart.state) == (SearchState.DONE, LeaseState.DONE)
    assert not restart_work_next(worker="test"), "there is nothing to search"
    standard = [play.score for slug, play in PLAYS.items() if re.fullmatch(r"samegame-\d+", slug)]
    assert len(standard) == 20
    assert sum(standard) >= 86_272


@pytest.mark.django_db
def test_later_starts_add_nothing_and_ask_once() -> None:
    versions = levels_ensure_shipped()
    before = set(Restart.objects.values_list("pk", "score"))
    levels_ensure_shipped()
    assert set(Restart.objects.values_list("pk", "score")) == before
    with CaptureQueriesContext(connection) as queries:
        assert known_plays_ensure(versions=versions) == 0
    assert len(queries) == 1


def standard(number: int = 1) -> LevelVersion:
    return next(version for version in levels_ensure_shipped() if version.level.shipped == f"samegame-{number:02}")


@pytest.mark.django_db
def test_better_play_that_was_found_here_stays_par(monkeypatch: pytest.MonkeyPatch) -> None:
    version = standard()
    search = search_request(level_version=version, seconds=1)
    assert search.seed == 1, "seeds count from one, as without par"
    search.restarts.filter(number=0).update(score=9_000, codes=[], found_after=1.0)
    ParSearch.objects.filter(started_at__isnull=True, state=SearchState.DONE).delete()
    assert levels_ensure_shipped()
    par = par_of(version.board_key)
    assert par is not None
    assert par.score == 9_000
    assert not ParSearch.objects.filter(level_version=version).exclude(pk=search.pk).exists()
    # A new release knows a better one.
    better = replace(PLAYS["samegame-01"], score=9_500)
    monkeypatch.setattr(service, "known_plays", lambda: (better,))
    levels_ensure_shipped()
    par = par_of(version.board_key)
    assert par is not None
    assert par.score == 9_500


@pytest.mark.django_db
def test_play_of_other_rules_or_of_another_board_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    play = PLAYS["samegame-01"]
    plays = (replace(play, game_version=99), replace(PLAYS["samegame-02"], key="0" * 64))
    monkeypatch.setattr(service, "known_plays", lambda: plays)
    levels_ensure_shipped()
    assert not ParSearch.objects.exists()


@pytest.mark.django_db
def test_page_says_that_the_play_came_with_the_program(designer_client: Client) -> None:
    version = standard()
    play = PLAYS["samegame-01"]
    page = designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    assert f"{play.score:,}</strong> points, board cleared" in page
    # A better play may come from a search of another length.
    length = f"{round(play.seconds) // 60} min"
    assert f"simulated annealing of lists of anchors in a search of {length}, before it came with the program" in page
    assert "Search longer" in page
    restart = Restart.objects.get(search__level_version=version)
    watched = designer_client.get(reverse("levels:search_play", args=[restart.pk])).content.decode()
    assert f"{play.score:,} points in {len(play.codes)} moves" in watched
    assert "before it came with the program" in watched
    assert "seed 0" not in watched


def line_of(slug: str) -> dict[str, Any]:
    """A play that solves nothing, as a file of plays has it: always the first group."""
    level = LEVELS[slug]
    played = Round(level)
    actions = []
    while played.over is None:
        action = played.legal_actions()[0]
        actions.append(action)
        played.play(action)
    return {"solver": "anneal", "score": played.score, "actions": actions, "seconds": 3.5}


def test_file_of_plays_is_taken_over_where_it_is_better(tmp_path: Path) -> None:
    line = line_of("samegame-small-1")
    path = tmp_path / "samegame-small-1.jsonl"
    path.write_text(json.dumps(line) + "\n" + json.dumps({**line, "board": "random-7"}) + "\n", encoding="utf-8")
    (play,) = better_plays([], [path]).values()
    assert (play.level, play.score, play.seconds) == ("samegame-small-1", line["score"], 3.5)
    assert better_plays(PLAYS.values(), [path]) == dict(sorted(PLAYS.items())), "what is known is better"
    assert better_plays([replace(play, score=play.score - 1)], [path]) == {play.level: play}


def test_play_that_claims_more_than_the_rules_give_is_refused() -> None:
    slug = "samegame-small-1"
    with pytest.raises(PlayRefusedError, match="by the rules"):
        play_of_line(slug, LEVELS[slug], {**line_of(slug), "score": 10_000})


def test_file_is_what_its_command_writes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "plays.jsonl"
    monkeypatch.setattr(shipped_pars, "FILE", path)
    shipped_pars.main([])
    assert path.read_text(encoding="utf-8") == Path(shipped_pars.__file__).with_suffix(".jsonl").read_text("utf-8")


def test_drawn_levels_are_none_of_them() -> None:
    assert board_key(draw_level("samegame", seed=1).to_document()) not in {play.key for play in PLAYS.values()}
