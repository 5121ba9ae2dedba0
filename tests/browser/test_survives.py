"""Play that survives what happens to browsers: killed, put to sleep, left and come back to, clicked twice."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Playwright, expect

from tests.browser.conftest import ARGUMENTS, PHONE, PageMaker, Site
from tests.browser.player import Player
from tests.run import find_chromium
from tests.site import wait_until

LESS_MOTION = {"reduced_motion": "reduce"}


def processes_of(profile: Path) -> list[int]:
    """The processes of the browser that has this profile."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdecimal() and str(profile).encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "profile"
    yield folder
    for pid in processes_of(folder):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_killed_browser_loses_no_move_that_was_acknowledged(
    playwright: Playwright, profile: Path, site: Site, new_page: PageMaker
) -> None:
    """A killed browser may lose its last cookies too, so the recruiter's link is what leads back."""
    link = f"{site.study_url}?PROLIFIC_PID=6a2b3c"
    chromium = playwright.chromium.launch_persistent_context(
        profile, executable_path=find_chromium(), args=ARGUMENTS, **LESS_MOTION
    )
    player = Player(chromium.new_page()).begin(link)
    for _ in range(3):
        player.move(player.click_swap)
    seen = player.board(), player.score(), player.left()
    assert seen[2] == 17
    for pid in processes_of(profile):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not processes_of(profile), 60)
    with suppress(Error):
        chromium.close()
    again = Player(new_page(**LESS_MOTION))
    again.page.goto(link)
    again.page.get_by_role("button", name="Go on").click()
    again.wait_open()
    assert (again.board(), again.score(), again.left()) == seen
    again.move(again.click_swap)


def test_page_that_slept_goes_on_where_it_was(new_page: PageMaker, site: Site) -> None:
    page = new_page(**LESS_MOTION)
    player = Player(page).begin(site.study_url)
    player.move(player.click_swap)
    seen = player.board(), player.score(), player.left()
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    # Sleep is time that passes: nothing can be waited for.
    page.wait_for_timeout(3_000)
    session.send("Page.setWebLifecycleState", {"state": "active"})
    session.detach()
    player.wait_open()
    assert (player.board(), player.score(), player.left()) == seen
    player.move(player.click_swap)


def test_page_left_and_come_back_to_shows_the_board_as_it_stands(new_page: PageMaker, site: Site) -> None:
    page = new_page(**LESS_MOTION)
    player = Player(page).begin(site.study_url)
    player.move(player.click_swap)
    page.get_by_role("link", name="Stop and delete my data").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Round 1 of 6")
    page.go_back()
    player.wait_open()
    assert player.left() == 19
    player.move(player.click_swap)
    # Further back lies what was sent in long ago: it leads to what is due, and sends nothing in again.
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round 1 of 6")
    player.wait_open()
    assert player.left() == 18


def test_double_click_agrees_once(new_page: PageMaker, site: Site) -> None:
    page = new_page()
    player = Player(page)
    page.goto(site.study_url)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I agree").dblclick()
    player.answer()
    page.get_by_role("button", name="Continue").dblclick()
    player.wait_open()
    assert player.left() == 20


def test_pages_written_from_right_to_left_fit_a_phone_of_320_pixels(new_page: PageMaker, site: Site) -> None:
    """With the direction of such a language; the board keeps its columns in order, as its rules name them."""
    page = new_page(**{**PHONE, "viewport": {"width": 320, "height": 640}}, **LESS_MOTION)
    player = Player(page)
    page.add_init_script("addEventListener('DOMContentLoaded', () => { document.documentElement.dir = 'rtl'; })")

    def check() -> None:
        assert page.evaluate("document.documentElement.dir") == "rtl"
        assert page.evaluate("document.documentElement.scrollWidth") == 320, page.url

    page.goto(site.study_url)
    check()
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
    check()
    page.get_by_role("button", name="I agree").click()
    player.answer()
    check()
    page.get_by_role("button", name="Continue").click()
    player.wait_open()
    check()
    assert player.middle((0, 0))[0] < player.middle((0, 6))[0]
    player.move(player.tap_swap)


@pytest.mark.parametrize("zoom", ["window", "letters"])
def test_twice_the_size_keeps_everything_in_reach(new_page: PageMaker, site: Site, zoom: str) -> None:
    """A zoom of 200 % is a window half as wide; a browser may also be set to letters twice as large."""
    page = new_page(viewport={"width": 640, "height": 450} if zoom == "window" else {"width": 1280, "height": 900})
    player = Player(page)
    if zoom == "letters":
        page.add_init_script(
            "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '200%'; })"
        )

    def check() -> None:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page.goto(site.study_url)
    check()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I agree").click()
    player.answer()
    check()
    page.get_by_role("button", name="Continue").click()
    player.wait_open()
    check()
    small = page.locator("button:visible, a.button:visible").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).filter(box => box.width < 24 || box.height < 24).length"
    )
    assert small == 0
    player.move(player.click_swap)
