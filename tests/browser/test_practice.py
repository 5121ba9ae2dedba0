"""Practice, undo and hints on the page of play, in Chromium, against the real site, on a desk and on a phone."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine.level import draw_level
from tests.browser.conftest import Site
from tests.browser.player import Player
from tests.browser.samegame import SameGamePlayer, level_of, make_study_of

AxeCheck = Callable[[Page], None]

# The first legal swap, made twice, ends in a cascade.
TO_PRACTISE = draw_level("match3", rows=6, cols=6, colours=5, moves=12, seed=0, name="To practise").to_document()
PLAYED = draw_level("match3", rows=7, cols=7, colours=6, moves=6, seed=3, name="Played").to_document()
GROUPS = level_of("AAB", "AAB")
GROUPS_PLAYED = level_of("AABB", "AABB")
HINT_SECONDS = 3


@pytest.fixture(scope="module")
def swaps(site: Site) -> str:
    return make_study_of(
        site,
        {"key": "try", "kind": "practice", "title": "Try it", "rounds": [{"key": "one", "level": TO_PRACTISE}]},
        {
            "key": "rounds",
            "kind": "rounds",
            "title": "Rounds",
            "undo": True,
            "hint_after": HINT_SECONDS,
            "rounds": [{"key": "one", "level": PLAYED}],
        },
    )


@pytest.fixture(scope="module")
def groups(site: Site) -> str:
    rounds = [{"key": "one", "level": GROUPS_PLAYED}]
    return make_study_of(
        site,
        {
            "key": "try",
            "kind": "practice",
            "title": "Try it",
            "skip": True,
            "undo": True,
            "rounds": [{"key": "one", "level": GROUPS}],
        },
        {"key": "rounds", "kind": "rounds", "title": "Rounds", "undo": True, "rounds": rounds},
    )


def begin(player: Player, url: str) -> None:
    page = player.page
    page.goto(url)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I agree").click()
    player.wait_open()


def look(page: Page, name: str) -> None:
    """A picture for who wants to look at the pages, in the folder that TESSERA_PICTURES names."""
    folder = os.environ.get("TESSERA_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def done(page: Page) -> list[str | None]:
    return page.locator("[data-check].is-done").evaluate_all("lines => lines.map(line => line.dataset.check)")


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_practice_undo_and_hints_at_a_desk(page: Page, swaps: str, axe: AxeCheck) -> None:
    player = Player(page)
    begin(player, swaps)
    expect(page.get_by_role("heading", level=1)).to_have_text("Practice round")
    go_on = page.get_by_role("button", name="Continue")
    expect(go_on).to_be_hidden()
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()
    axe(page)
    look(page, "practice-desk")
    assert done(page) == []
    player.click_swap(player.illegal_swap())
    expect(page.locator("[data-check=illegal]")).to_contain_text("done")
    player.wait_open()
    for _ in range(2):
        player.move(player.click_swap)
    assert done(page) == ["legal", "illegal", "cascade"]
    expect(go_on).to_be_visible()
    page.get_by_role("button", name="Practise again").click()
    player.wait_open()
    # The same board once more, and what was tried stays tried, also without the script having seen it.
    assert player.board() == TO_PRACTISE["board"]
    assert done(page) == ["legal", "illegal", "cascade"]
    go_on.click()
    player.wait_open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round 1 of 1")
    assert (player.board(), player.score(), player.left()) == (PLAYED["board"], 0, 6)

    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_have_attribute("aria-disabled", "true")
    undo.click(force=True)
    boards = [player.board()]
    for _ in range(2):
        player.move(player.click_swap)
        boards.append(player.board())
    undo.click()
    expect(page.locator("[data-play=left] strong")).to_have_text("5")
    player.wait_open()
    assert player.board() == boards[1]
    expect(page.get_by_role("status")).to_contain_text("Your last move was taken back.")
    expect(page.locator("[data-play=dots] .is-used")).to_have_count(1)
    expect(undo).to_be_focused()
    page.keyboard.press("Control+z")
    expect(page.locator("[data-play=left] strong")).to_have_text("6")
    player.wait_open()
    assert (player.board(), player.score()) == (boards[0], 0)
    expect(undo).to_be_focused()
    expect(undo).to_have_attribute("aria-disabled", "true")

    hinted = page.locator(".board__button.is-hinted")
    expect(hinted).to_have_count(2)
    expect(page.get_by_role("status")).to_contain_text("Hint: swap row")
    expect(undo).to_be_focused()
    axe(page)
    look(page, "hint-desk")
    cells = hinted.evaluate_all("cells => cells.map(cell => [Number(cell.dataset.row), Number(cell.dataset.col)])")
    assert tuple(tuple(cell) for cell in cells) in player.legal_swaps()
    player.move(player.click_swap)
    expect(hinted).to_have_count(0)
    page.reload()
    player.wait_open()
    assert (player.board(), player.left()) == (boards[1], 5)
    expect(page.locator("[data-play=dots] .is-used")).to_have_count(1)
    expect(undo).to_have_attribute("aria-disabled", "false")


def test_practice_and_undo_of_groups_on_a_phone(phone: Page, groups: str, axe: AxeCheck) -> None:
    player = SameGamePlayer(phone)
    begin(player, groups)
    expect(phone.get_by_role("button", name="Skip practice")).to_be_visible()
    fits(phone)
    phone.touchscreen.tap(*player.middle((0, 0)))
    expect(phone.locator("[data-check=preview]")).to_contain_text("done")
    assert done(phone) == ["preview"]
    phone.touchscreen.tap(*player.middle((0, 0)))
    expect(phone.locator("[data-play=left] strong")).to_have_text("1")
    assert done(phone) == ["preview", "legal"]
    player.wait_open()
    undo = phone.get_by_role("button", name="Undo")
    undo.tap()
    expect(phone.locator("[data-play=left] strong")).to_have_text("2")
    player.wait_open()
    assert player.board() == GROUPS["board"]
    look(phone, "practice-phone")
    axe(phone)
    # To the end of the round: the page then asks what next.
    player.remove(player.tap_group, (0, 0))
    player.remove(player.tap_group, (0, 0))
    phone.get_by_role("link", name="Continue").click()
    expect(phone.get_by_role("heading", name="Try it")).to_be_visible()
    fits(phone)
    axe(phone)
    look(phone, "practice-over-phone")
    phone.set_viewport_size({"width": 320, "height": 640})
    fits(phone)
    phone.get_by_role("button", name="Continue").click()
    player.wait_open()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Round 1 of 1")
    fits(phone)
    assert player.score() == 0
    player.remove(player.tap_group, (0, 0))
    undo.tap()
    expect(phone.locator("[data-play=score]")).to_have_text("0")
    player.wait_open()
    assert player.board() == GROUPS_PLAYED["board"]
    look(phone, "undo-phone-320")
