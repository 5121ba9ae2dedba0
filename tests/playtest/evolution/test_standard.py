"""Runs of the preset standard on the site: finalists, racing, and the form and pages that tell of them."""

from functools import cache, partial

import pytest
from django.test import Client
from django.urls import reverse

from personas.evolution import RunConfig
from personas.evolution.run import evolve
from personas.persona import Persona as PersonaFile
from playtest.accounts.models import User
from playtest.evolution.models import EvolutionRun, Generation, Origin, Persona, RunState
from playtest.evolution.selectors.comparison import hall_of_fame, runs_compared
from playtest.evolution.selectors.figures import chosen_words
from playtest.evolution.selectors.personas import formula_view
from playtest.evolution.selectors.runs import run_detail
from playtest.evolution.services import persona_keep, work_once
from tests.playtest.evolution.running import expected_population, start, stored_population, work_all
from tests.playtest.evolution.test_pages import GOOD
from tests.playtest.racing import race

STANDARD = RunConfig(
    persona="mins",
    seed=5,
    population=12,
    generations=3,
    games=7,
    iterations=12,
    moves=6,
    lookahead=4,
    racing=5,
    final_games=11,
)


@cache
def kept_without_the_site() -> PersonaFile:
    return evolve(STANDARD)


def best_kept(run: EvolutionRun) -> PersonaFile:
    """The persona that the run's page offers to keep, as a document."""
    detail = run_detail(pk=run.pk)
    assert detail is not None
    assert detail.best is not None
    number, idx = detail.best.individual.generation.number, detail.best.individual.idx
    version = persona_keep(run=run, generation=number, idx=idx, name="MinS", owner=run.owner)
    return PersonaFile.from_document(version.agent_spec.spec)


def without_commit(persona: PersonaFile) -> dict[str, object]:
    document = persona.to_document()
    document["source"].pop("commit", None)
    return document


@pytest.mark.django_db(transaction=True)
def test_standard_run_piece_by_piece_ends_with_the_finalists_and_the_persona_of_an_undisturbed_one() -> None:
    run = start(STANDARD)
    work_all()
    run.refresh_from_db()
    assert (run.state, run.current, run.generations) == (RunState.FINISHED, 4, 3)
    assert stored_population(run, 3) == expected_population(STANDARD)
    final = run.generation_rows.get(number=4)
    assert (final.individuals.filter(origin=Origin.ELITE).count(), len(final.game_seeds)) == (10, 11)
    assert set(final.individuals.values_list("origin", flat=True)) == {Origin.ELITE, Origin.WRITTEN}
    assert final.vanilla is not None
    assert run.generation_rows.filter(bar__isnull=False).count() == 2
    assert run.generation_rows.get(number=1).individuals.filter(origin=Origin.WRITTEN).count() == 6
    partial_rows = [row for row in Generation.objects.filter(run=run) if row.individuals.filter(partial=True).exists()]
    assert {row.number for row in partial_rows} <= {2, 3}
    assert without_commit(best_kept(run)) == without_commit(kept_without_the_site())


@pytest.mark.django_db(transaction=True)
def test_standard_run_shared_by_three_workers_ends_the_same() -> None:
    expected = expected_population(STANDARD), without_commit(kept_without_the_site())
    run = start(STANDARD)

    def work(worker: str) -> None:
        while not EvolutionRun.objects.get(pk=run.pk).is_over:
            work_once(worker=worker)

    race([partial(work, f"worker {number}") for number in range(3)])
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert (stored_population(run, 3), without_commit(best_kept(run))) == expected


@pytest.mark.django_db(transaction=True)
def test_standard_run_without_finalists_ends_with_its_last_generation() -> None:
    run = start(RunConfig(persona="maxs", seed=2, population=4, generations=1, games=2, iterations=5, final_games=0))
    work_all()
    run.refresh_from_db()
    assert (run.state, run.current) == (RunState.FINISHED, 1)


@pytest.mark.django_db(transaction=True)
def test_pages_of_a_standard_run_tell_of_its_finalists_and_settings(client: Client) -> None:
    run = start(STANDARD)
    work_all()
    client.force_login(run.owner)
    page = client.get(reverse("evolution:detail", args=[run.pk]))
    text = page.content.decode()
    for shown in (
        "Finalists",
        "Best of the last generation on 11 fresh games",
        "−1 for every 1,000 points of the whole game",
        "4 moves ahead",
        "the hopeless stop after 5 games",
        "the last best ten play 11 fresh games",
        "Stopped",
        "of 3 generations",
    ):
        assert shown in text, shown
    assert "Goal" not in text
    assert [row["generation"] for row in page.context["figure"].spec["datasets"]["generations"]] == [1, 2, 3]
    assert [line.is_final for line in page.context["detail"].generations] == [True, False, False, False]
    assert client.get(reverse("evolution:list")).status_code == 200
    (comparison,) = runs_compared(pks=[run.pk])
    assert [line.row.number for line in comparison.runs[0].lines] == [1, 2, 3]
    (fame,) = hall_of_fame()
    assert fame.lines[0].generation.number == 4
    best_kept(run)
    persona = client.get(reverse("evolution:persona", args=[Persona.objects.get().pk])).content.decode()
    for shown in (
        "every simulation meets other pieces",
        "simulations go 4 moves ahead",
        "did best on average",
        "3 of 3, the best of the finalists",
        "12, 7 games each",
        "in 11 fresh games",
    ):
        assert shown in persona, shown
    assert "wins with" not in persona


