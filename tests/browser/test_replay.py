"""A participant and a round played back, in Chromium: by button, keyboard, address and list, on desk and phone."""

import os
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Site, sign_in
from tests.site import ROOT, site_environment

AxeCheck = Callable[[Page], None]
THEMES = [{"color_scheme": "light"}, {**PHONE, "color_scheme": "dark"}]


@pytest.fixture(scope="module")
def bots(site: Site) -> None:
    """Two bots have walked the study."""
    words = ["bots", "paper", "--participants", "2", "--agent", "random", "--url", site.url, "--seed", "3"]
    environment = site_environment(site.running.var)
    subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=environment, check=True, capture_output=True)


def open_participant(page: Page, site: Site) -> None:
    if page.url == "about:blank":
        sign_in(page, site)
    page.goto("/staff/studies/")
    page.get_by_role("link", name="How do you play Match-3?", exact=True).click()
    page.locator("#participants tbody th a").first.click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()


def open_replay(page: Page, site: Site) -> None:
    open_participant(page, site)
    page.get_by_role("link", name=re.compile("^Replay of round")).first.click()
    expect(page.locator(".replay .piece").first).to_be_visible()


def board_of(page: Page) -> str:
    return page.locator("[data-replay=text]").text_content() or ""


def wide(page: Page) -> tuple[int, int]:
    size: list[int] = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return size[0], size[1]


@pytest.mark.parametrize("theme", THEMES, ids=["desk, light", "phone, dark"])
def test_pages_of_a_participant_fit_and_pass_axe(
    site: Site, bots: None, new_page: PageMaker, axe: AxeCheck, theme: dict[str, object]
) -> None:
    page = new_page(**theme)
    pictures = os.environ.get("TESSERA_PICTURES")
    name = str(theme["color_scheme"])
    open_participant(page, site)
    assert wide(page)[0] <= wide(page)[1]
    axe(page)
    if pictures:
        page.screenshot(path=f"{pictures}/person-{name}.png", full_page=True)
    open_replay(page, site)
    page.get_by_label("Show legal moves").check()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("[data-replay=place]")).to_have_text("1 of 20")
    expect(page.locator(".legal")).to_have_count(1)
    assert wide(page)[0] <= wide(page)[1]
    axe(page)
    if pictures:
        page.screenshot(path=f"{pictures}/replay-{name}.png", full_page=True)


def test_replay_by_keyboard_address_and_list(site: Site, bots: None, staff_page: Page) -> None:
    page = staff_page
    open_replay(page, site)
    start, place = board_of(page), page.locator("[data-replay=place]")
    page.locator("[data-replay=slider]").focus()
    page.keyboard.press("ArrowRight")
    expect(place).to_have_text("1 of 20")
    expect(page.locator("#move-1")).to_have_attribute("aria-current", "step")
    page.keyboard.press("End")
    expect(place).to_have_text("20 of 20")
    last = page.locator("#move-20 td.num").nth(1).text_content()
    expect(page.locator("[data-replay=score]")).to_have_text(last or "")
    page.keyboard.press("Home")
    expect(place).to_have_text("0 of 20")
    assert board_of(page) == start
    page.locator("#move-7 a").click()
    expect(place).to_have_text("7 of 20")
    assert page.url.endswith("#move-7")
    seventh = board_of(page)
    page.reload()
    expect(place).to_have_text("7 of 20")
    assert board_of(page) == seventh
    page.get_by_label("Speed").select_option("8")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(place).to_have_text("8 of 20")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
