"""Agents' games of a playtest, in Chromium: watched, asked about, and side by side, on desk and phone."""

import json
import os
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.level import draw_level
from tests.browser.conftest import PHONE, PageMaker, Site, sign_in
from tests.browser.test_levels import PLAYED, expect_no_sideways_scrolling

AxeCheck = Callable[[Page], None]
THEMES = [{"color_scheme": "light"}, {**PHONE, "color_scheme": "dark"}]


@pytest.fixture(scope="module", params=["match3", "samegame"])
def level(site: Site, browser: Browser, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a level of each game that all agents have played."""
    size = {"rows": 6, "cols": 6, "colours": 4, "seed": 77, "name": f"Games of {request.param}"}
    file = draw_level(request.param, **size)
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    sign_in(page, site)
    page.goto("/staff/levels/new/")
    page.get_by_label("Or paste its text").fill(json.dumps(file.to_document()))
    page.get_by_role("button", name="Add and playtest").click()
    expect(page.get_by_role("progressbar", name="Games played")).to_have_count(0, timeout=PLAYED)
    yield page.url
    context.close()


def open_game(page: Page, site: Site, level: str) -> None:
    sign_in(page, site)
    page.goto(level)
    # Another test may have kept a persona of that name.
    page.get_by_role("link", name=re.compile("points: replay the best game of MaxS")).first.click()
    expect(page.locator(".replay .piece").first).to_be_visible()


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("TESSERA_PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


@pytest.mark.parametrize("theme", THEMES, ids=["desk, light", "phone, dark"])
def test_best_game_is_watched_and_agents_are_asked(
    site: Site, level: str, new_page: PageMaker, axe: AxeCheck, theme: dict[str, object]
) -> None:
    page = new_page(**theme)
    open_game(page, site, level)
    score = (page.get_by_text(re.compile(r"points in \d+ move")).text_content() or "").strip().split(" ")[0]
    page.get_by_role("button", name="Last", exact=True).click()
    expect(page.locator("[data-replay=score]")).to_have_text(score)
    page.get_by_role("button", name="First", exact=True).click()
    page.get_by_role("button", name="Ask about this position").click()
    expect(page.get_by_text("Choose an answer to see it on the board.")).to_be_visible(timeout=PLAYED)
    row = page.locator("[data-adviser=random]")
    expect(row).to_contain_text("of 32")
    answer = page.locator("[data-adviser=maxs] .advice__choice").first
    answer.click()
    expect(answer).to_have_attribute("aria-pressed", "true")
    marked = page.locator(".board__button.is-advised").count()
    assert marked in (1, 2)
    expect_no_sideways_scrolling(page)
    axe(page)
    picture(page, f"advice-{theme['color_scheme']}-{level.rstrip('/').rsplit('/', 1)[-1]}")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator(".board__button.is-advised")).to_have_count(0)
    expect(page.get_by_text("Nobody was asked about this position yet.")).to_be_visible()
    page.get_by_role("button", name="Back", exact=True).click()
    expect(row).to_contain_text("of 32")


@pytest.mark.parametrize("theme", THEMES, ids=["desk, light", "phone, dark"])
def test_two_games_step_together(
    site: Site, level: str, new_page: PageMaker, axe: AxeCheck, theme: dict[str, object]
) -> None:
    page = new_page(**theme)
    open_game(page, site, level)
    page.get_by_role("link", name="Side by side").click()
    worst = page.get_by_label("Right").locator("option").filter(has_text="Random, worst game")
    page.get_by_label("Right").select_option(worst.first.get_attribute("value"))
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".replay--side .piece").first).to_be_visible()
    boards = page.locator("[data-replay=text]")
    assert boards.nth(0).text_content() == boards.nth(1).text_content(), "both begin on the same board"
    page.locator("[data-replay=slider]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-replay=place]")).to_have_text(re.compile("^1 of"))
    expect(page.locator("#move-1")).to_have_attribute("aria-current", "step")
    for says in (page.locator("[data-replay=say]").nth(0), page.locator("[data-replay=say]").nth(1)):
        expect(says).to_have_text(re.compile("^Move 1:"))
    page.get_by_label("Show legal moves").check()
    expect(page.locator(".legal")).to_have_count(2)
    expect_no_sideways_scrolling(page)
    axe(page)
    picture(page, f"beside-{theme['color_scheme']}-{level.rstrip('/').rsplit('/', 1)[-1]}")
    page.keyboard.press("End")
    scores = page.locator("[data-replay=score]").all_text_contents()
    assert scores[0] != scores[1]
    address = page.url
    page.goto(f"{address}#move-2")
    page.reload()
    expect(page.locator("[data-replay=place]")).to_have_text(re.compile("^2 of"))
    assert boards.nth(0).text_content()
