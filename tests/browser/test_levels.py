"""A designer asks a level a question and watches the answer come in, in Chromium against the real site."""

import json
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from engine.level import draw_level
from tests.browser.conftest import PHONE, PageMaker, Site, sign_in

AxeCheck = Callable[[Page], None]
PLAYED = 120_000
"""Milliseconds within which all agents have played, on a machine that runs other tests too."""


def expect_no_sideways_scrolling(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), page.url


def add_level(page: Page, *, seed: int, name: str) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Levels").click()
    page.get_by_role("link", name="Add level files").click()
    page.get_by_label("Or paste its text").fill(json.dumps(draw_level(seed=seed, name=name).to_document()))
    page.get_by_role("button", name="Add and playtest").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def scores_figure(page: Page) -> Locator:
    """The drawn figure of the agents' scores, which alone says how many games each is of."""
    return page.locator("figure[data-chart-state='drawn']").filter(has_text="n = 100").first


def test_added_level_is_playtested_and_its_report_arrives_without_reloading(staff_page: Page, axe: AxeCheck) -> None:
    page = staff_page
    add_level(page, seed=41, name="Weir")
    page.evaluate("window.neverReloaded = true")
    table = page.get_by_role("region", name="Scores and legal moves of each agent")
    random = table.get_by_role("row", name="Random")
    # Half an answer is shown before the whole one.
    expect(page.get_by_role("progressbar", name="Games played")).to_be_visible(timeout=PLAYED)
    expect(random.get_by_role("cell").first).to_have_text("100", timeout=PLAYED)
    expect(page.get_by_role("progressbar", name="Games played")).to_have_count(0, timeout=PLAYED)
    assert page.evaluate("window.neverReloaded") is True
    figure = scores_figure(page)
    expect(figure.locator("svg")).to_be_visible()
    for name in ("Vanilla", "Greedy", "Random", "n = 100"):
        expect(figure.get_by_text(name, exact=True).first).to_be_visible()
    axe(page)


def test_figure_follows_the_readers_theme_and_width(new_page: PageMaker, site: Site) -> None:
    page = new_page()
    sign_in(page, site)
    add_level(page, seed=42, name="Lock")
    label = scores_figure(page).locator("svg").get_by_text("Random", exact=True).first
    expect(label).to_be_visible(timeout=PLAYED)
    inks = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of the two literals
        page.wait_for_function(
            "colour => document.querySelector('figure svg .role-axis-label text')?.getAttribute('fill') === colour",
            arg=page.evaluate("getComputedStyle(document.body).color"),
        )
        inks.append(label.get_attribute("fill"))
    assert inks[0] != inks[1]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        expect_no_sideways_scrolling(page)
        # The figure is drawn anew for the width: for a moment there may be none.
        page.wait_for_function(
            "width => document.querySelector('figure svg')?.getBoundingClientRect().width <= width", arg=width
        )
    tooltip = page.locator("#vg-tooltip-element")
    # The line of the median may lie over the middle of the box; it tells the same.
    scores_figure(page).locator("svg .mark-rect path").last.hover(force=True)
    expect(tooltip).to_contain_text("95 % interval")


def test_study_shows_people_beside_personas_on_desk_and_phone(
    staff_page: Page, new_page: PageMaker, site: Site, axe: AxeCheck
) -> None:
    page = staff_page
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Studies").click()
    page.get_by_role("region", name="Studies").get_by_role("link", name="How do you play Match-3?", exact=True).click()
    axe(page)
    page.get_by_role("link", name="Results").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Results")
    button = page.get_by_role("button", name="Playtest all levels with personas")
    if button.count():
        button.click()
    drawn = page.locator("figure[data-chart-state='drawn']")
    expect(drawn).to_have_count(4, timeout=PLAYED)
    expect(page.get_by_role("progressbar")).to_have_count(0, timeout=2 * PLAYED)
    assert page.get_by_text("NaN").count() == 0
    axe(page)
    address = page.url
    page.get_by_role("link", name="Random boards").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Random boards")
    with page.expect_download() as download:
        page.get_by_role("group", name="Download: Scores on Random boards").get_by_role("link", name="CSV").click()
    text = download.value.path().read_text()
    assert text.count(",agent,") >= 300
    axe(page)
    phone = new_page(**PHONE, color_scheme="dark")
    sign_in(phone, site)
    phone.goto(address)
    expect(phone.locator("figure[data-chart-state='drawn']")).to_have_count(4)
    expect_no_sideways_scrolling(phone)
    axe(phone)
