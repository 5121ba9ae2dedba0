"""What-ifs: a level and what it might be, game by game with the same seeds, and kept only if somebody wants it."""

import re
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine.level import Level as LevelFile
from engine.level import draw_level, parse_level
from personas.agent import load_agent
from personas.report import paired_interval, playtest
from playtest.accounts.models import AuditLog, Role, User
from playtest.levels.models import Level, LevelVersion, PlaytestReport, ReportState, WhatIf
from playtest.levels.services import (
    PlaytestError,
    block_work_next,
    level_create,
    level_save,
    playtest_request,
    playtest_request_file,
    what_if_copy,
    what_if_keep,
    what_if_request,
)
from playtest.levels.traces import GameTrace, encode_block
from playtest.levels.what_ifs import AgentChange, agent_changes, what_if_compared
from tests.playtest.levels.playing import fresh, small_level, work_all

pytestmark = pytest.mark.django_db

NUMBERS = {"games": 6, "seed": 5, "iterations": 4}
"""A first block of five games and one game more."""


def fewer_colours(level: LevelFile) -> LevelFile:
    return draw_level(rows=level.rows, cols=level.cols, colours=4, moves=level.moves, seed=level.seed)


def asked(owner: User | None = None, changed: LevelFile | None = None) -> WhatIf:
    """A question about a small level that was playtested."""
    version = level_create(owner=owner, level=small_level())
    like = playtest_request(level_version=version, **NUMBERS)
    return what_if_request(
        level_version=version, changed=changed or fewer_colours(small_level()), like=like, requested_by=owner
    )


def again(what_if: WhatIf) -> WhatIf:
    return WhatIf.objects.select_related("level_version__level", "base", "report").get(pk=what_if.pk)


def address(name: str, what_if: WhatIf) -> str:
    return reverse(f"levels:{name}", args=[what_if.level_version.level_id, what_if.pk])


def change_of(what_if: WhatIf, role: str) -> AgentChange:
    return next(one for one in agent_changes(again(what_if)) if one.role == role)


def fields(level: LevelFile, **changes: Any) -> dict[str, Any]:
    """What the form of the page sends for a level."""
    document = level.to_document()
    names = ("game", "rows", "cols", "colours", "moves", "seed")
    data = {name: document[name] for name in names if name in document}
    return {**data, "board": "\n".join(level.board), "queues": "seed", "drops": "", "horizon": "", **changes}


def test_differences_are_those_of_games_with_the_same_seed() -> None:
    what_if = asked()
    work_all()
    for name in ("random", "greedy", "vanilla"):
        agents = {name: load_agent(name, iterations=NUMBERS["iterations"])}
        files = (what_if.level_version.document, what_if.document)
        results = [
            playtest(parse_level(file), agents, games=NUMBERS["games"], seed=NUMBERS["seed"]).results[name]
            for file in files
        ]
        before, after = (result.scores for result in results)
        change = change_of(what_if, name)
        assert change.games == NUMBERS["games"]
        assert change.score is not None
        assert change.score.before == pytest.approx(fmean(before))
        assert change.score.after == pytest.approx(fmean(after))
        difference = change.score.difference
        assert difference.value == pytest.approx(fmean(after) - fmean(before))
        assert (difference.lo, difference.hi) == pytest.approx(paired_interval(after, before))
        assert change.legal is not None
        legal = [result.legal_means for result in results]
        assert change.legal.difference.value == pytest.approx(fmean(legal[1]) - fmean(legal[0]))


def test_asking_adds_nothing_to_the_library_and_plays_nothing_twice() -> None:
    what_if = asked()
    assert what_if.report.document is not None
    assert LevelVersion.objects.count() == 1
    work_all()
    assert again(what_if).report.state == ReportState.DONE
    like = PlaytestReport.objects.get(pk=what_if.base_id)
    same = what_if_request(
        level_version=what_if.level_version, changed=fewer_colours(small_level()), like=like, requested_by=None
    )
    assert same.pk == what_if.pk
    assert work_all() == 0


