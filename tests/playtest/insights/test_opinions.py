"""What personas think of people's moves: the same for whoever computes it, stored once, gone with the round."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from hypothesis import given
from hypothesis import strategies as st

from engine.level import Level, draw_level
from engine.rng import stream
from engine.round import Round as Game
from personas.agent import Situation, agent_from_document, load_agent
from personas.opinions import same_action
from playtest.accounts.models import AuditLog, User
from playtest.insights.models import Opinion
from playtest.insights.opinions import (
    SEARCHES,
    OpinionError,
    Opinions,
    decode_opinions,
    encode_opinions,
    opinions_of,
)
from playtest.insights.services import opinions as service
from playtest.insights.services.opinions import opinions_reconcile, opinions_request, opinions_work
from playtest.leases import LeaseState, lease_claim_next
from playtest.levels.models import DefaultAgent
from playtest.levels.services import agent_spec_ensure, level_create, restart_work_next, search_request
from playtest.studies.choices import Kind
from playtest.studies.models import Round, Study
from playtest.studies.services.participants import participant_withdraw
from tests.playtest.insights.rows import make_participant, make_study, play_rounds, preset_levels
from tests.playtest.levels.playing import small_level

LEVEL = draw_level(rows=5, cols=5, colours=4, moves=6, seed=4, name="Small")
GROUPS = draw_level(game="samegame", rows=5, cols=5, colours=3, seed=4, name="Groups")


def work_all(limit: int = 100) -> None:
    for _ in range(limit):
        if not opinions_work(worker="test"):
            return
    raise AssertionError("There is always more work.")


@pytest.fixture
def few_agents(db: None) -> None:
    for position, kind in enumerate(("greedy", "random")):
        spec = agent_spec_ensure(document={"kind": kind, "name": kind})
        DefaultAgent.objects.create(game="match3", slug=kind, position=position, agent_spec=spec)


@pytest.fixture
def study(designer: User, few_agents: None) -> Study:
    study = make_study(owner=designer, levels=[small_level()], drawn=0)
    for number, kind in enumerate((Kind.PERSON, Kind.PERSON, Kind.BOT, Kind.PREVIEW)):
        play_rounds(make_participant(study, kind), seed=40 + number)
    return study


def played(agent: str, level: Level = LEVEL, seed: int = 9) -> list[int]:
    (trace,) = load_agent(agent, game=level.game).play_games([level], [seed])
    return list(trace.codes)


@given(st.lists(st.tuples(st.integers(0, 2**16 - 1), st.integers(0, SEARCHES)), max_size=40))
def test_bytes_give_back_what_was_stored(rows: list[tuple[int, int]]) -> None:
    opinions = Opinions(tuple(row[0] for row in rows), tuple(row[1] / SEARCHES for row in rows))
    assert decode_opinions(encode_opinions(opinions)) == opinions


@pytest.mark.parametrize("data", [b"", b"OPN1", b"OPN2\x00\x00", b"OPN1\x01\x00\x00"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(OpinionError):
        decode_opinions(data)


def test_codes_too_great_for_the_format_are_refused() -> None:
    with pytest.raises(OpinionError, match="greater action codes"):
        encode_opinions(Opinions((2**16,), (1.0,)))


def test_opinions_are_the_same_every_time_and_follow_the_seed() -> None:
    agent, codes = load_agent("vanilla", iterations=20), played("random")
    one, other = (opinions_of(agent, LEVEL, codes, seed=3) for _ in range(2))
    assert one == other
    assert len(one.best) == len(codes)
    assert one != opinions_of(agent, LEVEL, codes, seed=4)


def test_each_search_is_the_one_that_the_agent_would_make() -> None:
    """The share counts searches that anybody can make by the agent alone."""
    agent, codes = load_agent("vanilla", iterations=20), played("random")
    opinions = opinions_of(agent, LEVEL, codes, seed=3)
    game = Game.replay(LEVEL, codes[:2])
    player = agent.new_player(LEVEL)
    situation = Situation(game.score, game.legal_total, game.moves_used, game.moves_left)
    chosen = []
    for search in range(SEARCHES):
        player.rng[0] = stream(3, "opinion", 2, search)
        chosen.append(player.choose(game.state, None, situation))
    assert opinions.share[2] == chosen.count(codes[2]) / SEARCHES
    assert opinions.best[2] == max(chosen, key=chosen.count)


def test_greedy_plays_its_own_moves_oftener_than_random_does() -> None:
    codes = played("greedy")
    sure = opinions_of(load_agent("greedy"), LEVEL, codes, seed=3)
    vague = opinions_of(load_agent("random"), LEVEL, codes, seed=3)
    assert sum(sure.share) > sum(vague.share) + 1


def test_what_was_taken_back_is_judged_on_the_board_of_that_moment() -> None:
    codes = played("random")
    plain = opinions_of(load_agent("greedy"), LEVEL, codes[:2], seed=3)
    undone = opinions_of(load_agent("greedy"), LEVEL, [codes[0], codes[1], None, codes[1]], seed=3)
    assert undone.best[:2] == plain.best
    assert len(undone.best) == 3
    assert undone.best[2] == opinions_of(load_agent("greedy"), LEVEL, codes[:2], seed=3).best[1]


def test_any_cell_of_a_group_is_the_same_action() -> None:
    game = Game(GROUPS)
    codes = played("random", GROUPS)
    cells = same_action(game, codes[0])
    assert codes[0] in cells
    assert len(cells) >= 2
    agent = load_agent("greedy")
    found = [opinions_of(agent, GROUPS, [cell], seed=3).share[0] for cell in sorted(cells)]
    assert len(set(found)) == 1
    assert same_action(Game(LEVEL), 7) == {7}


@pytest.mark.django_db
def test_every_finished_round_of_people_and_bots_is_looked_at_once(study: Study, designer: User) -> None:
    assert opinions_request(study=study, by=designer) == 3 * 2
    assert opinions_request(study=study, by=designer) == 0
    work_all()
    assert set(Opinion.objects.values_list("state", flat=True)) == {LeaseState.DONE}
    assert not Opinion.objects.filter(round__kind=Kind.PREVIEW).exists()
    for opinion in Opinion.objects.select_related("round", "agent_spec"):
        assert opinion.data is not None
        found = decode_opinions(opinion.data)
        codes = list(opinion.round.moves.order_by("seq").values_list("action", flat=True))
        agent = agent_from_document(opinion.agent_spec.spec)
        assert found == opinions_of(agent, small_level(), codes, seed=opinion.round.seed)
    assert AuditLog.objects.filter(action="study.opinions").count() == 2


@pytest.mark.django_db
def test_a_dead_worker_changes_nothing(study: Study, designer: User) -> None:
    opinions_request(study=study, by=designer)
    claimed = lease_claim_next(Opinion.objects.order_by("id"), worker="dead")
    assert claimed is not None
    assert opinions_reconcile() == 5
    Opinion.objects.filter(pk=claimed[0].pk).update(lease_until=Now() - timedelta(seconds=1))
    assert opinions_reconcile() == 6
    work_all()
    assert opinions_reconcile() == 0
    assert Opinion.objects.filter(state=LeaseState.DONE).count() == 6


@pytest.mark.django_db
def test_opinions_go_with_who_withdraws(study: Study, designer: User) -> None:
    opinions_request(study=study, by=designer)
    work_all()
    person = study.participants.filter(kind=Kind.PERSON).first()
    assert person is not None
    participant_withdraw(participant=person)
    assert Opinion.objects.count() == 4
    assert not Opinion.objects.filter(round__participant=person).exists()


@pytest.mark.django_db
def test_a_round_that_is_withdrawn_while_it_is_looked_at_leaves_nothing(study: Study, designer: User) -> None:
    opinions_request(study=study, by=designer)
    row, claim = lease_claim_next(Opinion.objects.select_related("round__level_version", "agent_spec"), worker="w") or (
        None,
        None,
    )
    assert row is not None
    assert claim is not None
    participant_withdraw(participant=row.round.participant)
    service._opinion_take(row, claim, "w")
    assert not Opinion.objects.filter(pk=row.pk).exists()


@pytest.mark.django_db
def test_rounds_of_other_rules_fail_with_a_sentence_and_others_go_on(study: Study, designer: User) -> None:
    row = Round.objects.filter(kind=Kind.PERSON).order_by("pk").first()
    assert row is not None
    Round.objects.filter(pk=row.pk).update(game_version=99)
    opinions_request(study=study, by=designer)
    work_all()
    failed = Opinion.objects.filter(state=LeaseState.FAILED)
    assert {one.round_id for one in failed} == {row.pk}
    assert all("version 99 of the rules" in one.error for one in failed)
    assert Opinion.objects.filter(state=LeaseState.DONE).count() == 4
    # Asked again, what failed is tried again.
    assert opinions_request(study=study, by=designer) == 2


@pytest.mark.django_db
def test_catalogue_personas_are_asked_where_nothing_else_is_named(designer: User) -> None:
    study = make_study(owner=designer, levels=preset_levels()[:1], drawn=0)
    play_rounds(make_participant(study, Kind.PERSON), seed=3)
    assert opinions_request(study=study, by=designer) == 7


def test_opinions_are_taken_while_a_worker_searches_for_par(study: Study) -> None:
    """Of a worker with one process, which a restart holds: the page of a study is not to wait for minutes."""
    opinions_request(study=study, by=None)
    waiting = Opinion.objects.filter(state=LeaseState.WAITING)
    assert waiting.exists()
    search_request(level_version=level_create(owner=None, level=GROUPS), seconds=8)
    assert restart_work_next(worker="test")
    assert not waiting.exists()
    assert Opinion.objects.filter(state=LeaseState.DONE).exists()
