"""Par of a SameGame level in Chromium against the real site and its worker: shipped, searched, stopped, watched."""

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from engine.level import draw_level
from playtest.levels.shipped_pars import known_plays
from tests.browser.conftest import PHONE, PageMaker, Site, sign_in

AxeCheck = Callable[[Page], None]
SEARCHED = 120_000
PAR = re.compile(r"^([\d,]+) points(, board cleared)?$")


def test_par_is_searched_stopped_and_watched(staff_page: Page, new_page: PageMaker, site: Site, axe: AxeCheck) -> None:
    page = staff_page
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Levels").click()
    # Newer levels of other tests may have moved it to a further page.
    page.get_by_label("Name or tag").fill("Standard position 7")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("link", name="Standard position 7", exact=True).click()
    par = page.get_by_role("region", name="Par", exact=True)
    score = par.get_by_text(PAR)
    expect(par.get_by_text("before it came with the program")).to_be_visible()
    first = points(score.inner_text())
    assert first >= next(play.score for play in known_plays() if play.level == "samegame-07")
    axe(page)
    par.get_by_label("For").select_option("1 hour")
    par.get_by_role("button", name="Search longer").click()
    expect(par.get_by_text("best play so far")).to_be_visible(timeout=SEARCHED)
    axe(page)
    par.get_by_role("button", name="Stop the search").click()
    expect(par.get_by_role("button", name="Search longer")).to_be_visible()
    assert points(score.inner_text()) >= first
    par.get_by_text("All searches").click()
    expect(par.get_by_role("row", name="anneal cancelled")).to_be_visible()
    expect(par.get_by_role("row", name="anneal came with the program")).to_be_visible()
    axe(page)
    phone = new_page(**PHONE, color_scheme="dark")
    sign_in(phone, site)
    phone.goto(page.url)
    expect(phone.get_by_role("region", name="Par", exact=True).get_by_text(PAR)).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    axe(phone)
    best = score.inner_text().partition(" ")[0]
    par.get_by_role("link", name="Watch this play").click()
    expect(page.get_by_text(f"{best} points in")).to_be_visible()
    axe(page)


def test_par_and_shares_of_a_new_level_come_to_its_page_by_themselves(staff_page: Page) -> None:
    page = staff_page
    page.goto("/staff/levels/new/")
    level = draw_level("samegame", rows=6, cols=6, colours=3, seed=8, moves=None, name="Small pond")
    page.get_by_label("Or paste its text").fill(json.dumps(level.to_document()))
    page.get_by_role("button", name="Add and playtest").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Small pond")
    page.evaluate("window.neverReloaded = true")
    par = page.get_by_role("region", name="Par", exact=True)
    expect(par.get_by_text(PAR)).to_be_visible(timeout=SEARCHED)
    expect(par.get_by_role("row", name="Random")).to_be_visible(timeout=SEARCHED)
    assert page.evaluate("window.neverReloaded")
    par.get_by_label("For").select_option("10 seconds")
    par.get_by_role("button", name="Search longer").click()
    par.get_by_text("All searches").click(timeout=SEARCHED)
    expect(par.get_by_role("row", name="anneal done")).to_have_count(2, timeout=SEARCHED)


def points(text: str) -> int:
    return int(text.partition(" ")[0].replace(",", ""))
