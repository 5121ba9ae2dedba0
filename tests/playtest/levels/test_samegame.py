"""SameGame levels in the library: all seven agents play them, and the figures are those of the command line."""

import pytest
from django.test import Client
from django.urls import reverse

from engine.level import draw_level, shipped_levels
from personas.agent import load_agent
from personas.report import playtest
from playtest.levels.boards import report_boards, report_horizons
from playtest.levels.models import DefaultAgent, PlaytestReport
from playtest.levels.selectors import agent_role, entries_shown
from playtest.levels.services import (
    DrawnBoards,
    PlaytestError,
    block_work_next,
    default_agents_ensure,
    level_create,
    playtest_request,
    playtest_request_drawn,
)
from playtest.levels.services.agents import DEFAULT_AGENTS
from playtest.levels.services.playtests import FIRST_BLOCK_GAMES
from playtest.levels.thumbnails import board_svg
from tests.playtest.levels.playing import figures_of, figures_without_the_site, fresh, make_specs, work_all

pytestmark = pytest.mark.django_db
LEVEL = draw_level("samegame", rows=6, cols=6, colours=3, seed=4, name="Small")
GAMES, ITERATIONS = 30, 8


def asked(**kwargs: object) -> PlaytestReport:
    version = level_create(owner=None, level=LEVEL)
    return playtest_request(level_version=version, games=GAMES, iterations=ITERATIONS, seed=5, **kwargs)


def test_all_seven_agents_play_a_samegame_level_as_on_the_command_line() -> None:
    report = asked()
    work_all()
    agents = {name: load_agent(name, game="samegame", iterations=ITERATIONS) for name in DEFAULT_AGENTS}
    alone = figures_without_the_site(playtest(LEVEL, agents, games=GAMES, seed=5))
    assert figures_of(fresh(report)) == alone
    entries = entries_shown(report=fresh(report))
    assert [(entry.label, entry.role) for entry in entries] == [
        ("MaxS", "maxs"),
        ("Vanilla", "vanilla"),
        ("Greedy", "greedy"),
        ("MaxM", "maxm"),
        ("Random", "random"),
        ("MinM", "minm"),
        ("MinS", "mins"),
    ]


def test_half_finished_report_counts_legal_moves_as_the_finished_one() -> None:
    report = asked(agent_specs=make_specs("random", game="samegame"))
    block_work_next(worker="test")
    (so_far,) = entries_shown(report=fresh(report))
    assert not so_far.is_complete
    assert so_far.legal is not None
    traces = playtest(LEVEL, [load_agent("random")], games=FIRST_BLOCK_GAMES, seed=5).results["random"].traces
    assert so_far.legal.mean == pytest.approx(sum(trace.legal_mean for trace in traces) / FIRST_BLOCK_GAMES)


def test_boards_that_are_drawn_have_each_its_own_horizon() -> None:
    drawn = DrawnBoards(game="samegame", rows=6, cols=7, colours=3)
    report = playtest_request_drawn(drawn=drawn, agent_specs=make_specs("random", game="samegame"), games=6)
    work_all()
    games = range(6)
    boards = report_boards(report, games)
    horizons = [board.horizon for board in boards]
    assert report_horizons(report, games) == horizons
    assert len(set(horizons)) > 1
    (entry,) = entries_shown(report=fresh(report))
    assert entry.legal is not None
    assert entry.legal.mean > 0
    match3 = playtest_request_drawn(drawn=DrawnBoards("match3", 5, 5, 5, 4), agent_specs=make_specs("random"), games=2)
    assert report_horizons(match3, range(2)) == [None, None]


def test_persona_of_one_game_is_neither_offered_nor_accepted_for_another() -> None:
    for game in ("match3", "samegame"):
        default_agents_ensure(game=game)
        specs = [row.agent_spec for row in DefaultAgent.objects.filter(game=game)]
        assert len(specs) == len(DEFAULT_AGENTS)
        assert {spec.game for spec in specs} == {"", game}
    for name in ("maxs", "vanilla"):
        with pytest.raises(PlaytestError, match=r"plays Match-3, these boards are of SameGame\."):
            asked(agent_specs=make_specs(name))
    assert PlaytestReport.objects.count() == 0
    maxs, vanilla = make_specs("maxs", "vanilla", game="samegame")
    assert (agent_role(maxs), agent_role(vanilla)) == ("maxs", "vanilla")


def test_page_of_a_samegame_level_speaks_of_groups(designer_client: Client) -> None:
    level = shipped_levels("samegame")["samegame-small-1"]
    version = level_create(owner=None, level=level)
    report = playtest_request(level_version=version, games=2, iterations=5)
    work_all()
    page = designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    assert "SameGame · 10 × 10 · 4 colours · <a" in page
    assert ">version 1</a>" in page
    assert f"{version.start_legal} groups" in page
    assert "Counted before the first 20 moves of a game" in page
    assert "Legal moves are the groups before the first 20 moves" in page
    assert "Falling in" not in page
    assert fresh(report).blocks_done == len(DEFAULT_AGENTS)
    picture = designer_client.get(reverse("levels:board", args=[version.hash])).content.decode()
    assert picture.count("<use") == 100


def test_empty_cells_are_left_out_of_pictures() -> None:
    picture = board_svg(["..A", ".BA"])
    assert picture.count("<use") == 3
    assert 'viewBox="-0.12 -0.12 3.24 2.24"' in picture
