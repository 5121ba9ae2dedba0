"""“Begin” in Chromium, pressed twice: the form goes out once and says so; back on the page it can be sent again."""

from collections.abc import Callable

from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Site
from tests.browser.samegame import level_of, make_study

PageMaker = Callable[..., Page]
BOARD = level_of("ABABA", "BABAB", "AABAB", "ABABA", "BABAB", "ABABA", "BABAB")


def test_begin_is_sent_once_and_says_that_it_is_under_way(
    new_page: PageMaker, site: Site, axe: Callable[[Page], None]
) -> None:
    page = new_page()
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.url.endswith("/start") else None)
    # An answer without a page: the browser stays where it is, as it does while none has come.
    page.route("**/start", lambda route: route.fulfill(status=204))
    page.goto(make_study(site, BOARD))
    button = page.get_by_role("button", name="Begin")
    button.dblclick()
    expect(page.get_by_role("status")).to_have_text("One moment, please.")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    assert len(sent) == 1
    axe(page)
    # Where nothing came of it for long, it can be sent again.
    expect(button).not_to_have_attribute("aria-disabled", "true")
    page.unroute("**/start")
    button.click()
    page.wait_for_url("**/consent")
    page.go_back()
    expect(page.get_by_text("You have started already.")).to_be_visible()


def test_stopping_is_sent_once_too(new_page: PageMaker, site: Site) -> None:
    page = new_page()
    page.goto(make_study(site, BOARD))
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("link", name="Stop and delete my data").click()
    page.get_by_role("button", name="Stop and delete my data").dblclick()
    expect(page.get_by_role("heading", name="Your data are deleted")).to_be_visible()
