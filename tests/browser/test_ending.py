"""The end of a study in Chromium: made in the editor, counted down and stopped, shown again, and left for good."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Problems, Site, sign_in
from tests.browser.player import Player
from tests.browser.test_designer import expect_saved, make_empty, open_page

AxeCheck = Callable[[Page], None]
WAIT = 90


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The link of the study that the first test makes."""
    return {}


@pytest.fixture
def link(new_page: PageMaker, site: Site, axe: AxeCheck, problems: Problems, made: dict[str, str]) -> str:
    """A study with a question that screens out, a round of one move, and an end that leads back."""
    if made:
        return made["link"]
    # The address that the editor refuses.
    problems.expect("422")
    page = new_page()
    sign_in(page, site)
    make_empty(page, "From a panel")
    open_page(page, "Before you start")
    page.get_by_role("button", name="Questions", exact=True).click()
    page.get_by_label("Heading").fill("First a question")
    page.get_by_role("link", name=re.compile("New question")).click()
    page.get_by_label("Question", exact=True).fill("Do you play on a phone?")
    page.get_by_label("Meaning of answer 2").select_option("out")
    expect_saved(page)
    axe(page)
    open_page(page, "One round")
    page.get_by_role("link", name=re.compile("Drawn anew")).click()
    page.get_by_label("Moves").fill("1")
    open_page(page, "Thank you")
    back = f"{site.url}/?cc=[COMPLETION_CODE]&pid=[PROLIFIC_PID]"
    done = page.get_by_role("group", name="When everything is done")
    done.get_by_label("Completion code").fill("C0MPL3TE")
    done.get_by_label("Completion address").fill("https://evil.example/?cc=1")
    expect(page.get_by_text("This site sends nobody to evil.example.")).to_be_visible()
    done.get_by_label("Completion address").fill(back)
    done.get_by_label("Countdown in seconds").fill(str(WAIT))
    page.locator("summary").get_by_text("Who is screened out").click()
    out = page.get_by_role("group", name="Who is screened out")
    out.get_by_label("Text").fill("We ask people who play on a phone.")
    out.get_by_label("Completion code").fill("SCR33N")
    out.get_by_label("Completion address").fill(back)
    expect_saved(page)
    axe(page)
    page.get_by_role("button", name="Publish…").click()
    expect(page.get_by_text("The address needs PROLIFIC_PID").first).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Publish and open").click()
    made["link"] = page.get_by_label("Address of the study").input_value()
    return made["link"]


def begin(page: Page, link: str, answer: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_label(answer, exact=True).check()
    page.get_by_role("button", name="Continue").click()


def arrived(page: Page) -> dict[str, list[str]]:
    page.wait_for_url("**/?cc=*")
    return parse_qs(urlsplit(page.url).query)


def test_end_counts_down_can_be_stopped_and_shows_the_code_again(new_page: PageMaker, link: str, axe: AxeCheck) -> None:
    page = new_page(**PHONE, color_scheme="dark", permissions=["clipboard-read", "clipboard-write"])
    begin(page, f"{link}?PROLIFIC_PID=5f1c", "Yes")
    player = Player(page)
    player.wait_open()
    player.move(player.tap_swap)
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_text("You have finished this study, and everything is stored.")).to_be_visible()
    seconds = page.get_by_role("timer")
    expect(seconds).not_to_have_text(str(WAIT))
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["viewport"]["width"]
    page.get_by_role("button", name="Stay on this page").click()
    expect(page.get_by_text("You stay on this page.")).to_be_visible()
    expect(seconds).to_be_hidden()
    expect(page.get_by_role("link", name="Go on to localhost")).to_be_focused()
    copy = page.get_by_role("button", name="Copy").first
    copy.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "C0MPL3TE"
    page.goto(link)
    expect(page.get_by_text("You have finished this study. Thank you for taking part.")).to_be_visible()
    axe(page)
    page.get_by_role("link", name="Show my code again").click()
    expect(page.get_by_text("C0MPL3TE")).to_be_visible()
    expect(page.get_by_role("timer")).to_be_hidden()
    axe(page)
    page.get_by_role("link", name="Go on to localhost").click()
    assert arrived(page) == {"cc": ["C0MPL3TE"], "pid": ["5f1c"]}


def test_who_is_screened_out_is_sent_back_by_the_page_and_stays_screened_out(
    new_page: PageMaker, link: str, axe: AxeCheck
) -> None:
    page = new_page(viewport={"width": 320, "height": 700})
    page.clock.install()
    begin(page, f"{link}?prolific_pid=5f1d", "No")
    expect(page.get_by_text("We ask people who play on a phone.")).to_be_visible()
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.go_back()
    page.goto(page.url)
    expect(page.get_by_role("heading", level=1)).to_have_text("This study ends here for you")
    page.clock.run_for((WAIT + 1) * 1000)
    assert arrived(page) == {"cc": ["SCR33N"], "pid": ["5f1d"]}
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("This study ends here for you")
    expect(page.get_by_role("timer")).to_be_hidden()


def test_without_scripts_the_link_is_all_there_is(new_page: PageMaker, link: str) -> None:
    page = new_page(**PHONE, java_script_enabled=False)
    begin(page, f"{link}?PROLIFIC_PID=5f1e", "No")
    expect(page.get_by_text("SCR33N")).to_be_visible()
    for name in ("Copy", "Stay on this page"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_role("link", name="Go on to localhost").click()
    assert arrived(page) == {"cc": ["SCR33N"], "pid": ["5f1e"]}
