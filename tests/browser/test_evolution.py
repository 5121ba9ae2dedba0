"""An evolution run from the first click to a persona that playtests play, in Chromium, against the real site."""

import re
import time
from collections.abc import Callable

from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import PHONE, PageMaker, Problems, Site, sign_in

AxeCheck = Callable[[Page], None]

SMALL = {"Population": 8, "Generations": 3, "Games each": 6, "Simulations a move": 40, "Games of the finalists": 12}
COMPUTING = 300_000
"""Milliseconds for what workers compute: on a machine that never did it they load kernels first."""


def fill_form(page: Page, persona: str, **numbers: int) -> None:
    page.get_by_role("radio", name=persona).check()
    for label, value in {**SMALL, **numbers}.items():
        page.get_by_label(label).fill(str(value))


def start_run(page: Page, persona: str = "MaxS", **numbers: int) -> None:
    page.goto("/staff/evolution/new/")
    fill_form(page, persona, **numbers)
    page.get_by_role("button", name="Start the run").click()
    page.wait_for_url(re.compile(r"/staff/evolution/\d+/$"))


def test_an_admin_evolves_a_persona_and_sees_it_grow_without_reloading(
    staff_page: Page, axe: AxeCheck, problems: Problems
) -> None:
    page = staff_page
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Evolution").click()
    page.get_by_role("link", name=re.compile("^(Start a run|New run)$")).click()
    axe(page)
    fill_form(page, "MaxM")
    page.get_by_role("button", name="Start the run").click()

    page.evaluate("window.stayed = true")
    loads: list[str] = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    state = page.locator(".run__state")
    expect(page.locator("[data-live-status]")).to_have_text("Live")
    table = page.get_by_role("region", name="Generations")
    expect(table.get_by_role("row")).not_to_have_count(0, timeout=COMPUTING)
    expect(page.locator("figure[data-chart-state=drawn] svg")).to_be_visible(timeout=COMPUTING)
    expect(state.get_by_text("Finished", exact=True)).to_be_visible(timeout=COMPUTING)
    expect(table.locator("tbody tr")).to_have_count(4)
    expect(table.get_by_role("rowheader", name="Finalists")).to_be_visible()
    expect(page.locator(".formula math")).to_be_visible()
    expect(page.get_by_text("Finished after 3 generations.")).to_be_visible()
    assert page.evaluate("window.stayed") is True
    assert loads == []
    page.locator(".run__formulas summary").first.click()
    expect(page.get_by_role("button", name="Keep this one")).to_be_visible()
    axe(page)

    name = state.get_by_label("Name of the persona")
    name.fill("Open boards")
    state.get_by_role("button", name="Keep as persona").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Open boards")
    expect(page.get_by_text("is in the library")).to_be_visible()
    expect(page.locator(".formula math")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(r"^run \d+$"))).to_be_visible()
    expect(page.get_by_text("It plays in every playtest")).to_be_visible()
    axe(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download persona file").click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Personas").click()
    expect(page.get_by_role("link", name="Open boards")).to_be_visible()
    axe(page)
    page.get_by_role("link", name="Add from a file").click()
    page.get_by_label("Persona file").set_input_files(download.value.path())
    problems.expect("422")
    page.get_by_role("button", name="Add the persona").click()
    expect(page.get_by_text("There is a persona called “Open boards” already.")).to_be_visible()
    axe(page)
    page.get_by_label("Persona file").set_input_files(download.value.path())
    page.get_by_label("Name").fill("Wide boards")
    page.get_by_role("button", name="Add the persona").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Wide boards")
    expect(page.get_by_text("It plays only where it is asked for")).to_be_visible()
    axe(page)


def test_focus_typed_text_and_open_parts_survive_what_arrives(staff_page: Page) -> None:
    page = staff_page
    start_run(page, "MinS", Generations=12, Population=12)
    summary = page.locator("summary", has_text="As text")
    summary.click(timeout=COMPUTING)
    summary.focus()
    first = page.locator(".run__state .stat strong").inner_text()
    expect(page.locator(".run__state .stat strong")).not_to_have_text(first, timeout=COMPUTING)
    assert page.evaluate("document.activeElement.textContent") == "As text"
    expect(page.locator(".formula-text")).to_be_visible()
    page.get_by_role("button", name="Cancel run").click()
    expect(page.locator(".run__state .badge").first).to_have_text("Cancelled", timeout=15_000)


def test_a_run_is_paused_resumed_and_cancelled_within_seconds(staff_page: Page) -> None:
    page = staff_page
    start_run(page, "MaxS", Generations=200, Population=40)
    badge = page.locator(".run__state .badge").first
    expect(badge).to_have_text("Running", timeout=COMPUTING)
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(badge).to_have_text("Paused", timeout=15_000)
    page.get_by_role("button", name="Go on").click()
    expect(badge).to_have_text("Running")
    began = time.monotonic()
    page.get_by_role("button", name="Cancel run").click()
    expect(badge).to_have_text("Cancelled", timeout=15_000)
    assert time.monotonic() - began < 10
    expect(page.get_by_role("button", name="Cancel run")).to_have_count(0)


def test_the_form_says_what_is_wrong_and_keeps_what_was_typed(staff_page: Page, problems: Problems) -> None:
    page = staff_page
    problems.expect("422 (Unprocessable")
    page.goto("/staff/evolution/new/")
    fill_form(page, "MinM", Population=0, Generations=5000)
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("Population must be a whole number from 4 to 1,000.")).to_be_visible()
    expect(page.get_by_text("Generations must be a whole number from 1 to 1,000.")).to_be_visible()
    expect(page.get_by_label("Generations")).to_have_value("5000")
    expect(page.get_by_role("radio", name="MinM")).to_be_checked()


def test_pages_work_without_scripts_and_on_a_phone(new_page: PageMaker, site: Site) -> None:
    page = new_page(**PHONE, java_script_enabled=False)
    sign_in(page, site)
    start_run(page, "MaxS")
    state = page.locator(".run__state .badge").first
    deadline = time.monotonic() + COMPUTING / 1000
    while state.inner_text() != "Finished" and time.monotonic() < deadline:
        time.sleep(0.5)
        page.reload()
    expect(state).to_have_text("Finished")
    expect(page.get_by_role("region", name="Generations").locator("tbody tr")).to_have_count(4)
    page.get_by_role("button", name="Keep as persona").click()
    expect(page.get_by_text("is in the library")).to_be_visible()


def test_the_page_asks_by_itself_while_no_socket_comes_through(new_page: PageMaker, site: Site) -> None:
    page = new_page()
    page.route_web_socket(re.compile("/ws/staff"), lambda socket: socket.close(code=1013))
    sign_in(page, site)
    start_run(page, "MinM")
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/live?rev=" in request.url:
            asked.append(request.url)

    page.on("request", note)
    expect(page.locator("[data-live-status]")).to_have_text("Updated every 10 seconds")
    expect(page.locator(".run__state").get_by_text("Finished", exact=True)).to_be_visible(timeout=COMPUTING)
    assert asked
