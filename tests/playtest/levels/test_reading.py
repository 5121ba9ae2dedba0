"""What a level's page reads from the games of a playtest beyond their scores."""

import csv
import io

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from engine.level import Level, draw_level
from engine.round import Round
from personas.agent import load_agent
from personas.metrics import merge_styles, play_style
from personas.report import game_seed
from playtest.accounts.models import User
from playtest.leases import LeaseState
from playtest.levels.drafts import deadlock_risk
from playtest.levels.models import PlaytestReport, TraceBlock
from playtest.levels.reading import Reading, report_reading
from playtest.levels.selectors import entries_shown
from playtest.levels.services import block_work_next, level_archive, playtest_request
from playtest.levels.styles import styles_by_entry
from tests.playtest.levels.playing import ITERATIONS, fresh, make_specs, make_version, small_level, work_all

GAMES = 30


def played(level: Level | None = None, *names: str, games: int = GAMES, seed: int = 1) -> PlaytestReport:
    report = playtest_request(
        level_version=make_version(level), agent_specs=make_specs(*names), games=games, seed=seed, iterations=ITERATIONS
    )
    work_all()
    return fresh(report)


def read(report: PlaytestReport) -> Reading:
    return report_reading(report, report.level_version, entries_shown(report=report))


@pytest.mark.django_db
def test_reading_is_that_of_the_games_themselves() -> None:
    level = small_level()
    reading = read(played(level, "random"))
    (player,) = reading.players
    traces = load_agent("random").play_games([level] * GAMES, [game_seed(1, game) for game in range(GAMES)])
    style = play_style([(level, trace.codes) for trace in traces])
    assert style is not None
    assert player.style is not None
    assert player.style.steps == pytest.approx(style.steps)
    assert sum(swap.taken for swap in player.style.swaps) == style.moves == GAMES * 4
    assert all(0 <= swap.taken <= swap.legal for swap in player.style.swaps)
    assert sum(swap.legal for swap in player.style.swaps) == sum(sum(trace.legal_before) for trace in traces)
    counts = np.array([trace.legal_before for trace in traces])
    assert [one.value for one in player.legal] == pytest.approx(counts.mean(axis=0))
    assert all(one.lo is not None and one.lo <= one.value for one in player.legal)
    halves = [one.value - one.lo for one in player.legal if one.lo is not None]
    assert halves == pytest.approx(1.96 * counts.std(axis=0, ddof=1) / GAMES**0.5)


@pytest.mark.django_db
def test_deadlocks_of_random_play_are_those_that_the_editor_foretold() -> None:
    level = draw_level(rows=4, cols=5, colours=6, moves=6, seed=2)
    reading = read(played(level, "random", games=100))
    risk = deadlock_risk(level)
    assert risk is not None
    assert risk.stuck
    assert reading.players[0].deadlocks is not None
    assert reading.players[0].deadlocks.value == pytest.approx(risk.percent)


@pytest.mark.django_db
def test_blocks_without_a_stored_style_are_replayed_and_show_the_same() -> None:
    report = played(small_level(), "random", "greedy")
    before = read(report)
    kept = styles_by_entry(report)
    TraceBlock.objects.update(style=None)
    assert styles_by_entry(report) == kept
    assert read(report) == before


@pytest.mark.django_db
def test_unfinished_report_is_read_as_far_as_it_is_played() -> None:
    report = playtest_request(level_version=make_version(), agent_specs=make_specs("random", "greedy"), games=GAMES)
    assert block_work_next(worker="test")
    (player,) = read(fresh(report)).players
    assert player.style is not None
    assert player.style.games == 5
    assert read(fresh(report)).difficulty is None


@pytest.mark.django_db
def test_difficulty_is_the_place_by_vanillas_points_a_move(designer: User) -> None:
    levels = [draw_level(rows=6, cols=6, colours=colours, moves=8, seed=3) for colours in (7, 5, 3)]
    reports = [played(level, "vanilla") for level in levels]
    places = [read(report).difficulty for report in reports]
    means = [report.entries.get().score_mean or 0.0 for report in reports]
    assert [place.place for place in places if place] == [1 + sorted(means).index(mean) for mean in means] == [1, 2, 3]
    for place in places:
        assert place is not None
        assert place.levels == 3
        assert 1 <= place.first <= place.place <= place.last <= 3
    # Reports that think more, and levels that are put away, are no yardstick.
    version = reports[0].level_version
    assert version is not None
    playtest_request(level_version=version, agent_specs=make_specs("vanilla"), games=5, iterations=3)
    work_all()
    put_away = reports[2].level_version
    assert put_away is not None
    level_archive(level=put_away.level, actor=designer, archived=True)
    again = read(reports[1]).difficulty
    assert again is not None
    assert (again.place, again.levels) == (2, 2)