def test_formula_view_explains_the_letters_that_the_formula_uses_and_no_others() -> None:
    assert [letter for letter, _ in formula_view("add(mean, mul(deviation, depth))").letters] == ["μ", "σ", "d"]
    assert formula_view("mul(2.0, wins)").letters == [("w", "wins of the child")]
    assert formula_view("mul(2.0, wins)", is_graded=True).letters == [("w", "sum of the child's rewards")]
    assert "max" not in formula_view("min(best, gain)").mathml


@pytest.mark.django_db
def test_form_starts_with_the_standard_preset_and_its_own_numbers(admin_client: Client) -> None:
    page = admin_client.get(reverse("evolution:create"))
    form = page.context["form"]
    assert [value for value, _ in form.fields["preset"].choices] == ["standard", "replication"]
    assert form["preset"].value() == "standard"
    assert "the experiment of the paper" in page.content.decode()
    sizes = (("", "standard", 40), ("paper", "standard", 100), ("replication", "replication", 100))
    for size, preset, population in sizes:
        form = admin_client.get(reverse("evolution:create"), {"size": size}).context["form"]
        assert (form["preset"].value(), form["population"].value()) == (preset, population)
    wanted = {**GOOD, "preset": "standard", "lookahead": "4", "draws": "6", "racing": "", "final": "formula"}
    assert admin_client.post(reverse("evolution:create"), wanted).status_code == 302
    run = EvolutionRun.objects.get()
    assert run.get_preset_display() == "standard"
    assert {name: run.config[name] for name in ("scale", "lookahead", "draws", "racing", "final_games", "final")} == {
        "scale": 1000,
        "lookahead": 4,
        "draws": 6,
        "racing": 0,
        "final_games": 100,
        "final": "formula",
    }
    text = admin_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()
    assert "play-outs make the best looking of 6 random moves" in text
    assert "<dt>Move chosen by</dt>" in text
    assert "the formula" in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"preset": ""}, "preset", "Choose a preset."),
        ({"preset": "mine"}, "preset", "Select a valid choice"),
        ({"preset": "replication", "scale": "5"}, "scale", "Only the preset standard has this."),
        ({"preset": "standard", "scale": "0"}, "scale", "Reward of 1 for must be a whole number from 1 to 1,000,000."),
        ({"preset": "standard", "racing": "4"}, "racing", "After fewer than 5 games nobody can be judged."),
        ({"preset": "standard", "lookahead": "far"}, "lookahead", "must be a whole number from 0 to 1,000."),
        ({"preset": "standard", "final": "luck"}, "final", "Choose what is to choose the move."),
        ({"preset": "standard", "draws": "33"}, "draws", "must be a whole number from 1 to 32."),
        ({"preset": "standard", "final_games": "9" * 99}, "final_games", "must be a whole number from 0 to 10,000."),
    ],
)
def test_form_refuses_what_the_preset_lacks_with_words_at_the_field(
    admin_client: Client, admin: User, values: dict[str, str], field: str, words: str
) -> None:
    response = admin_client.post(reverse("evolution:create"), {**GOOD, **values})
    assert response.status_code == 422
    (found,) = response.context["form"].errors[field]
    assert words in found
    assert not EvolutionRun.objects.exists()


@pytest.mark.django_db
def test_form_of_a_run_like_one_whose_formula_chooses_asks_for_that_and_a_replication_leaves_it_out(
    admin_client: Client,
) -> None:
    new = reverse("evolution:create")
    assert admin_client.post(new, {**GOOD, "preset": "standard", "final": "formula"}).status_code == 302
    run = EvolutionRun.objects.get()
    assert admin_client.get(new, {"like": run.pk}).context["form"]["final"].value() == "formula"
    assert admin_client.post(new, {**GOOD, "preset": "replication", "final": "formula"}).status_code == 302
    copy = EvolutionRun.objects.exclude(pk=run.pk).get()
    assert "final" not in copy.config
    assert [chosen_words(one) for one in (run, copy)] == ["the formula", "the formula"]
    run.config.pop("final")
    assert chosen_words(run) == "the highest mean reward"