def test_changed_level_that_is_in_the_library_is_answered_from_there() -> None:
    other = level_create(owner=None, level=fewer_colours(small_level()))
    played = playtest_request(level_version=other, **NUMBERS)
    assert asked().report_id == played.pk


def test_nothing_changed_is_no_question() -> None:
    version = level_create(owner=None, level=small_level())
    with pytest.raises(PlaytestError, match="Nothing is changed yet"):
        what_if_request(
            level_version=version, changed=replace(small_level(), name="Other"), like=None, requested_by=None
        )
    with pytest.raises(PlaytestError, match="Another game"):
        what_if_request(level_version=version, changed=draw_level("samegame", seed=1), like=None, requested_by=None)
    assert not PlaytestReport.objects.exists()


def test_numbers_stream_in_as_pairs_of_games(designer_client: Client) -> None:
    what_if = asked()
    assert all(one.games == 0 and one.score is None for one in agent_changes(again(what_if)))
    text = designer_client.get(address("what_if", what_if)).content.decode()
    assert "no pair of games yet" in text
    assert f'data-live-topic="report:{what_if.base_id} report:{what_if.report_id}"' in text
    agents = what_if.report.entries.count()
    for _ in range(2 * agents):
        block_work_next(worker="test")
    # The first blocks of both levels come before any second one.
    assert {one.games for one in agent_changes(again(what_if))} == {5}
    rev = f"{fresh(what_if.base).rev}.{fresh(what_if.report).rev}"
    assert designer_client.get(address("what_if_live", what_if), {"rev": rev}).status_code == 304
    work_all()
    text = designer_client.get(address("what_if_live", what_if), {"rev": rev}).content.decode()
    assert "data-live-topic" not in text
    assert {one.games for one in agent_changes(again(what_if))} == {NUMBERS["games"]}


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([10], [30], "needs two games"),
        ([10, 20, 30], [10, 20, 30], "the same in every game"),
        ([10, 20, 30], [20, 30, 40], "by as much in every game"),
        ([10, 20, 30], [11, 19, 30], "no clear difference"),
        ([10, 20, 30], [100, 111, 119], "more"),
        ([100, 111, 119], [10, 20, 30], "less"),
    ],
)
def test_few_and_equal_games_are_said_in_words(
    before: list[int], after: list[int], words: str, designer_client: Client
) -> None:
    what_if = asked()
    for report, scores in ((what_if.base, before), (what_if.report, after)):
        block = report.entries.get(agent_spec__spec__name="random").blocks.get(number=0)
        games = [GameTrace(score, (0,), (3,)) for score in scores]
        report.entries.model.objects.filter(pk=block.entry_id).update(blocks_done=1)
        type(block).objects.filter(pk=block.pk).update(state=3, data=encode_block(games), games=len(games))
    change = change_of(what_if, "random")
    assert change.score is not None
    assert change.score.verdict == words
    text = designer_client.get(address("what_if", what_if)).content.decode()
    assert words in text
    assert not re.search(r"\bnan\b", text.lower())


def test_kept_level_is_a_new_version_with_the_games_that_were_played(designer_client: Client, designer: User) -> None:
    what_if = asked(designer)
    work_all()
    response = designer_client.post(address("what_if_keep", what_if), {"as": "version"})
    level = Level.objects.select_related("current").get(pk=what_if.level_version.level_id)
    assert response.headers["Location"] == reverse("levels:detail", args=[level.pk])
    assert level.current is not None
    assert level.current.number == 2
    assert level.current.note == what_if_compared(what_if).sentence
    assert "Colours 5 to 4" in level.current.note
    report = fresh(what_if.report)
    assert (report.level_version, report.document) == (level.current, None)
    assert f'id="report-{report.pk}-figure"' in designer_client.get(response.headers["Location"]).content.decode()
    assert not block_work_next(worker="test")
    shown = designer_client.get(address("what_if", what_if)).content.decode()
    assert "no longer the newest" in shown
    assert "Keep as new version" not in shown
    assert what_if_compared(again(what_if)).changed_count == what_if_compared(what_if).changed_count


