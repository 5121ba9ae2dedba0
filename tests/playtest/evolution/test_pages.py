"""Pages of runs and personas: who may do what, what a form says, what the live part answers."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from personas.persona import catalogue
from playtest.accounts.models import User
from playtest.evolution.models import (
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    Objective,
    Origin,
    Persona,
    Priority,
    RunState,
    Wanted,
)
from playtest.evolution.services import personas_ensure_catalogue
from playtest.evolution.services.log import run_touch
from tests.playtest.evolution.rows import make_run
from tests.playtest.evolution.running import TINY

pytestmark = pytest.mark.django_db

GOOD = {
    "persona": "maxs",
    "game": "match3",
    "preset": "replication",
    "priority": "0",
    "population": "8",
    "generations": "3",
    "games": "4",
    "iterations": "20",
    "moves": "6",
    "seed": "11",
}


def make_played_run(owner: User, **columns: Any) -> EvolutionRun:
    """A finished run with two complete generations, written as rows."""
    values = {"config": TINY.to_document(), "state": RunState.FINISHED, "generations": 2, "current": 2, **columns}
    run = make_run(owner, **values)
    for number in (1, 2):
        generation = Generation.objects.create(
            run=run,
            number=number,
            goal=100.0,
            game_seeds=[1],
            slices_total=1,
            slices_done=1,
            state=GenerationState.BRED,
            fit_min=-3000.0 * number,
            fit_median=-2500.0,
            fit_max=-1800.5,
            vanilla=-2100.0,
            random=-2900.0,
            diversity=0.5,
            seconds=1.25,
            best_idx=0,
        )
        Individual.objects.create(
            generation=generation,
            idx=0,
            formula="div(wins, sqrt(visits))",
            fingerprint=f"{number:064x}",
            depth=2,
            size=4,
            origin=Origin.ELITE,
            fitness=-1800.5,
        )
    return run


PAGES = ["evolution:list", "evolution:create", "evolution:personas", "evolution:list_live"]


@pytest.mark.parametrize("name", PAGES)
def test_page_sends_strangers_to_sign_in(client: Client, name: str) -> None:
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("accounts:login"))


def test_designer_sees_runs_and_may_not_launch_or_stop_them(designer_client: Client, admin: User) -> None:
    run = make_run(admin, config=TINY.to_document(), hash=TINY.content_hash())
    assert designer_client.get(reverse("evolution:list")).status_code == 200
    page = designer_client.get(reverse("evolution:detail", args=[run.pk]))
    assert page.status_code == 200
    assert "Cancel run" not in page.content.decode()
    assert "New run" not in designer_client.get(reverse("evolution:list")).content.decode()
    assert designer_client.get(reverse("evolution:create")).status_code == 403
    assert designer_client.post(reverse("evolution:create"), GOOD).status_code == 403
    for name in ("pause", "resume", "cancel", "keep"):
        assert designer_client.post(reverse(f"evolution:{name}", args=[run.pk])).status_code == 403
    run.refresh_from_db()
    assert (EvolutionRun.objects.count(), run.wanted) == (1, Wanted.RUN)


def test_empty_list_teaches_and_leads_to_the_form(admin_client: Client, designer_client: Client) -> None:
    page = admin_client.get(reverse("evolution:list")).content.decode()
    assert "No run yet" in page
    assert page.count(reverse("evolution:create")) == 1
    assert reverse("evolution:create") not in designer_client.get(reverse("evolution:list")).content.decode()


def test_form_starts_a_run_with_what_it_says(admin_client: Client, admin: User) -> None:
    response = admin_client.post(reverse("evolution:create"), GOOD)
    run = EvolutionRun.objects.get()
    assert response["Location"] == reverse("evolution:detail", args=[run.pk])
    assert (run.owner, run.objective, run.seed, run.generations) == (admin, Objective.MAXS, 11, 3)
    assert run.config == TINY.to_document()
    assert run.state == RunState.QUEUED


def test_form_comes_filled_in_and_starts_as_it_stands(admin_client: Client) -> None:
    form = admin_client.get(reverse("evolution:create")).context["form"]
    names = ("persona", "game", "preset", "priority", *form.NUMBERS)
    filled = {name: value for name in names if (value := form[name].value()) is not None}
    assert admin_client.post(reverse("evolution:create"), filled).status_code == 302
    assert EvolutionRun.objects.get().config["population"] == 40
    paper = admin_client.get(reverse("evolution:create"), {"size": "paper"}).context["form"]
    assert (paper["population"].value(), paper["generations"].value(), paper["games"].value()) == (100, 100, 50)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("population", "0", "Population must be a whole number from 4 to 1,000."),
        ("population", "-5", "Population must be a whole number from 4 to 1,000."),
        ("generations", "0", "Generations must be a whole number from 1 to 1,000."),
        ("generations", "1e9", "Generations must be a whole number from 1 to 1,000."),
        ("games", "1000000", "Games each must be a whole number from 1 to 1,000."),
        ("iterations", "9" * 5000, "Simulations a move must be a whole number from 1 to 100,000."),
        ("iterations", "twelve", "Simulations a move must be a whole number from 1 to 100,000."),
        ("moves", "2.5", "Moves a game must be a whole number from 1 to 200."),
        ("seed", str(2**53), "Seed must be a whole number from 0 to 9,007,199,254,740,991."),
        ("persona", "maxx", "Select a valid choice"),
        ("game", "chess", "Select a valid choice"),
        ("game", "", "Choose the game."),
        ("persona", "", "Choose what the persona is to aim at."),
        ("priority", "", "Choose when the run is to have its turn."),
        ("priority", "9", "Choose when the run is to have its turn."),
    ],
)
def test_form_refuses_absurd_values_in_plain_words(admin_client: Client, field: str, value: str, words: str) -> None:
    response = admin_client.post(reverse("evolution:create"), {**GOOD, field: value})
    assert response.status_code == 422
    assert words in response.content.decode()
    assert not EvolutionRun.objects.exists()


def test_form_takes_no_moves_for_the_usual_number(admin_client: Client) -> None:
    assert admin_client.post(reverse("evolution:create"), {**GOOD, "moves": ""}).status_code == 302
    assert EvolutionRun.objects.get().config["moves"] == 20


def test_form_refuses_racing_that_changes_nothing(admin_client: Client) -> None:
    wanted = {**GOOD, "preset": "standard", "games": "20", "racing": "20"}
    response = admin_client.post(reverse("evolution:create"), wanted)
    assert response.status_code == 422
    assert "racing must be fewer than the 20 games" in response.content.decode()
    assert not EvolutionRun.objects.exists()


def test_list_has_older_runs_on_the_next_page(designer_client: Client, admin: User, monkeypatch: Any) -> None:
    monkeypatch.setattr("playtest.evolution.selectors.runs.RUNS_SHOWN", 2)
    runs = [make_played_run(admin) for _ in range(3)]
    first = designer_client.get(reverse("evolution:list"))
    assert [line.run.pk for line in first.context["lines"]] == [runs[2].pk, runs[1].pk]
    assert "?page=2" in first.content.decode()
    older = designer_client.get(reverse("evolution:list"), {"page": "2"})
    assert [line.run.pk for line in older.context["lines"]] == [runs[0].pk]
    assert f"{reverse('evolution:list_live')}?page=2" in older.content.decode()
    assert designer_client.get(reverse("evolution:list"), {"page": "x"}).status_code == 200


def test_form_starts_a_run_of_a_game_that_ends_by_itself(admin_client: Client) -> None:
    response = admin_client.post(reverse("evolution:create"), {**GOOD, "game": "samegame", "moves": ""}, follow=True)
    run = EvolutionRun.objects.get()
    assert (run.game, run.config["game"]) == ("samegame", "samegame")
    page = response.content.decode()
    assert "<dd>SameGame</dd>" in page
    assert "Moves a game" not in page


def test_run_like_another_has_its_settings_and_a_seed_of_its_own(admin_client: Client, admin: User) -> None:
    run = make_played_run(admin)
    form = admin_client.get(reverse("evolution:create"), {"like": run.pk}).context["form"]
    filled = {name: form[name].value() for name in ("persona", "game", "preset", "priority", *form.NUMBERS)}
    own = {"seed", "priority"}
    assert {name: filled[name] for name in filled.keys() - own} == {
        name: run.config[name] for name in filled.keys() - own
    }
    address = f"{reverse('evolution:create')}?like={run.pk}"
    page = admin_client.post(address, {**filled, "seed": "12"}, follow=True).content.decode()
    clone = EvolutionRun.objects.exclude(pk=run.pk).get()
    assert clone.cloned_from == run
    assert clone.config == {**run.config, "seed": 12}
    assert f"run {run.pk}</a>" in page


@pytest.mark.parametrize("like", ["", "0", "x", "9" * 30, "-1", "٣"])
def test_form_is_the_usual_one_for_what_names_no_run(admin_client: Client, like: str) -> None:
    form = admin_client.get(reverse("evolution:create"), {"like": like}).context["form"]
    assert form["population"].value() == 40


def test_form_refuses_a_run_that_would_take_years(admin_client: Client) -> None:
    huge = {"population": "1000", "generations": "1000", "games": "1000", "iterations": "100000", "moves": "200"}
    response = admin_client.post(reverse("evolution:create"), {**GOOD, **huge})
    assert response.status_code == 422
    assert "Choose smaller numbers" in response.content.decode()
    assert not EvolutionRun.objects.exists()


def test_page_shows_outcomes_as_people_count_them(designer_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MINS)
    page = designer_client.get(reverse("evolution:detail", args=[run.pk]))
    text = page.content.decode()
    for shown in ("1,800", "2,500", "6,000", "2,100", "2,900", "50%", "<math", "div(wins, sqrt(visits))"):
        assert shown in text, shown
    assert "-1,800" not in text
    spec = page.context["figure"].spec
    assert [row["least"] for row in spec["datasets"]["generations"]] == [1800.5, 1800.5]
    assert {row["name"] for row in spec["datasets"]["levels"]} == {"vanilla", "random", "floor"}


def test_page_of_a_run_that_just_began_has_no_figure_and_says_so(designer_client: Client, admin: User) -> None:
    run = make_run(admin, config=TINY.to_document(), state=RunState.QUEUED)
    page = designer_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()
    assert "The first point appears when" in page
    assert "Waiting" in page


def test_pages_of_runs_and_personas_that_are_not_there_are_not_found(admin_client: Client) -> None:
    for name in ("evolution:detail", "evolution:live", "evolution:persona", "evolution:persona_file"):
        assert admin_client.get(reverse(name, args=[123456])).status_code == 404
    for name in ("evolution:cancel", "evolution:keep", "evolution:persona_offer"):
        assert admin_client.post(reverse(name, args=[123456])).status_code == 404
        assert admin_client.get(reverse(name, args=[123456])).status_code == 405


def test_live_part_comes_whole_with_its_revision_and_not_again(designer_client: Client, admin: User) -> None:
    run = make_run(admin, config=TINY.to_document())
    url = reverse("evolution:live", args=[run.pk])
    part = designer_client.get(url, {"rev": 0})
    text = part.content.decode()
    assert part.status_code == 200
    assert "<html" not in text
    assert f'data-live-topic="run:{run.pk}"' in text
    assert f'data-live-rev="{run.rev}"' in text
    again = designer_client.get(url, {"rev": run.rev})
    assert (again.status_code, again.content) == (304, b"")
    run_touch(run_id=run.pk)
    assert designer_client.get(url, {"rev": run.rev}).status_code == 200


def test_live_part_of_a_run_that_is_over_is_final(designer_client: Client, admin: User) -> None:
    run = make_played_run(admin)
    text = designer_client.get(reverse("evolution:live", args=[run.pk])).content.decode()
    assert "data-live-topic" not in text


def test_live_list_changes_with_any_run(designer_client: Client, admin: User) -> None:
    run = make_run(admin, config=TINY.to_document())
    text = designer_client.get(reverse("evolution:list_live")).content.decode()
    found = re.search(r'data-live-rev="([^"]+)"', text)
    assert found is not None
    url = reverse("evolution:list_live")
    assert designer_client.get(url, {"rev": found[1]}).status_code == 304
    run_touch(run_id=run.pk)
    assert designer_client.get(url, {"rev": found[1]}).status_code == 200


def test_admin_pauses_resumes_and_cancels_by_buttons(admin_client: Client, admin: User) -> None:
    admin_client.post(reverse("evolution:create"), GOOD)
    run = EvolutionRun.objects.get()
    page = reverse("evolution:detail", args=[run.pk])
    assert "Pause" in admin_client.get(page).content.decode()
    admin_client.post(reverse("evolution:pause", args=[run.pk]))
    text = admin_client.get(page).content.decode()
    assert "Paused" in text
    assert "Go on" in text
    admin_client.post(reverse("evolution:resume", args=[run.pk]))
    admin_client.post(reverse("evolution:cancel", args=[run.pk]))
    text = admin_client.get(page).content.decode()
    assert "Cancelled" in text
    assert "Cancel run" not in text
    late = admin_client.post(reverse("evolution:cancel", args=[run.pk]), follow=True)
    assert "This run is over already." in late.content.decode()


def test_admin_lets_a_run_go_before_the_others(admin_client: Client, designer_client: Client) -> None:
    admin_client.post(reverse("evolution:create"), {**GOOD, "priority": str(Priority.LOW)})
    run = EvolutionRun.objects.get()
    address = reverse("evolution:priority", args=[run.pk])
    assert run.priority == Priority.LOW
    assert designer_client.post(address, {"priority": "1"}).status_code == 403
    assert "Choose when" in admin_client.post(address, {"priority": "many"}, follow=True).content.decode()
    run.refresh_from_db()
    assert run.priority == Priority.LOW
    page = admin_client.post(address, {"priority": "1"}, follow=True).content.decode()
    run.refresh_from_db()
    assert run.priority == Priority.HIGH
    assert "Turn set to “first” by ada." in page
    admin_client.post(reverse("evolution:cancel", args=[run.pk]))
    assert "This run is over already." in admin_client.post(address, {"priority": "0"}, follow=True).content.decode()


def test_finished_run_ends_in_one_button_that_keeps_its_best(admin_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MINS)
    page = reverse("evolution:detail", args=[run.pk])
    assert "Keep as persona" in admin_client.get(page).content.decode()
    response = admin_client.post(reverse("evolution:keep", args=[run.pk]), {"name": "Miser"}, follow=True)
    persona = Persona.objects.get()
    assert response.redirect_chain == [(reverse("evolution:persona", args=[persona.pk]), 302)]
    text = response.content.decode()
    for shown in ("Miser", f"run {run.pk}", "<math", "It plays in every playtest"):
        assert shown in text, shown
    assert "Keep as persona" not in admin_client.get(page).content.decode()


def test_unfinished_run_has_nothing_to_keep(admin_client: Client, admin: User) -> None:
    run = make_played_run(admin, state=RunState.RUNNING)
    response = admin_client.post(reverse("evolution:keep", args=[run.pk]), {"name": "Early"}, follow=True)
    assert "Only a finished run" in response.content.decode()
    assert not Persona.objects.exists()


def test_library_shows_shipped_personas_with_file_and_provenance(designer_client: Client) -> None:
    personas_ensure_catalogue()
    page = designer_client.get(reverse("evolution:personas"))
    assert page.status_code == 200
    vanilla = Persona.objects.get(game="match3", slug="vanilla")
    assert "Vanilla" in page.content.decode()
    detail = designer_client.get(reverse("evolution:persona", args=[vanilla.pk])).content.decode()
    assert "Plain tree search" in detail
    assert "Play in every playtest" not in detail, "that is the admin's to say"
    file = designer_client.get(reverse("evolution:persona_file", args=[vanilla.pk]))
    assert file["Content-Disposition"] == 'attachment; filename="vanilla.toml"'
    assert b'kind = "mcts"' in file.content


def test_persona_says_for_which_game_it_is_and_who_made_it(designer_client: Client) -> None:
    personas_ensure_catalogue()
    library = designer_client.get(reverse("evolution:personas")).content.decode()
    for game, title in (("match3", "Match-3"), ("samegame", "SameGame")):
        number = Persona.objects.filter(game=game).count()
        assert number == len(catalogue(game))
        part = library.partition(f">{title}</h2>")[2].partition("</section>")[0]
        assert part.count("Plays when asked") == number
        vanilla = Persona.objects.get(game=game, slug="vanilla")
        detail = designer_client.get(reverse("evolution:persona", args=[vanilla.pk])).content.decode()
        assert f"Plays {title}. Aims at as many points as possible" in detail
        assert f"<dt>Game</dt><dd>{title}, rules version 1</dd>" in detail
    maxs = Persona.objects.get(game="samegame", slug="maxs")
    detail = designer_client.get(reverse("evolution:persona", args=[maxs.pk])).content.decode()
    assert "Plays SameGame. MaxS: as many points as possible" in detail
    assert "Written by hand, not evolved: UCB1" in detail
    assert "It is the yardstick" not in detail


def test_admin_decides_whether_playtests_play_a_persona(admin_client: Client) -> None:
    personas_ensure_catalogue()
    vanilla = Persona.objects.get(game="match3", slug="vanilla")
    url = reverse("evolution:persona_offer", args=[vanilla.pk])
    page = reverse("evolution:persona", args=[vanilla.pk])
    admin_client.post(url, {"offered": "yes"})
    assert "Leave out of playtests" in admin_client.get(page).content.decode()
    admin_client.post(url, {"offered": "no"})
    assert "Play in every playtest" in admin_client.get(page).content.decode()


def test_names_and_errors_are_escaped(admin_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MINS, error="<script>alert(1)</script>")
    admin_client.post(reverse("evolution:keep", args=[run.pk]), {"name": "<b>Bold</b>"})
    persona = Persona.objects.get()
    for url in (
        reverse("evolution:detail", args=[run.pk]),
        reverse("evolution:persona", args=[persona.pk]),
        reverse("evolution:personas"),
    ):
        text = admin_client.get(url).content.decode()
        assert "<script>alert" not in text
        assert "<b>Bold" not in text


def test_figure_holds_finite_numbers_only(designer_client: Client, admin: User) -> None:
    run = make_played_run(admin, objective=Objective.MAXM)
    Generation.objects.filter(run=run, number=2).update(fit_min=None, fit_median=None, fit_max=None, best_idx=None)
    page = designer_client.get(reverse("evolution:detail", args=[run.pk]))
    spec = page.context["figure"].spec
    assert [row["generation"] for row in spec["datasets"]["generations"]] == [1]
    json.dumps(spec, allow_nan=False)