@pytest.mark.django_db
def test_page_of_a_level_asks_the_database_the_same_for_few_and_for_many_games(designer_client: Client) -> None:
    numbers = []
    for games in (5, 105):
        report = played(small_level(seed=games), "random", "greedy", "vanilla", games=games)
        assert report.level_version is not None
        address = reverse("levels:detail", args=[report.level_version.level_id])
        designer_client.get(address)
        with CaptureQueriesContext(connection) as queries:
            text = designer_client.get(address).content.decode()
        numbers.append(len(queries))
        assert "Legal moves over the game" in text
        assert "uncalibrated" not in text  # without MaxS there is nothing to guess from
    assert numbers[0] == numbers[1] <= 16
    assert TraceBlock.objects.filter(state=LeaseState.DONE).count() > 15


@pytest.mark.django_db
def test_samegame_is_read_by_cells_and_knows_no_deadlock(designer_client: Client) -> None:
    level = draw_level("samegame", rows=5, cols=5, colours=3, seed=2)
    report = playtest_request(
        level_version=make_version(level), agent_specs=make_specs("random", game="samegame"), games=6
    )
    work_all()
    text = designer_client.get(reverse("levels:report_live", args=[report.pk])).content.decode()
    assert "none in this game" in text
    assert 'class="pull-map"' in text
    assert "NaN" not in text


def test_styles_of_parts_are_together_the_style_of_the_whole() -> None:
    level = draw_level(seed=5, moves=6)
    traces = load_agent("greedy").play_games([level] * 9, list(range(9)))
    games = [(level, trace.codes) for trace in traces]
    parts = [style for style in (play_style(games[:2]), play_style(games[2:])) if style is not None]
    merged, whole = merge_styles(parts), play_style(games)
    assert merged is not None
    assert whole is not None
    assert merged.actions == whole.actions
    assert merged.steps == pytest.approx(whole.steps)
    assert merged.preference() == pytest.approx(whole.preference(), nan_ok=True)
    assert (merged.games, merged.moves, merged.shuffled_games) == (whole.games, whole.moves, whole.shuffled_games)
    for code, (taken, legal) in whole.actions.items():
        assert taken == sum(trace.codes.count(code) for trace in traces)
        assert legal == sum(
            code in Round.replay(level, trace.codes[:t]).legal_codes() for trace in traces for t in range(6)
        )


@pytest.mark.django_db
def test_numbers_behind_the_maps_are_those_of_the_games(designer_client: Client) -> None:
    level = small_level()
    report = played(level, "random")
    answer = designer_client.get(reverse("levels:report_places_csv", args=[report.pk]))
    lines = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    traces = load_agent("random").play_games([level] * GAMES, [game_seed(1, game) for game in range(GAMES)])
    assert sum(int(line["made"]) for line in lines) == GAMES * 4
    assert sum(int(line["legal"]) for line in lines) == sum(sum(trace.legal_before) for trace in traces)
    swaps = [Round(level).game.decode_action(level, code) for trace in traces for code in trace.codes]
    for line in lines:
        here = [int(line["row"]) - 1, int(line["column"]) - 1]
        there = [here[0] + (line["way"] == "down"), here[1] + (line["way"] == "right")]
        assert int(line["made"]) == sum(swap in ([here, there], [there, here]) for swap in swaps)


@pytest.mark.django_db
def test_numbers_behind_the_maps_of_a_game_of_groups_are_multiples_of_chance(designer_client: Client) -> None:
    board = draw_level("samegame", rows=4, cols=4, colours=2, seed=5)
    report = playtest_request(
        level_version=make_version(board), agent_specs=make_specs("random", game="samegame"), games=GAMES
    )
    work_all()
    answer = designer_client.get(reverse("levels:report_places_csv", args=[report.pk]))
    lines = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    style = read(fresh(report)).players[0].style
    assert style is not None
    assert len(lines) == 16
    for line in lines:
        cell = style.rows[int(line["row"]) - 1][int(line["column"]) - 1]
        assert line["of_chance"] == ("" if cell.ratio is None else repr(cell.ratio))
        assert line["way"] == line["made"] == ""