def test_kept_level_may_be_a_copy_and_others_levels_only_that(designer_client: Client) -> None:
    other = User.objects.create_user(username="otto", password="correct horse battery", role=Role.DESIGNER)
    what_if = asked(other)
    assert "Keep as new version" not in designer_client.get(address("what_if", what_if)).content.decode()
    assert designer_client.post(address("what_if_keep", what_if), {"as": "version"}).status_code == 403
    assert LevelVersion.objects.count() == 1
    designer_client.post(address("what_if_keep", what_if), {"as": "copy"})
    copy = Level.objects.get(name="Small what-if")
    assert copy.owner is not None
    assert copy.owner.username == "dora"
    assert AuditLog.objects.filter(action="level.create", object_id=copy.pk).exists()


def test_version_saved_meanwhile_is_not_overwritten(designer_client: Client, designer: User) -> None:
    what_if = asked(designer)
    newer = draw_level(rows=5, cols=5, colours=5, seed=77)
    level_save(level=what_if.level_version.level, file=newer, author=designer, base=1, name="Small", tags=())
    response = designer_client.post(address("what_if_keep", what_if), {"as": "version"}, follow=True)
    assert "Version 2 was saved since this was asked" in response.content.decode()
    assert LevelVersion.objects.count() == 2


def test_question_is_asked_by_drawing(designer_client: Client, designer: User) -> None:
    version = level_create(owner=designer, level=small_level())
    playtest_request(level_version=version, **NUMBERS)
    ask = reverse("levels:what_if_ask", args=[version.level_id])
    assert "See the difference" in designer_client.get(ask).content.decode()
    unchanged = designer_client.post(ask, fields(small_level()))
    assert unchanged.status_code == 422
    assert "Nothing is changed yet" in unchanged.content.decode()
    wrong = designer_client.post(ask, fields(small_level(), board="AB"))
    assert wrong.status_code == 422
    response = designer_client.post(ask, fields(small_level(), moves=9))
    what_if = WhatIf.objects.get()
    assert response.headers["Location"] == address("what_if", what_if)
    assert (what_if.report.games, what_if.report.seed, what_if.report.iterations) == tuple(NUMBERS.values())
    assert "Moves 4 to 9" in designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    further = designer_client.get(ask, {"from": what_if.pk}).content.decode()
    assert 'name="moves" value="9"' in further


def test_groups_are_compared_too(designer_client: Client) -> None:
    level = draw_level("samegame", rows=4, cols=4, colours=3, seed=2)
    version = level_create(owner=None, level=level)
    like = playtest_request(level_version=version, games=2, seed=1, iterations=2)
    changed = draw_level("samegame", rows=4, cols=4, colours=2, seed=3)
    what_if = what_if_request(level_version=version, changed=changed, like=like, requested_by=None)
    work_all()
    assert all(one.games == 2 and one.legal is not None for one in agent_changes(again(what_if)))
    assert "Colours 3 to 2" in designer_client.get(address("what_if", what_if)).content.decode()


def test_strangers_learn_nothing(client: Client) -> None:
    what_if = asked()
    for name in ("what_if", "what_if_live", "what_if_keep"):
        assert client.get(address(name, what_if)).headers["Location"].startswith(reverse("accounts:login"))


def test_question_of_another_level_is_not_found(designer_client: Client) -> None:
    what_if = asked()
    other = level_create(owner=None, level=draw_level(seed=9))
    assert designer_client.get(reverse("levels:what_if", args=[other.level_id, what_if.pk])).status_code == 404


def test_file_that_is_saved_later_takes_its_playtest_along(designer: User) -> None:
    report = playtest_request_file(level=small_level(), games=1, iterations=1)
    version = level_create(owner=designer, level=small_level())
    assert fresh(report).level_version == version
    copied = what_if_copy(what_if=asked(designer), by=designer)
    assert copied.level.name == "Small what-if"
    kept = what_if_keep(what_if=asked(designer), by=designer)
    assert kept.number == 2
