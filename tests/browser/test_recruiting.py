"""People whom a recruiter sends, in Chromium: from the recruiter's link to the board, and on from another device."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Problems, Site
from tests.browser.player import Player

AxeCheck = Callable[[Page], None]


def test_a_recruiters_link_goes_on_on_the_phone_where_the_desk_stopped(
    new_page: PageMaker, site: Site, axe: AxeCheck
) -> None:
    link = f"{site.study_url}?PROLIFIC_PID=5f1c0a&STUDY_ID=s1&SESSION_ID=x1"
    desk = Player(new_page(color_scheme="light")).begin(link)
    desk.move(desk.click_swap)
    left = desk.left()
    page = new_page(**PHONE, color_scheme="dark")
    page.goto(link)
    expect(page.get_by_text("You have started already.")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Go on").click()
    phone = Player(page)
    phone.wait_open()
    assert phone.left() == left


def test_a_link_without_an_id_asks_for_it(new_page: PageMaker, site: Site, axe: AxeCheck, problems: Problems) -> None:
    problems.expect("400 (Bad Request)")
    page = new_page(viewport={"width": 320, "height": 700}, color_scheme="dark")
    page.goto(f"{site.study_url}?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D")
    axe(page)
    field = page.get_by_label("Your participant id")
    field.fill("no such id!")
    field.press("Enter")
    expect(page.get_by_text("Please copy it once more.")).to_be_visible()
    expect(field).to_have_value("no such id!")
    expect(field).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    axe(page)
    field.fill("5f1c0b")
    field.press("Enter")
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
