"""A round with a limit, and staff who watch it, in Chromium against the real site."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Site
from tests.browser.player import Player
from tests.browser.test_designer import expect_saved, make_empty, open_page
from tests.site import wait_until

AxeCheck = Callable[[Page], None]
LESS_MOTION = {"reduced_motion": "reduce"}
COUNT_WARNINGS = """() => {
    window.warned = [];
    const region = document.querySelector("[data-play=say]");
    new MutationObserver(() => {
        if (region.textContent.startsWith("Time left")) window.warned.push(region.textContent);
    }).observe(region, {childList: true});
}"""


@contextmanager
def database(site: Site) -> Iterator[sqlite3.Connection]:
    """The site's own file, to let its clock run faster than ours."""
    found = next(path for path in site.running.var.rglob("*.sqlite3") if "backup" not in str(path))
    with sqlite3.connect(found, timeout=20) as connection:
        yield connection
    connection.close()


def pass_time(site: Site, seconds: int) -> None:
    """Let the end of the rounds under way come nearer."""
    with database(site) as connection:
        connection.execute(
            "UPDATE studies_round SET ends_at = strftime('%Y-%m-%d %H:%M:%f', ends_at, ?) WHERE ends_at IS NOT NULL",
            [f"-{seconds} seconds"],
        )


def publish_timed_study(page: Page, title: str) -> str:
    make_empty(page, title)
    page.locator("summary").get_by_text("Time", exact=True).click()
    page.get_by_label("Minutes of silence").fill("30")
    open_page(page, "One round")
    page.locator("summary").get_by_text("Time", exact=True).click()
    page.get_by_label("Seconds for each round").fill("600")
    page.get_by_label("Seconds before the end when people are warned").fill("540")
    page.get_by_label("Seconds that people get who ask for more time").fill("240")
    page.get_by_label("How often they may ask").fill("1")
    expect_saved(page)
    page.get_by_role("button", name="Publish…").click()
    page.get_by_role("button", name="Publish and open").click()
    return page.get_by_label("Address of the study").input_value()


def start(page: Page, address: str) -> Player:
    page.goto(address)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I agree").click()
    player = Player(page)
    player.wait_open()
    return player


def test_limit_warns_gives_more_time_and_ends_the_round_while_staff_watch(
    staff_page: Page, new_page: PageMaker, site: Site, axe: AxeCheck
) -> None:
    address = publish_timed_study(staff_page, "Against the clock")
    page = new_page(**LESS_MOTION)
    player = start(page, address)
    page.evaluate(COUNT_WARNINGS)
    clock, more = page.get_by_role("timer"), page.get_by_role("button", name="More time")
    expect(clock).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))
    axe(page)

    # Somebody who watches sees them, and nothing more once it is paused.
    staff_page.get_by_role("link", name="Monitor").click()
    row = staff_page.get_by_role("row", name=re.compile("Round 1 of 1"))
    expect(row).to_contain_text("Active")
    expect(staff_page.get_by_text("Live", exact=True)).to_be_visible()
    axe(staff_page)
    pause = staff_page.get_by_role("button", name="Pause updates")
    pause.focus()
    staff_page.keyboard.press("Enter")
    expect(staff_page.get_by_text("Paused. What you see may be old.")).to_be_visible()
    shown = row.inner_text()
    asked: list[str] = []
    staff_page.on("request", lambda request: asked.append(request.url))

    player.move(player.click_swap)
    pass_time(site, 50)
    expect(page.locator("[data-play=time]")).to_have_attribute("data-state", "near")
    expect(page.locator("[data-play=say]")).to_contain_text("The button “More time” gives you 4 minutes more.")
    assert page.evaluate("window.warned.length") >= 1
    axe(page)
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.dataset.play") == "more":
            break
    page.keyboard.press("Enter")
    expect(page.locator("[data-play=say]")).to_contain_text("You have more time: ")
    expect(clock).to_have_text(re.compile(r"^1[0-9]:\d\d$"))
    expect(more).to_have_attribute("aria-disabled", "true")
    player.move(player.click_swap)
    score = player.score()

    pass_time(site, 2_000)
    expect(page.get_by_text("The time for this round is up.").first).to_be_visible()
    expect(page.locator(".play__result strong")).to_have_text(f"{score:,}")
    expect(clock).to_be_hidden()
    go_on = page.get_by_role("link", name="Continue")
    expect(go_on).to_be_focused()
    go_on.press("Enter")
    expect(page.get_by_text("That was all.")).to_be_visible()

    assert row.inner_text() == shown
    assert not asked
    staff_page.get_by_role("button", name="Resume updates").click()
    expect(staff_page.get_by_role("row", name=re.compile("Completed"))).to_be_visible()


def test_who_was_away_is_asked_back_on_the_phone(
    staff_page: Page, new_page: PageMaker, site: Site, axe: AxeCheck
) -> None:
    address = publish_timed_study(staff_page, "A long pause")
    page = new_page(**PHONE, color_scheme="dark")
    player = start(page, address)
    expect(page.get_by_role("button", name="More time")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    player.move(player.tap_swap)
    left = player.left()
    page.goto("about:blank")
    staff_page.get_by_role("link", name="Monitor").click()
    gone = staff_page.get_by_role("row", name=re.compile("Timed out"))

    def is_let_go() -> bool:
        """The server may note once more that the page was there, after it is gone: let the time pass again."""
        with database(site) as connection:
            connection.execute(
                "UPDATE studies_participant SET last_seen_at = strftime('%Y-%m-%d %H:%M:%f', 'now', '-40 minutes')"
            )
        staff_page.wait_for_timeout(2_000)
        return gone.is_visible()

    assert wait_until(is_let_go, 120)
    page.goto(address)
    expect(page.get_by_text("Nothing you did is lost")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Go on").click()
    player.wait_open()
    assert player.left() == left
