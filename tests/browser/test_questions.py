"""Questions in Chromium: scales in a row where there is room, in a column where there is none, by keyboard too."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Site
from tests.browser.player import Player
from tests.browser.samegame import SameGamePlayer, level_of, make_study_of

AxeCheck = Callable[[Page], None]
PageMaker = Callable[..., Page]
NARROW: dict[str, Any] = {"viewport": {"width": 320, "height": 640}, "is_mobile": True, "has_touch": True}
ITEMS: list[dict[str, Any]] = [
    {
        "key": "agree",
        "kind": "scale",
        "label": "The rules were clear to me from the first round on.",
        "to": 7,
        "low": "strongly disagree",
        "high": "strongly agree",
        "labels": {"4": "neither agree nor disagree"},
    },
    {
        "key": "likely",
        "kind": "scale",
        "label": "How likely?",
        "from": 0,
        "to": 10,
        "low": "not at all",
        "high": "very",
    },
    {"key": "age", "kind": "number", "label": "Age", "min": 18, "max": 100},
    {"key": "words", "kind": "text", "label": "Anything?", "max_length": 1000, "lines": 2, "required": False},
]


BOARD = level_of("ABABA", "BABAB", "AABAB", "ABABA", "BABAB", "ABABA", "BABAB")


@pytest.fixture(scope="module")
def study(site: Site) -> str:
    return make_study_of(
        site,
        {"key": "asked", "kind": "questionnaire", "title": "Some questions", "items": ITEMS},
        {
            "key": "rounds",
            "kind": "rounds",
            "title": "The boards that count",
            "undo": True,
            "rounds": [{"key": "one", "level": BOARD}],
        },
        languages=["en", "de"],
    )


def look(page: Page, name: str) -> None:
    """A picture for who wants to look at the pages, in the folder that TESSERA_PICTURES names."""
    folder = os.environ.get("TESSERA_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def begin(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("form button[type=submit]").first.click()
    page.locator("button[value=agree]").click()
    page.wait_for_url("**/page/asked")


def tops(page: Page, question: str) -> set[int]:
    """At how many heights the steps of a scale stand."""
    labels = page.locator(f"#id_{question} label")
    return {round(box["y"]) for box in (labels.nth(n).bounding_box() for n in range(labels.count())) if box}


def steps(page: Page, question: str) -> Locator:
    return page.locator(f"#id_{question} input")


def test_scales_stand_in_a_row_at_a_desk_and_work_by_keyboard(new_page: PageMaker, study: str, axe: AxeCheck) -> None:
    page = new_page()
    begin(page, study)
    assert [len(tops(page, name)) for name in ("agree", "likely")] == [1, 1]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    labels = page.locator("#id_agree label, #id_likely label")
    assert labels.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
    expect(page.get_by_role("radio", name="1 (strongly disagree)")).to_have_count(1)
    axe(page)
    steps(page, "agree").first.focus()
    page.keyboard.press("Space")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(steps(page, "agree").nth(3)).to_be_checked()
    expect(page.get_by_text("A whole number from 18 to 100.")).to_be_visible()
    look(page, "questions-desk")
    page.locator("#id_age").fill("150")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Please look at this once more")).to_be_visible()
    look(page, "questions-desk-errors")
    axe(page)


def test_scales_stand_in_a_column_on_a_narrow_phone(new_page: PageMaker, study: str, axe: AxeCheck) -> None:
    page = new_page(**NARROW)
    begin(page, f"{study}?lang=de")
    assert [len(tops(page, name)) for name in ("agree", "likely")] == [7, 11]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_text("Bis zu 1.000 Zeichen.")).to_be_visible()
    expect(page.get_by_text("Zeichen übrig: 1.000")).to_be_visible()
    look(page, "questions-phone")
    axe(page)


@pytest.mark.parametrize("options", [{}, NARROW], ids=["desk", "phone"])
def test_the_shade_at_the_end_of_a_round_is_as_wide_as_the_board(
    new_page: PageMaker, study: str, axe: AxeCheck, options: dict[str, Any]
) -> None:
    page = new_page(**options)
    begin(page, f"{study}?lang=de" if options else study)
    for name in ("agree", "likely"):
        steps(page, name).first.check()
    page.locator("#id_age").fill("40")
    page.locator("main form button[type=submit]").click()
    player: Player = SameGamePlayer(page)
    player.wait_open()
    expect(page.locator(".play__page")).to_have_text("The boards that countSameGame")
    left = page.locator("[data-play=left]")
    number = left.locator("strong").inner_text()
    assert number.isdecimal()
    expect(left).to_have_text(f"Noch {number} Gruppen" if options else f"{number} groups left")
    look(page, f"play-{'phone' if options else 'desk'}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe(page)
    while page.locator("[data-play=panel]").is_hidden():
        group = page.locator(".board__button[aria-label*='group of'], .board__button[aria-label*='Gruppe']").first
        group.click()
        group.click()
        page.wait_for_timeout(800)
    board = page.locator("[data-play=board]")
    shade = board.evaluate("one => getComputedStyle(one, '::after').backgroundColor")
    assert shade.startswith("rgba(20, 24, 31")
    panel = page.locator("[data-play=panel]")
    assert panel.evaluate("one => getComputedStyle(one).backgroundColor") == "rgba(0, 0, 0, 0)"
    look(page, f"over-{'phone' if options else 'desk'}")
    axe(page)
