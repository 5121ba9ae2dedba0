"""A designer asks what if by visible links, labels and defaults alone, in Chromium against the real site."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Site, sign_in

AxeCheck = Callable[[Page], None]
PLAYED = 120_000


def test_level_is_drawn_read_and_asked_what_if(
    staff_page: Page, new_page: PageMaker, site: Site, axe: AxeCheck
) -> None:
    page = staff_page
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Levels").click()
    axe(page)
    page.get_by_role("link", name="Draw a level").click()
    expect(page.get_by_role("status").filter(has_text="Ready to save")).to_be_visible()
    page.get_by_label("Name").fill("Mill race")
    page.get_by_role("button", name="Save and playtest").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mill race")
    expect(page.get_by_text("People, uncalibrated")).to_be_visible(timeout=PLAYED)
    expect(page.get_by_role("progressbar", name="Games played")).to_have_count(0, timeout=PLAYED)
    page.get_by_role("link", name="What if").click()
    expect(page.get_by_role("status").filter(has_text="Ready to compare")).to_be_visible()
    axe(page)
    page.get_by_label(re.compile("^Moves")).fill("10")
    page.get_by_role("button", name="See the difference").click()
    expect(page.get_by_text("Moves 20 to 10. Held against version 1.")).to_be_visible()
    random = page.get_by_role("region", name="The difference for each agent").get_by_role("row", name="Random")
    expect(random.get_by_role("cell").first).to_have_text(re.compile("5|30|55|80|100"), timeout=PLAYED)
    expect(page.locator("figure[data-chart-state='drawn'] svg")).to_be_visible()
    expect(random.get_by_role("cell").first).to_have_text("100", timeout=PLAYED)
    expect(random.get_by_text("less", exact=True)).to_be_visible()
    expect(page.get_by_role("progressbar", name="Games played")).to_have_count(0, timeout=PLAYED)
    axe(page)
    phone = new_page(**PHONE, color_scheme="dark")
    sign_in(phone, site)
    phone.goto(page.url)
    expect(phone.locator("figure[data-chart-state='drawn'] svg")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    axe(phone)
    page.get_by_role("button", name="Keep as new version").click()
    expect(page.get_by_role("link", name="version 2")).to_be_visible()
    expect(page.get_by_text("100 games of each agent").first).to_be_visible()
    page.get_by_role("link", name="version 2").click()
    expect(page.get_by_role("heading", name="Compare two versions")).to_be_visible()
    expect(page.get_by_role("region", name="Settings that differ").get_by_role("row", name="Moves")).to_be_visible()
    axe(page)
