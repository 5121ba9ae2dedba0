"""Several runs at once: side by side on one figure, and the best of all of them."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.evolution.comparison_chart import comparison_figure
from playtest.evolution.models import EvolutionRun, Objective, RunState
from playtest.evolution.selectors.comparison import MOST_COMPARED, hall_of_fame, runs_compared
from tests.playtest.evolution.rows import make_run
from tests.playtest.evolution.test_pages import make_played_run

pytestmark = pytest.mark.django_db


def page(client: Client, name: str, query: str = "") -> str:
    response = client.get(reverse(name) + query)
    assert response.status_code == 200
    return response.content.decode()


def test_runs_with_one_kind_of_outcome_share_a_figure(admin: User) -> None:
    points = [make_played_run(admin, objective=objective) for objective in (Objective.MAXS, Objective.MINS)]
    moves = make_played_run(admin, objective=Objective.MAXM)
    found = runs_compared(pks=[run.pk for run in [*points, moves]])
    assert [(one.outcome, [each.run.pk for each in one.runs]) for one in found] == [
        ("Points", [run.pk for run in points]),
        ("Legal moves", [moves.pk]),
    ]


def test_runs_of_different_games_never_share_a_figure(admin: User) -> None:
    runs = [make_played_run(admin) for _ in range(2)]
    EvolutionRun.objects.filter(pk=runs[1].pk).update(game="samegame", config={**runs[1].config, "game": "samegame"})
    found = runs_compared(pks=[run.pk for run in runs])
    assert [(one.outcome, len(one.runs)) for one in found] == [("Points, Match-3", 1), ("Points, SameGame", 1)]


def test_figure_draws_the_best_of_each_generation_as_outcomes(admin: User) -> None:
    least = make_played_run(admin, objective=Objective.MINS)
    (comparison,) = runs_compared(pks=[least.pk])
    figure = comparison_figure(comparison)
    assert figure is not None
    drawn = figure["datasets"]["generations"]
    # Fitness of MinS is the negative of the points: its best has the fewest.
    assert [(point["generation"], point["most"], point["median"]) for point in drawn] == [
        (1, 1800.5, 2500.0),
        (2, 1800.5, 2500.0),
    ]
    assert "NaN" not in json.dumps(figure, allow_nan=False)


def test_settings_that_differ_are_marked(admin: User) -> None:
    one, two = make_played_run(admin), make_played_run(admin)
    EvolutionRun.objects.filter(pk=two.pk).update(config={**two.config, "games": 99})
    (comparison,) = runs_compared(pks=[one.pk, two.pk])
    assert [setting.label for setting in comparison.settings if setting.differs] == ["Games each"]
    EvolutionRun.objects.filter(pk=two.pk).update(config={**one.config, "clairvoyant": True, "level": {"rows": 7}})
    (comparison,) = runs_compared(pks=[one.pk, two.pk])
    assert [(setting.label, *setting.values) for setting in comparison.settings if setting.differs] == [
        ("Boards", "drawn for each game", "one level"),
        ("Sees what will fall", "no", "yes"),
    ]


def test_page_compares_what_its_address_names(designer_client: Client, admin: User) -> None:
    runs = [make_played_run(admin) for _ in range(2)]
    text = page(designer_client, "evolution:compare", f"?run={runs[0].pk}&run={runs[1].pk}")
    assert len(re.findall(r"data-chart=", text)) == 1
    for run in runs:
        assert f'value="{run.pk}" checked' in text


@pytest.mark.parametrize("query", ["", "?run=", "?run=x", "?run=999999", "?run=" + "9" * 40, "?run=-1", "?run=٣"])
def test_page_passes_over_what_names_no_run(designer_client: Client, admin: User, query: str) -> None:
    make_played_run(admin)
    assert "Choose two or more runs." in page(designer_client, "evolution:compare", query)


def test_page_shows_a_run_without_a_complete_generation_in_words(designer_client: Client, admin: User) -> None:
    begun, played = make_run(admin), make_played_run(admin)
    text = page(designer_client, "evolution:compare", f"?run={begun.pk}&run={played.pk}")
    assert "no generation is complete" in text


def test_page_says_when_it_shows_fewer_than_asked_for(designer_client: Client, admin: User) -> None:
    runs = [make_played_run(admin) for _ in range(MOST_COMPARED + 1)]
    text = page(designer_client, "evolution:compare", "?" + "&".join(f"run={run.pk}" for run in runs))
    assert f"Only the first {MOST_COMPARED} are shown." in text


def test_empty_pages_say_what_will_be_there(designer_client: Client) -> None:
    assert "Nothing to compare yet" in page(designer_client, "evolution:compare")
    assert "Nobody is famous yet" in page(designer_client, "evolution:fame")


def test_hall_of_fame_ranks_finished_runs_by_what_they_aim_at(admin: User) -> None:
    first = make_played_run(admin, objective=Objective.MINS)
    better = make_played_run(admin, objective=Objective.MINS)
    better.generation_rows.get(number=2).individuals.update(fitness=-1500.0)
    make_played_run(admin, objective=Objective.MINS, state=RunState.CANCELLED)
    (fame,) = hall_of_fame()
    assert [line.run.pk for line in fame.lines] == [better.pk, first.pk]
    assert [line.outcome_text for line in fame.lines] == ["1,500", "1,800"]
    # Vanilla had 2,100 points on the same boards; fewer is better.
    assert [line.lead_text for line in fame.lines] == ["+600", "+300"]


def test_runs_of_other_games_than_usual_stand_last_in_the_hall_of_fame(designer_client: Client, admin: User) -> None:
    usual, odd = make_played_run(admin), make_played_run(admin)
    EvolutionRun.objects.filter(pk=usual.pk).update(config={**usual.config, "moves": 20})
    EvolutionRun.objects.filter(pk=odd.pk).update(config={**odd.config, "moves": 200, "clairvoyant": True})
    odd.generation_rows.get(number=2).individuals.update(fitness=99_000.0)
    (fame,) = hall_of_fame()
    assert [(line.run.pk, line.oddity) for line in fame.lines] == [(usual.pk, ""), (odd.pk, "clairvoyant, 200 moves")]
    assert "clairvoyant, 200 moves" in page(designer_client, "evolution:fame")


@pytest.mark.parametrize("name", ["evolution:compare", "evolution:fame"])
def test_pages_send_strangers_to_sign_in(client: Client, name: str) -> None:
    assert client.get(reverse(name)).status_code == 302
