"""Several runs at once: side by side on one figure, and the best of all of them."""

import csv
import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine.level import draw_level
from personas.evolution import RunConfig
from playtest.accounts.models import User
from playtest.evolution.comparison_chart import comparison_figure
from playtest.evolution.models import (
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    Objective,
    Origin,
    Preset,
    RunState,
)
from playtest.evolution.selectors.comparison import MOST_COMPARED, hall_of_fame, runs_compared
from playtest.levels.services import level_create
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


def make_run_with_finalists(owner: User, **columns: Any) -> EvolutionRun:
    """A finished run of two generations and their finalists, one individual of each stopped early."""
    run = make_played_run(owner, **columns)
    config = RunConfig(persona="mins", seed=11, population=8, generations=2, games=4, moves=6, final_games=400)
    EvolutionRun.objects.filter(pk=run.pk).update(current=3, preset=Preset.STANDARD, config=config.to_document())
    final = Generation.objects.create(
        run=run,
        number=3,
        goal=1.0,
        game_seeds=list(range(400)),
        slices_total=1,
        slices_done=1,
        state=GenerationState.BRED,
        fit_min=-2000.0,
        fit_median=-1900.0,
        fit_max=-1700.0,
        vanilla=-2150.0,
        best_idx=0,
    )
    for generation in run.generation_rows.all():
        Individual.objects.create(
            generation=generation,
            idx=1 if generation.number < 3 else 0,
            formula="mul(2.0, mean)",
            fingerprint="f" * 64,
            depth=2,
            size=3,
            origin=Origin.ELITE,
            fitness=-1750.0 if generation == final else -2900.0,
            partial=generation != final,
        )
    return EvolutionRun.objects.get(pk=run.pk)


def test_file_of_the_comparison_has_who_stopped_and_the_finalists(designer_client: Client, admin: User) -> None:
    run = make_run_with_finalists(admin, objective=Objective.MINS)
    compared = designer_client.get(f"{reverse('evolution:compare_csv')}?run={run.pk}")
    alone = designer_client.get(reverse("evolution:csv", args=[run.pk]))
    rows = list(csv.DictReader(compared.content.decode().splitlines()))
    assert [(row["generation"], row["finalists"], row["stopped"]) for row in rows] == [
        ("1", "no", "1"),
        ("2", "no", "1"),
        ("3", "yes", "0"),
    ]
    assert compared.content == alone.content, "the run's own file says the same"


def test_comparison_says_which_games_a_formula_was_best_in(designer_client: Client, admin: User) -> None:
    run = make_run_with_finalists(admin, objective=Objective.MINS)
    played = make_played_run(admin, objective=Objective.MINS)
    text = page(designer_client, "evolution:compare", f"?run={run.pk}&run={played.pk}")
    assert "Best of the last generation on 400 fresh games, 1,750 points" in text
    assert "Generation 2, 1,800 points" in text
    # The finalists stand in the table beside the last generation, and the figure leaves them out.
    assert re.search(r"Finalists</td><td[^>]*>1,700</td><td[^>]*>1,900</td><td[^>]*>2,000</td>", text)
    (comparison,) = runs_compared(pks=[run.pk])
    assert [line.row.number for line in comparison.runs[0].lines] == [1, 2]


def test_hall_of_fame_counts_the_games_of_the_finalists(designer_client: Client, admin: User) -> None:
    make_run_with_finalists(admin, objective=Objective.MINS)
    (fame,) = hall_of_fame()
    assert [(line.outcome_text, line.games) for line in fame.lines] == [("1,750", 400)]


def test_runs_of_a_game_that_ends_by_itself_have_no_moves_a_game(designer_client: Client, admin: User) -> None:
    run = make_played_run(admin)
    config = {**run.config, "game": "samegame", "moves": 20}
    EvolutionRun.objects.filter(pk=run.pk).update(game="samegame", config=config)
    assert "moves a game" not in page(designer_client, "evolution:compare", f"?run={run.pk}")
    (comparison,) = runs_compared(pks=[run.pk])
    assert [setting.values for setting in comparison.settings if setting.label == "Moves a game"] == [["–"]]
    detail = designer_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()
    assert "moves a game" not in detail
    fame = page(designer_client, "evolution:fame")
    assert "SameGame" in fame
    assert "samegame" not in fame
    EvolutionRun.objects.filter(pk=run.pk).update(game="match3", config={**config, "game": "match3"})
    assert "20 moves a game" in page(designer_client, "evolution:compare", f"?run={run.pk}")


def test_settings_say_which_level_runs_play(admin: User) -> None:
    levels = [draw_level(rows=5, cols=5, colours=5, moves=6, seed=seed, name=f"Pond {seed}") for seed in (1, 2)]
    version = level_create(owner=None, level=levels[0])
    runs = [make_played_run(admin) for _ in levels]
    for run, level in zip(runs, levels, strict=True):
        EvolutionRun.objects.filter(pk=run.pk).update(config={**run.config, "level": level.to_document()})
    (comparison,) = runs_compared(pks=[run.pk for run in runs])
    (boards,) = [setting for setting in comparison.settings if setting.label == "Boards"]
    assert boards.differs
    assert list(boards.values) == [str(version), "Pond 2, which is in no library"]
